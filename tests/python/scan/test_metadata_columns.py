"""Metadata columns: where rows are, whether they are deleted, and which rows they are."""

from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from corpus import Case, cases, encode, known_failures
from corpus.known import hold
from floeberg import errors

TABLES = [case for case in cases() if not case.is_view and (case.name, "open") not in known_failures()]
each_case = pytest.mark.parametrize("case", TABLES, ids=lambda case: case.name)

NAMES = ("_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number")
IDS = (2147483646, 2147483645, 2147483644, 2147483643, 2147483642, 2147483540, 2147483539)


def columns(table: pa.Table, *names: str) -> list[tuple[Any, ...]]:
    """Some columns, row by row."""
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


@each_case
def test_every_row_of_the_corpus_says_where_it_is(case: Case) -> None:
    """Paths, positions, specs and partitions are those of the plan; marked rows are those that else are missing."""

    def check() -> None:
        table = case.open()
        plan = table.scan().plan_files()
        everything = table.scan(selected_fields=NAMES).to_arrow()
        everything.validate(full=True)
        assert everything.column_names == list(NAMES)
        found = dict.fromkeys(everything["_file"].to_pylist(), 0)
        assert set(found) <= {task.file.file_path for task in plan}
        partitions = dict(columns(plan.to_arrow(), "file_path", "partition"))
        for task in plan:
            own = everything.filter(pc.equal(everything["_file"], task.file.file_path))
            assert own["_pos"].to_pylist() == list(range(task.file.record_count)), task.file
            assert set(own["_spec_id"].to_pylist()) <= {task.file.spec_id}
            partition = partitions[task.file.file_path] or None
            assert own["_partition"].to_pylist() == [partition] * own.num_rows
            if task.file.first_row_id is None:
                assert own["_row_id"].null_count == own.num_rows
                assert own["_last_updated_sequence_number"].null_count == own.num_rows
            else:
                assert own["_row_id"].null_count == 0
                assert own["_last_updated_sequence_number"].null_count == 0
        assert table.scan(selected_fields=NAMES).count() == everything.num_rows
        left = everything.filter(pc.invert(everything["_deleted"]))
        assert left.num_rows == case.expected["row_count"]
        unmarked = table.scan(selected_fields=("_file", "_pos", "_row_id")).to_arrow()
        assert unmarked == left.select(unmarked.column_names)
        groups = pickle.loads(pickle.dumps(table.scan(selected_fields=NAMES).plan_files().split(2000)))
        schema = table.scan(selected_fields=NAMES).to_arrow().schema
        split = pa.concat_tables([schema.empty_table(), *(group.to_arrow() for group in groups)])
        assert sorted(encode(split)) == sorted(encode(everything))

    hold(case, "metadata", [("metadata columns", check)])


@each_case
def test_rows_of_the_corpus_have_the_lineage_that_their_writer_sees(case: Case) -> None:
    """`_row_id` and `_last_updated_sequence_number`, stored and inherited, of upgraded tables too."""
    lineage = case.expected.get("row_lineage")

    def check() -> None:
        scan = case.open().scan(selected_fields=("_row_id", "_last_updated_sequence_number"))
        if lineage is None:
            assert scan.to_arrow()["_row_id"].null_count == case.expected["row_count"]
            return
        names = tuple(lineage["columns"])
        rows = case.open().scan(selected_fields=names).to_arrow().select(names)
        assert sorted(map(list, columns(rows, *names))) == sorted(lineage["rows"])
        for key, row_id, updated in lineage["rows"]:
            one = case.open().scan(row_filter=f"_row_id IN ({row_id}, -1)", selected_fields=names)
            assert columns(one.to_arrow(), *names) == [(key, row_id, updated)]
            assert one.count() == 1

    hold(case, "metadata", [("lineage", check)])


def test_asked_for_by_name_they_follow_the_tables_own_columns(vectors):
    table = vectors.open()
    assert table.scan().to_arrow().column_names == ["id", "cat", "v"]
    assert table.scan(selected_fields=("*",)).to_arrow().column_names == ["id", "cat", "v"]
    asked = ("_pos", "v", "_file", "id")
    assert table.scan(selected_fields=asked).to_arrow().column_names == ["id", "v", "_file", "_pos"]
    assert table.scan().select("_row_id", "*").to_arrow().column_names == ["id", "cat", "v", "_row_id"]
    whole = table.scan(selected_fields=("*", *NAMES))
    assert whole.to_arrow().column_names == ["id", "cat", "v", *NAMES]
    assert whole.projection().column_names[3:] == list(NAMES)
    assert [field.field_id for field in whole.projection().fields[3:]] == list(IDS)
    ids = [int(field.metadata[b"PARQUET:field_id"]) for field in pa.schema(whole)]
    assert ids[3:] == list(IDS)
    assert table.schema().column_names == ["id", "cat", "v"]
    with pytest.raises(errors.InvalidInputError, match='near matches: .*"_file"'):
        table.scan(selected_fields=("_filee", "_file"))
    with pytest.raises(errors.InvalidInputError, match="nothing_like_it"):
        table.scan(selected_fields=("*", "nothing_like_it"))


def test_names_may_be_written_without_case(vectors):
    scan = vectors.open().scan(row_filter="_POS < 3", selected_fields=("ID", "_Pos"), case_sensitive=False)
    assert scan.to_arrow().column_names == ["id", "_pos"]
    assert max(scan.to_arrow()["_pos"].to_pylist()) < 3


def test_limits_count_rows_that_come_out(vectors):
    table = vectors.open()
    marked = table.scan(selected_fields=("id", "_deleted"))
    assert (table.scan().count(), marked.count()) == (17, len(marked.to_arrow()))
    assert marked.count() > 17
    for limit in (1, 17, 18):
        assert len(table.scan(selected_fields=("id", "_deleted"), limit=limit).to_arrow()) == limit
        assert table.scan(selected_fields=("_deleted",), limit=limit).count() == limit


def test_extremes_are_of_rows_that_are_not_deleted(vectors):
    with pytest.raises(errors.InvalidInputError, match="Deselect _deleted"):
        vectors.open().scan(selected_fields=("id", "_deleted")).min("id")
    assert vectors.open().scan(row_filter="_pos >= 0", selected_fields=("_pos",)).min("id") == 0


def test_files_and_specs_are_left_out_of_a_plan_by_filters_on_them(partitioned_positions):
    table = partitioned_positions.open()
    everything = table.scan(selected_fields=("*", "_file", "_pos", "_spec_id")).to_arrow()
    plan = table.scan().plan_files()
    for task in plan:
        path = task.file.file_path
        scan = table.scan(row_filter=f"_file = '{path}'", selected_fields=everything.column_names)
        assert [each.file.file_path for each in scan.plan_files()] == [path]
        own = everything.filter(pc.equal(everything["_file"], path))
        assert scan.to_arrow() == own
        assert scan.count() == own.num_rows
        assert table.scan(row_filter=f"_file != '{path}'").count() == len(everything) - own.num_rows
    for spec in set(everything["_spec_id"].to_pylist()):
        scan = table.scan(row_filter=f"_spec_id = {spec} AND _pos >= 0")
        assert {task.file.spec_id for task in scan.plan_files()} == {spec}
        assert scan.count() == pc.sum(pc.equal(everything["_spec_id"], spec)).as_py()
    assert len(table.scan(row_filter="_spec_id IN (-1, 1000)").plan_files()) == 0
    assert len(table.scan(row_filter="_spec_id IS NULL OR _pos IS NULL").plan_files()) == 0


@pytest.mark.parametrize("role", ["partitioned_positions", "vectors", "avro_and_orc"])
def test_filters_on_positions_and_row_ids_keep_exactly_the_rows_that_match(request, role):
    table = request.getfixturevalue(role).open()
    names = ("_file", "_pos", "_row_id")
    everything = table.scan(selected_fields=("*", *names)).to_arrow()
    key = everything.column_names[0]
    pos, row_id = everything["_pos"], everything["_row_id"]
    few = pa.array([1, 3, 12, 13])
    for row_filter, mask in (
        ("_pos < 2", pc.less(pos, 2)),
        ("_pos IN (1, 3, 12, 13)", pc.is_in(pos, few)),
        (f"_pos >= 1 AND {key} IS NOT NULL", pc.and_(pc.greater_equal(pos, 1), everything[key].is_valid())),
        (f"NOT (_pos = 1) OR {key} IS NULL", pc.or_(pc.not_equal(pos, 1), everything[key].is_null())),
        ("_row_id IN (1, 3, 12, 13)", pc.is_in(row_id, few)),
        ("_row_id IS NULL", row_id.is_null()),
        ("_row_id > 12", pc.fill_null(pc.greater(row_id, 12), fill_value=False)),
        ("_last_updated_sequence_number IS NOT NULL", row_id.is_valid()),
    ):
        scan = table.scan(row_filter=row_filter, selected_fields=("*", *names))
        expected = everything.filter(mask)
        assert encode(scan.to_arrow()) == encode(expected), row_filter
        assert scan.count() == len(expected), row_filter
        groups = pickle.loads(pickle.dumps(scan.plan_files().split(500)))
        assert sum(len(group.to_arrow()) for group in groups) == len(expected), row_filter
        assert table.scan(row_filter=row_filter).to_arrow().column_names == everything.column_names[:-3]


def test_partitions_may_be_taken_apart_and_filtered_by(partitioned_positions):
    table = partitioned_positions.open()
    everything = table.scan(selected_fields=("*", "_partition")).to_arrow()
    field = everything.schema.field("_partition").type.field(0).name
    one = table.scan(selected_fields=(f"_partition.{field}",)).to_arrow()
    assert one["_partition"].to_pylist() == [
        {field: each[field]} for each in everything["_partition"].to_pylist()
    ]
    values = [each[field] for each in everything["_partition"].to_pylist()]
    some = next(value for value in values if value is not None)
    literal = f"'{some}'" if isinstance(some, str) else str(some)
    filtered = table.scan(row_filter=f"_partition.{field} = {literal}", selected_fields=("*", "_partition"))
    assert filtered.count() == len(filtered.to_arrow()) == values.count(some)
    assert table.scan(row_filter=f"_partition.{field} IS NULL").count() == values.count(None)
    groups = pickle.loads(pickle.dumps(filtered.plan_files().split(500)))
    assert sum(len(group.to_arrow()) for group in groups) == values.count(some)


def test_rows_are_not_filtered_by_what_only_reading_tells(vectors):
    with pytest.raises(errors.InvalidInputError, match="_deleted"):
        vectors.open().scan(row_filter="_deleted = true")


def test_a_scan_with_metadata_columns_is_pickled_and_read_elsewhere(vectors):
    scan = vectors.open().scan(row_filter="_pos > 1 OR id = 1", selected_fields=("*", *NAMES))
    again = pickle.loads(pickle.dumps(scan))
    assert again.to_arrow() == scan.to_arrow()
    assert again.projection() == scan.projection()


def test_older_snapshots_have_the_lineage_that_they_had(upgraded):
    table = upgraded.open()
    for snapshot in table.snapshots():
        rows = table.scan(
            snapshot_id=snapshot.snapshot_id, selected_fields=("_row_id", "_last_updated_sequence_number")
        ).to_arrow()
        nulls = {rows[name].null_count for name in rows.column_names}
        # Snapshots from before the upgrade have none, those after it give ids to all rows.
        assert nulls == ({len(rows)} if snapshot.first_row_id is None else {0})


def test_a_column_of_the_table_hides_the_metadata_column_of_its_name(own_file_column):
    table = own_file_column
    names = [field.name for field in table.schema().fields]
    assert "_file" in names
    rows = table.scan(selected_fields=("_file", "_pos")).to_arrow()
    assert rows["_file"].to_pylist() == table.scan().to_arrow()["_file"].to_pylist()
    assert rows.schema.field("_file").metadata[b"PARQUET:field_id"] != b"2147483646"
    assert rows["_pos"].null_count == 0
    value = rows["_file"].to_pylist()[0]
    literal = f"'{value}'" if isinstance(value, str) else str(value)
    assert table.scan(row_filter=f"_file = {literal}").count() == rows["_file"].to_pylist().count(value)


@pytest.fixture
def own_file_column(refs: Case, tmp_path) -> fb.Table:
    """A table one of whose own columns is named `_file`: `v` was renamed."""
    metadata = refs.metadata_file.read_text().replace('"name":"v"', '"name":"_file"')
    metadata = metadata.replace('"name": "v"', '"name": "_file"')
    place = tmp_path / refs.metadata_file.name
    place.write_text(metadata)
    return fb.open_table(place, relocate=refs.relocate)
