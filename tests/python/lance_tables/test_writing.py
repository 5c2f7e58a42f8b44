"""Tables that we write, and pylance reads and works on."""

from __future__ import annotations

import datetime as dt
import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    InvalidInputError,
    NotFoundError,
    TableAlreadyExistsError,
    UnsupportedError,
)

from .kit import by_key, check_same, made, rows

both_kinds = pytest.mark.parametrize("stable", [True, False], ids=["stable ids", "addresses"])


@both_kinds
def test_we_and_pylance_work_on_one_table_in_turns(tmp_path: Path, *, stable: bool) -> None:
    table = made(tmp_path, rows(0, 100), stable_row_ids=stable)
    table.append(rows(100, 150))
    threes = ", ".join(str(key) for key in range(3, 150, 10))
    assert table.delete(f"id IN ({threes})").deleted_rows == 15
    done = table.update({"v": fb.sql_expr("v + 1000"), "name": "new"}, "id >= 95 AND id < 105")
    assert (done.updated_rows, done.keeps_row_ids) == (9, stable)
    dataset = check_same(table)
    assert dataset.has_stable_row_ids == stable

    # pylance appends, deletes, updates, merges, adds a column.
    dataset = lance.write_dataset(rows(150, 160), table.location, mode="append")
    dataset.delete("id = 0")
    dataset.update({"name": "'theirs'"}, where="id = 1")
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows(159, 165))
    dataset.add_columns({"twice": "id * 2"})
    table.refresh()
    check_same(table)

    # We go on.
    assert table.update({"twice": 0}, "id = 1").updated_rows == 1
    table.add_columns({"half": fb.sql_expr("id / 2.0")})
    table.delete("id = 160")
    table.append(pa.table({"id": [1000]}))
    done = table.upsert(pa.table({"id": [1000, 1001], "name": ["u", "i"]}), ["id"])
    assert (done.updated_rows, done.inserted_rows) == (1, 1)
    table.drop_columns("v")
    table.rename_columns({"name": "title"})
    dataset = check_same(table)
    assert by_key(table)[-2:] == [
        {"id": 1000, "title": "u", "twice": None, "half": None},
        {"id": 1001, "title": "i", "twice": None, "half": None},
    ]

    # pylance compacts, and restores; we compact.
    dataset.optimize.compact_files(target_rows_per_fragment=1000)
    table.refresh()
    check_same(table)
    for start in range(3):
        table.append(pa.table({"id": [2000 + start]}))
    before = by_key(table, *(["_rowid"] if stable else []))
    result = table.maintenance.compact(dry_run=True)
    assert (result.version, result.dry_run, result.fragments_before) == (None, True, 4)
    result = table.maintenance.compact()
    assert (result.fragments_before, result.fragments_after) == (4, 1)
    assert by_key(table, *(["_rowid"] if stable else [])) == before
    check_same(table)
    lance.dataset(table.location, version=2).restore()
    table.refresh()
    table.restore(5)
    check_same(table)
    lance.write_dataset(rows(150, 160), table.location, mode="append")
    check_same(table.refresh())


def test_versions_of_rows_are_those_of_their_changes(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    table.append(rows(4, 6))
    table.update({"v": 0.0}, "id IN (1, 5)")
    table.upsert(rows(5, 7), ["id"])
    found = by_key(table, "_rowid", "_row_created_at_version", "_row_last_updated_at_version")
    assert [
        (each["_rowid"], each["_row_created_at_version"], each["_row_last_updated_at_version"])
        for each in found
    ] == [(0, 1, 1), (1, 1, 3), (2, 1, 1), (3, 1, 1), (4, 2, 2), (5, 2, 4), (6, 4, 4)]
    theirs = lance.dataset(table.location).to_table(
        columns=["id", "_row_created_at_version", "_row_last_updated_at_version"], with_row_id=True
    )
    assert theirs.sort_by("id")["_row_created_at_version"].to_pylist() == [1, 1, 1, 1, 2, 2, 4]
    assert theirs.sort_by("id")["_row_last_updated_at_version"].to_pylist() == [1, 3, 1, 1, 2, 4, 4]


def test_every_type_that_can_be_written_is_read_by_pylance(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            pa.field("b", pa.bool_()),
            *(
                pa.field(f"{sign}{bits}", getattr(pa, f"{sign}{bits}")())
                for sign in ("int", "uint")
                for bits in (8, 16, 32, 64)
            ),
            pa.field("f16", pa.float16()),
            pa.field("f32", pa.float32()),
            pa.field("d", pa.decimal128(10, 2)),
            pa.field("day", pa.date32()),
            pa.field("ts", pa.timestamp("us", "UTC")),
            pa.field("t", pa.time64("us")),
            pa.field("dur", pa.duration("ms")),
            pa.field("s", pa.large_string()),
            pa.field("bin", pa.binary()),
            pa.field("fixed", pa.binary(4)),
            pa.field(
                "st",
                pa.struct(
                    [pa.field("a", pa.int32()), pa.field("in", pa.struct([pa.field("x", pa.string())]))]
                ),
            ),
            pa.field("l", pa.list_(pa.list_(pa.int64()))),
            pa.field("ls", pa.list_(pa.struct([pa.field("a", pa.int8()), pa.field("b", pa.string())]))),
            pa.field("vector", pa.list_(pa.float32(), 3)),
            pa.field("m", pa.map_(pa.string(), pa.int32())),
            pa.field("required", pa.int64(), nullable=False),
        ]
    )
    row: dict[str, Any] = {each.name: 1 for each in schema}
    row |= {
        "b": True,
        "d": Decimal("1.25"),
        "day": dt.date(2026, 1, 2),
        "ts": dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc),
        "t": dt.time(1, 2, 3),
        "dur": dt.timedelta(seconds=1),
        "s": "x",
        "bin": b"y",
        "fixed": b"abcd",
        "st": {"a": 1, "in": {"x": "z"}},
        "l": [[1], None, [2, 3]],
        "ls": [{"a": 1, "b": "p"}, None],
        "vector": [1.0, 2.0, 3.0],
        "m": [("k", 1)],
    }
    empty = {each.name: None for each in schema} | {"required": 2}
    data = pa.Table.from_pylist([row, empty, row], schema=schema)
    table = made(tmp_path, data)
    check_same(table)
    assert table.schema().equals(lance.dataset(table.location).schema)
    table.append(data)
    table.update({"int8": 5}, "required = 2")
    check_same(table)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_files_are_of_the_version_that_is_asked_for(tmp_path: Path, version: str) -> None:
    data = pa.table({"id": [1, 2], "l": [[1], [2, 3]], "st": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]})
    table = made(tmp_path, data, data_storage_version=version)
    table.append(data)
    table.add_columns({"more": fb.col("st")})
    dataset = check_same(table)
    assert dataset.data_storage_version == version


def test_a_table_begins_without_rows(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 1).schema, config={"k": "v"})
    assert (table.scan().count(), table.config) == (0, {"k": "v"})
    check_same(table)
    table.append(rows(0, 2))
    assert check_same(table).config() == {"k": "v"}
    with pytest.raises(TableAlreadyExistsError):
        made(tmp_path, rows(0, 1))


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (pa.field("j", pa.json_()), "arrow.json"),
        (pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"}), "lance-encoding:blob"),
        (pa.field("u", pa.month_day_nano_interval()), "Interval"),
        (pa.field("a.b", pa.int8()), "a.b"),
    ],
)
def test_columns_that_cannot_be_written_are_refused_by_name(tmp_path: Path, field: Any, said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        made(tmp_path, pa.schema([field]))


def test_rows_are_matched_by_name_and_must_fit(tmp_path: Path) -> None:
    table = made(
        tmp_path, pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("s", pa.string())])
    )
    table.append(pa.table({"s": ["a"], "id": pa.array([1], pa.int64())}))
    table.append([{"id": 2}])
    assert by_key(table) == [{"id": 1, "s": "a"}, {"id": 2, "s": None}]
    for data, said in [
        ({"id": [1], "x": [1]}, "no column 'x'"),
        ({"s": ["a"]}, "required"),
        ({"id": [2**40]}, "does not fit"),
        ({"id": ["1"]}, "convert them first"),
    ]:
        with pytest.raises(InvalidInputError, match=said):
            table.append(pa.table(data))
    assert table.version == 3
    assert len(list(Path(table.location, "data").iterdir())) == 2


def test_nothing_that_changes_nothing_is_a_version(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    for result in (
        table.delete("id > 100"),
        table.update({"v": 1.0}, "id > 100"),
        table.append(rows(0, 0)),
        table.maintenance.compact(),
    ):
        assert result.version is None
    assert (table.version, len(list(Path(table.location, "data").iterdir()))) == (1, 1)


def test_a_key_is_committed_once(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    first = table.append(rows(3, 4), idempotency_key="job-9", transaction_properties={"who": "me"})
    table.append(rows(4, 5))
    again = table.append(rows(3, 4), idempotency_key="job-9")
    assert (again.version, again.already_committed, first.already_committed) == (2, True, False)
    assert (table.version, table.scan().count()) == (3, 5)
    assert len(list(Path(table.location, "data").iterdir())) == 3
    with pytest.raises(InvalidInputError, match="belongs to an earlier operation"):
        table.delete("id = 1", idempotency_key="job-9")
    properties = lance.dataset(table.location).read_transaction(2).transaction_properties
    assert properties == {"who": "me", "floeberg.idempotency-key": "job-9"}


def test_columns_are_added_beside_deleted_rows(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10), max_rows_per_file=4)
    table.delete("id IN (0, 5, 6)")
    table.add_columns(
        {"twice": lambda batch: pc.multiply(batch["id"], 2), "k": 7, "upper": fb.sql_expr("upper(name)")}
    )
    table.add_columns([pa.field("none", pa.struct([pa.field("x", pa.int8())]))])
    check_same(table)
    assert by_key(table)[0] == {
        "id": 1,
        "name": "n1",
        "v": 0.5,
        "twice": 2,
        "k": 7,
        "upper": "N1",
        "none": None,
    }
    table.alter_column("id", type=pa.int32())
    table.alter_column("v", type=pa.float32())
    check_same(table)
    assert table.schema().field("id").type == pa.int32()
    with pytest.raises(InvalidInputError, match="twice"):
        table.add_columns({"twice": 1})
    with pytest.raises(InvalidInputError, match='no column "x"'):
        table.drop_columns("x")
    with pytest.raises(InvalidInputError, match="does not fit its type"):
        table.alter_column("v", type=pa.int64())
    version = table.version
    table.update({"none": pa.scalar({"x": 1}, pa.struct([("x", pa.int8())]))}, "id = 1")
    table.drop_columns(["twice", "k"])
    assert table.version == version + 2
    check_same(table)


def test_tags_are_pylances(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.create_tag("first")
    table.append(rows(3, 4))
    table.create_tag("second")
    dataset = lance.dataset(table.location)
    assert {name: each["version"] for name, each in dataset.tags.list().items()} == {"first": 1, "second": 2}
    assert lance.dataset(table.location, version="first").count_rows() == 3
    with pytest.raises(AlreadyExistsError, match="second"):
        table.create_tag("second")
    table.update_tag("first")
    dataset.tags.update("second", 1)
    table.delete_tag("first")
    with pytest.raises(NotFoundError):
        table.delete_tag("first")
    with pytest.raises(InvalidInputError):
        table.create_tag("a b")
    assert {name: tag.version for name, tag in table.tags().items()} == {"second": 1}
    assert lance.dataset(table.location).tags.list()["second"]["version"] == 1


def test_branches_and_clones_are_pylances(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10))
    table.delete("id = 3")
    table.create_branch("team/work")
    branch = fb.open_table(table.location, branch="team/work")
    branch.append(rows(10, 12))
    branch.delete("id IN (0, 11)")
    branch.update({"v": 0.0}, "id = 1")
    theirs = lance.dataset(table.location).checkout_version(("team/work", None))
    assert (theirs.count_rows(), branch.scan().count(), table.scan().count()) == (9, 9, 9)
    theirs.insert(rows(20, 21))
    assert branch.refresh().scan().count() == 10
    assert lance.dataset(table.location).branches.list()["team/work"]["parent_version"] == 2
    with pytest.raises(AlreadyExistsError):
        table.create_branch("team/work")
    # The files of the branch are in the table.
    table.overwrite(rows(0, 1))
    table.maintenance.cleanup(older_than=timedelta(0))
    assert fb.open_table(table.location, branch="team/work").scan().to_arrow().num_rows == 10

    branch.create_tag("of-branch")
    with pytest.raises(InvalidInputError, match="of-branch"):
        table.delete_branch("team/work")
    table.delete_tag("of-branch")
    table.delete_branch("team/work")
    assert table.branches() == {}

    table.shallow_clone(str(tmp_path / "clone.lance"))
    clone = fb.open_table(str(tmp_path / "clone.lance"))
    clone.append(rows(1, 3))
    clone.delete("id = 0")
    assert lance.dataset(clone.location).to_table().sort_by("id")["id"].to_pylist() == [1, 2]
    check_same(table)


def test_settings_and_metadata_are_pylances(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.update_config({"a": "1", "b": "2"})
    table.update_config({"a": None})
    table.update_schema_metadata({"x": "y"})
    dataset = check_same(table)
    assert (dataset.config(), dataset.schema.metadata) == ({"b": "2"}, {b"x": b"y"})


def test_indices_are_carried_and_cover_only_what_they_were_built_of(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 100), max_rows_per_file=50)
    lance.dataset(table.location).create_scalar_index("id", "BTREE")
    table.refresh()
    table.append(rows(100, 110))
    table.delete("id = 7")
    table.update({"id": 5000}, "id = 60")
    table.add_columns({"w": 1})
    dataset = check_same(table)
    (index,) = dataset.describe_indices()
    assert index.name == "id_idx"
    for key, count in [(7, 0), (60, 0), (5000, 1), (105, 1), (42, 1)]:
        assert dataset.to_table(filter=f"id = {key}").num_rows == count, key
    with pytest.raises(InvalidInputError, match="drop_indices"):
        table.maintenance.compact()
    table.maintenance.compact(drop_indices=True)
    dataset = check_same(table)
    assert dataset.describe_indices() == []
    lance.dataset(table.location).create_scalar_index("id", "BTREE")
    table.refresh()
    table.drop_columns("id")
    assert check_same(table).describe_indices() == []


def test_old_versions_go_with_the_files_that_only_they_name(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10))
    table.create_tag("kept")
    table.append(rows(10, 12))
    table.delete("id = 11")
    table.overwrite(rows(0, 2))
    table.append(rows(2, 3))
    assert table.maintenance.cleanup().versions == []
    found = table.maintenance.cleanup(older_than=timedelta(0), retain_last=2, dry_run=True)
    assert (found.versions, found.dry_run) == ([2, 3], True)
    # One data file, a deletion file, and three transactions but that of the tag.
    assert sorted(Path(each).suffix for each in found.files) == [".arrow", ".lance", ".txn", ".txn"]
    assert table.version_numbers() == [1, 2, 3, 4, 5]
    done = table.maintenance.cleanup(older_than=timedelta(0), retain_last=2)
    assert (done.files, done.size_bytes) == (found.files, found.size_bytes)
    assert table.version_numbers() == [1, 4, 5]
    check_same(table)
    assert fb.open_table(table.location, tag="kept").scan().to_arrow().num_rows == 10


def test_a_table_at_a_fixed_version_is_not_changed(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10))
    old = fb.open_table(table.location, version=1)
    with pytest.raises(UnsupportedError, match="fixed version"):
        old.append(rows(0, 1))


def test_conflicts_are_made_anew_or_raised(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10))
    other = fb.open_table(table.location)
    other.update({"v": 1.0}, "id = 1")
    with pytest.raises(CommitConflictError, match="row 1"):
        table.update({"v": 2.0}, "id = 1", on_conflict="raise")
    assert table.version == 1
    # Made of the newest version, it wins.
    table.update({"v": fb.sql_expr("v + 1")}, "id = 1")
    assert by_key(table)[1]["v"] == 2.0
    # No key is inserted twice.
    other.refresh()
    lance.dataset(table.location).insert(rows(50, 51))
    done = other.upsert(rows(50, 52).drop_columns("v"), ["id"])
    assert (done.updated_rows, done.inserted_rows) == (0, 1)
    assert other.scan().count() == 12
    check_same(other)


def test_the_hint_is_the_newest_version(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.append(rows(3, 4))
    hint = Path(table.location, "_versions", "latest_version_hint.json").read_text(encoding="utf-8")
    assert json.loads(hint) == {"version": 2}


def test_keys_of_an_upsert_are_unique_and_not_null(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    for data, keys, said in [
        ({"id": [1, 1]}, ["id"], "id = 1"),
        ({"id": pa.array([None], pa.int64())}, ["id"], "null"),
        ({"id": [1]}, ["x"], "no key column 'x'"),
        ({"id": [1], "y": [1]}, ["id"], "no column 'y'"),
    ]:
        with pytest.raises(InvalidInputError, match=said):
            table.upsert(pa.table(data), keys)
    done = table.upsert(pa.table({"id": [2, 9], "name": ["n2", "new"]}), ["id", "name"])
    assert (done.updated_rows, done.inserted_rows) == (0, 1)
    assert by_key(table)[-2:] == [{"id": 2, "name": "n2", "v": 1.0}, {"id": 9, "name": "new", "v": None}]
