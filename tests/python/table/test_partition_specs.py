"""Tables whose partition specs say what this version does not know, or say it in an older way."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.partitioning import PartitionField, PartitionSpec
from floeberg.table.sorting import SortField, SortOrder

FILTERS = ["TRUE", "cat = 'a'", "id > 5 AND cat <> 'b'", "cat IS NULL"]


def edited(case, folder, edit):
    """Open a table with every field of its partition specs edited."""
    metadata = json.loads(case.metadata_file.read_text())
    for spec in metadata["partition-specs"]:
        for field in spec["fields"]:
            edit(field)
    for field in metadata.get("partition-spec", []):
        edit(field)
    file = folder / "edited.metadata.json"
    file.write_text(json.dumps(metadata))
    return fb.open_table(str(file), relocate=case.relocate)


def rows(scan):
    table = scan.to_arrow()
    return sorted(map(repr, zip(*(column.to_pylist() for column in table.columns), strict=True)))


def unknown(field):
    """A transform that no version knows yet."""
    field["transform"] = "futureHash[7]"


def several_arguments(field):
    """A transform of several columns, which the specification has a place for and no definition of."""
    del field["source-id"]
    field |= {"transform": "bucketV2[4]", "source-ids": [1, 2]}


def known_of_several(field):
    """A transform that is known, of more columns than it takes."""
    del field["source-id"]
    field |= {"transform": "bucket[4]", "source-ids": [2, 1]}


def lost_source(field):
    """A column that no schema has."""
    field["source-id"] = 999


@pytest.mark.parametrize("edit", [unknown, several_arguments, known_of_several, lost_source])
@pytest.mark.parametrize("name", ["partitioned_keys", "partitioned_positions"])
def test_deletes_stay_in_partitions_of_a_transform_that_is_not_known(name, edit, request, tmp_path):
    case = request.getfixturevalue(name)
    table = edited(case, tmp_path, edit)
    for text in FILTERS:
        assert rows(table.scan(row_filter=text)) == rows(case.open().scan(row_filter=text)), text
    assert len(rows(table.scan())) == case.expected["row_count"]


def test_a_transform_that_is_not_known_filters_nothing(partitioned_positions, tmp_path):
    table = edited(partitioned_positions, tmp_path, unknown)
    stages = {stage.name: stage for stage in table.scan(row_filter="cat = 'a'").explain().stages}
    by_partition = stages["data files by partition"]
    assert by_partition.entered == by_partition.kept


def one_source_in_a_list(field):
    """The form of several sources, of one."""
    field["source-ids"] = [field.pop("source-id")]


def both_forms(field):
    """What a cautious writer might say."""
    field["source-ids"] = [field["source-id"]]


@pytest.mark.parametrize("edit", [one_source_in_a_list, both_forms])
def test_one_source_is_read_in_either_form(edit, partitioned_positions, tmp_path):
    table = edited(partitioned_positions, tmp_path, edit)
    for text in FILTERS:
        plan = table.scan(row_filter=text).plan_files()
        expected = partitioned_positions.open().scan(row_filter=text).plan_files()
        assert plan.to_arrow().drop_columns("location") == expected.to_arrow().drop_columns("location")


def test_partition_fields_of_version_1_without_ids_count_from_1000(partitioned_v1, tmp_path):
    def without_id(field):
        del field["field-id"]

    table = edited(partitioned_v1, tmp_path, without_id)
    for text in FILTERS:
        plan = table.scan(row_filter=text).plan_files()
        expected = partitioned_v1.open().scan(row_filter=text).plan_files()
        assert plan.to_arrow() == expected.to_arrow()
    assert len(rows(table.scan())) == partitioned_v1.expected["row_count"]


ROWS = pa.table({"id": [1, 2], "cat": ["a", "b"]})


KNOWN_TO_OTHERS = pytest.mark.unchecked_tables(
    "a transform of several columns, which the checker does not know"
)


@pytest.fixture
def of_several(tmp_path):
    """A table of version 3 that another writer partitions and sorts by a transform of two columns."""
    catalog = fb.load_catalog("several", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", as_select=ROWS, format_version=3)
    path = Path(table.metadata_location)
    metadata = json.loads(path.read_text())
    several = {"transform": "zorder[4]", "source-ids": [1, 2]}
    metadata["partition-specs"].append(
        {"spec-id": 1, "fields": [{"name": "both", "field-id": 1000, **several}]}
    )
    metadata["sort-orders"].append(
        {"order-id": 1, "fields": [{"direction": "asc", "null-order": "nulls-first", **several}]}
    )
    metadata |= {"default-spec-id": 1, "last-partition-id": 1000, "default-sort-order-id": 1}
    path.with_name("v2.metadata.json").write_text(json.dumps(metadata))
    return table.refresh()


def written_sources(table):
    metadata = json.loads(Path(table.metadata_location).read_text())
    fields = (metadata["partition-specs"][-1]["fields"][0], metadata["sort-orders"][-1]["fields"][0])
    assert not any("source-id" in field for field in fields)
    return [(field["transform"], field["source-ids"]) for field in fields]


@KNOWN_TO_OTHERS
def test_a_transform_of_several_columns_is_shown_and_kept(of_several):
    assert str(of_several.spec().fields[0]) == "1000: both: zorder[4](1, 2)"
    assert "zorder[4]" in str(of_several.sort_order())
    assert "zorder[4]" in str(of_several)
    kept = [("zorder[4]", [1, 2])] * 2
    of_several.set_properties(owner="jo")
    assert written_sources(of_several) == kept
    with of_several.update_schema() as update:
        update.add_column("note", "string").rename_column("cat", "kind")
    assert written_sources(of_several) == kept
    # Old files are of another spec, and none can be of this one: all rows are found.
    for text in ("kind = 'a'", "id = 1 AND kind = 'a'"):
        assert of_several.scan(text).count() == 1
    assert of_several.delete("id = 1", mode="merge-on-read").deleted_rows == 1
    assert of_several.scan().count() == 1
    assert written_sources(of_several) == kept


@KNOWN_TO_OTHERS
def test_a_column_of_a_transform_of_several_is_not_dropped(of_several):
    with pytest.raises(errors.InvalidInputError, match='"both"'):
        of_several.update_schema().delete_column("cat").commit()
    # Iceberg Java too leaves specs with transforms that it does not know as they are.
    for change in (
        lambda update: update.rename_field("both", "z"),
        lambda update: update.remove_field("both"),
    ):
        with pytest.raises(errors.UnsupportedError, match=r'"both" has the transform zorder\[4\]'):
            change(of_several.update_spec()).commit()


@KNOWN_TO_OTHERS
def test_values_of_a_transform_of_several_columns_are_not_computed(of_several, tmp_path):
    pq.write_table(ROWS, tmp_path / "more.parquet")
    for write in (
        lambda: of_several.append(ROWS),
        lambda: of_several.overwrite(ROWS),
        lambda: of_several.update({"cat": "x"}, mode="copy-on-write"),
        lambda: of_several.add_files(tmp_path / "more.parquet"),
    ):
        with pytest.raises(errors.UnsupportedError):
            write()
    assert of_several.refresh().scan().count() == 2
    for declared in (
        {"partition_spec": PartitionSpec(PartitionField((1, 2), 1000, "zorder[4]", "both"))},
        {"sort_order": SortOrder(SortField((1, 2), "zorder[4]"))},
    ):
        with pytest.raises(errors.UnsupportedError):
            of_several.catalog.create_table("ns.other", ROWS.schema, format_version=3, **declared)
