"""Copies between tables: created, brought up to date, replaced; and what copies refuse."""

from __future__ import annotations

from datetime import timedelta

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidDataError, InvalidInputError, NoSuchTableError, UnsupportedError

from .tables import Places, ids, rows

KINDS = ("iceberg", "lance")
PAIRS = [(source, target) for source in KINDS for target in KINDS]


@pytest.fixture
def places(tmp_path) -> Places:
    return Places(tmp_path)


def outcome(copied: fb.CopyResult) -> tuple[str, int]:
    return copied.action, copied.rows


@pytest.mark.parametrize(("kind", "other"), PAIRS)
def test_a_target_is_created_and_then_gets_what_was_appended(places, kind, other):
    source = places.source(kind, rows(0, 5))
    first = places.copy(source, other)
    assert outcome(first) == ("created", 5) and first.copied_from is None
    assert ids(places.target(other)) == [0, 1, 2, 3, 4]
    assert outcome(places.copy(source, other)) == ("unchanged", 0)
    source.append(rows(5, 7))
    source.append(rows(7, 8))
    second = places.copy(source, other)
    assert outcome(second) == ("appended", 3) and second.copied_from == first.copied_to
    assert ids(second.table) == list(range(8))
    assert outcome(places.copy(source, other)) == ("unchanged", 0)
    # Of a location, the newest state is copied.
    source.append(rows(8, 9))
    third = fb.copy(source.location if kind == "lance" else source.location(), second.table)
    assert outcome(third) == ("appended", 1) and ids(third.table) == list(range(9))


@pytest.mark.parametrize(("kind", "other"), PAIRS)
@pytest.mark.parametrize("change", ["delete", "update", "upsert", "overwrite"])
def test_what_is_no_append_is_an_error_and_a_replacement_copies_it(places, kind, other, change):
    source = places.source(kind, rows(0, 5))
    places.copy(source, other)
    source.append(rows(5, 6))
    if change == "delete":
        source.delete("id = 0")
    elif change == "update":
        source.update({"name": "x"}, "id = 0")
    elif change == "upsert":
        source.upsert(pa.table({"id": [0, 9], "name": ["x", "y"]}), ["id"])
    else:
        source.overwrite(rows(0, 2))
    source.append(rows(20, 21))
    with pytest.raises(UnsupportedError, match="did more than to append rows.*mode='replace'"):
        places.copy(source, other)
    assert ids(places.target(other)) == [0, 1, 2, 3, 4]
    replaced = places.copy(source, other, mode="replace")
    expected = source.scan().to_arrow().sort_by("id").to_pylist()
    assert outcome(replaced) == ("replaced", len(expected))
    assert replaced.table.scan().to_arrow().sort_by("id").to_pylist() == expected
    source.append(rows(30, 31))
    assert outcome(places.copy(source, other)) == ("appended", 1)


@pytest.mark.parametrize(("kind", "other"), PAIRS)
def test_an_empty_source_and_then_its_first_rows(places, kind, other):
    empty = rows(0, 0)
    source = (
        fb.lance.create_table(str(places.folder / "source.lance"), empty.schema)
        if kind == "lance"
        else places.catalog.create_table("db.source", empty.schema)
    )
    assert outcome(places.copy(source, other)) == ("created", 0)
    assert places.target(other).scan().to_arrow().column_names == ["id", "name"]
    assert outcome(places.copy(source, other)) == ("unchanged", 0)
    source.append(rows(0, 3))
    assert outcome(places.copy(source, other)) == ("appended", 3)
    assert ids(places.target(other)) == [0, 1, 2]


@pytest.mark.parametrize("other", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_target_with_rows_of_others_asks_what_to_do(places, kind, other):
    source = places.source(kind, rows(0, 3))
    target = (
        fb.lance.create_table(str(places.folder / "target.lance"), rows(100, 102))
        if other == "lance"
        else places.catalog.create_table("db.target", rows(0, 0).schema)
    )
    if other == "iceberg":
        target.append(rows(100, 102))
    with pytest.raises(InvalidInputError, match="mode='append'.*mode='replace'"):
        places.copy(source, other)
    assert outcome(places.copy(source, other, mode="append")) == ("appended", 3)
    assert ids(target) == [0, 1, 2, 100, 101]
    # The same again is what happened since, not all rows.
    assert outcome(places.copy(source, other, mode="append")) == ("unchanged", 0)
    source.append(rows(3, 4))
    target.append(rows(102, 103))
    assert outcome(places.copy(source, other)) == ("appended", 1)
    assert ids(target) == [0, 1, 2, 3, 100, 101, 102]
    assert outcome(places.copy(source, other, mode="replace")) == ("replaced", 4)
    assert ids(target) == [0, 1, 2, 3]


@pytest.mark.parametrize("other", KINDS)
def test_several_sources_of_one_target(places, other):
    first = places.source("iceberg", rows(0, 2))
    second = places.source("lance", rows(10, 12))
    places.copy(first, other)
    places.copy(second, other, mode="append")
    first.append(rows(2, 3))
    second.append(rows(12, 13))
    assert [outcome(places.copy(each, other)) for each in (first, second)] == [("appended", 1)] * 2
    assert ids(places.target(other)) == [0, 1, 2, 10, 11, 12]
    # Rows that were replaced are of no source any more.
    places.copy(first, other, mode="replace")
    with pytest.raises(InvalidInputError, match="was not copied to it before"):
        places.copy(second, other)
    assert ids(places.target(other)) == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_target_that_was_taken_back_is_not_taken_for_complete(places, kind):
    source = places.source("iceberg", rows(0, 2))
    places.copy(source, kind)
    source.append(rows(2, 4))
    before = places.target(kind)
    places.copy(source, kind)
    target = places.target(kind)
    if kind == "lance":
        # The marker of a Lance table is a setting of its version, and goes back with the rows.
        target.restore(before.version)
        assert outcome(places.copy(source, kind)) == ("appended", 2)
    else:
        target.manage_snapshots().rollback_to_snapshot(before.current_snapshot().snapshot_id).commit()
        with pytest.raises(UnsupportedError, match="not in the history of the target"):
            places.copy(source, kind)
        assert outcome(places.copy(source, kind, mode="replace")) == ("replaced", 4)
    assert ids(target) == [0, 1, 2, 3]


def test_a_source_that_was_rolled_back(places):
    source = places.source("iceberg", rows(0, 2))
    first = source.current_snapshot().snapshot_id
    source.append(rows(2, 4))
    places.copy(source, "lance")
    source.manage_snapshots().rollback_to_snapshot(first).commit()
    for _ in range(2):
        with pytest.raises(UnsupportedError, match="not in the history of the source"):
            places.copy(source.refresh(), "lance")
        source.append(rows(9, 10))
    assert ids(places.target("lance")) == [0, 1, 2, 3]


@pytest.mark.parametrize("other", KINDS)
def test_a_lance_source_that_was_restored_cleaned_up_or_made_anew(places, other):
    import shutil

    source = places.source("lance", rows(0, 2))
    source.append(rows(2, 4))
    places.copy(source, other)
    source.restore(1)
    with pytest.raises(UnsupportedError, match="version 3 of the source, an operation 'Restore'"):
        places.copy(source, other)
    places.copy(source, other, mode="replace")
    source.append(rows(5, 6))
    source.append(rows(6, 7))
    source.maintenance.cleanup(older_than=timedelta(0))
    with pytest.raises(UnsupportedError, match="is gone"):
        places.copy(source, other)
    places.copy(source, other, mode="replace")
    old = fb.open_table(source.location, version=source.version)
    source.append(rows(7, 8))
    places.copy(source, other)
    with pytest.raises(UnsupportedError, match="open at"):
        places.copy(old, other)
    shutil.rmtree(source.location)
    again = places.source("lance", rows(0, 1))
    for start in range(1, 12):
        again.append(rows(start, start + 1))
    with pytest.raises(UnsupportedError, match="is of another table"):
        places.copy(again, other)


@pytest.mark.parametrize("stable", [True, False])
def test_compactions_of_a_lance_source(places, stable):
    source = fb.lance.create_table(str(places.folder / "source.lance"), rows(0, 2), stable_row_ids=stable)
    source.append(rows(2, 4))
    places.copy(source, "iceberg")
    # Only rows that were copied.
    source.maintenance.compact()
    assert outcome(places.copy(source, "iceberg")) == ("appended", 0)
    # Only new rows.
    lance.write_dataset(rows(4, 6), source.location, mode="append")
    source.refresh().append(rows(6, 7))
    assert outcome(places.copy(source, "iceberg")) == ("appended", 3)
    # New rows beside those that were copied.
    source.append(rows(7, 9))
    source.maintenance.compact()
    if stable:
        assert outcome(places.copy(source, "iceberg")) == ("appended", 2)
        assert ids(places.target("iceberg")) == list(range(9))
    else:
        with pytest.raises(UnsupportedError, match="a compaction of the source"):
            places.copy(source, "iceberg")
        assert ids(places.target("iceberg")) == list(range(7))


def test_branches_of_a_lance_source_are_sources_of_their_own(places):
    source = places.source("lance", rows(0, 2))
    source.create_branch("dev")
    branch = fb.open_table(source.location, branch="dev")
    branch.append(rows(2, 3))
    places.copy(source, "iceberg")
    with pytest.raises(InvalidInputError, match="was not copied to it before"):
        places.copy(branch, "iceberg")


@pytest.mark.parametrize("other", KINDS)
def test_columns_that_were_added_come_and_others_are_told(places, other):
    source = places.source("iceberg", rows(0, 2))
    places.copy(source, other)
    with source.update_schema() as update:
        update.add_column("more", "int")
    source.append(pa.table({"id": [2], "name": ["x"], "more": pa.array([7], pa.int32())}))
    assert outcome(places.copy(source, other)) == ("appended", 1)
    found = places.target(other).scan().to_arrow().sort_by("id").to_pylist()
    assert [row["more"] for row in found] == [None, None, 7]
    with source.update_schema() as update:
        update.rename_column("name", "title")
    source.append(pa.table({"id": [3], "title": ["x"]}))
    with pytest.raises(UnsupportedError, match="column 'name' of the source was renamed to 'title'"):
        places.copy(source, other)
    assert outcome(places.copy(source, other, mode="replace")) == ("replaced", 4)
    assert {row["id"]: row["title"] for row in places.target(other).scan().to_arrow().to_pylist()}[3] == "x"
    with source.update_schema() as update:
        update.delete_column("more")
    source.append(pa.table({"id": [4], "title": ["x"]}))
    with pytest.raises(UnsupportedError, match="column 'more' of the source was dropped"):
        places.copy(source, other)
    places.copy(source, other, mode="replace")
    with source.update_schema() as update:
        update.add_column("count", "int")
    source.append(pa.table({"id": [5], "title": ["x"], "count": pa.array([1], pa.int32())}))
    places.copy(source, other)
    with source.update_schema() as update:
        update.update_column("count", "long")
    source.append(pa.table({"id": [6], "title": ["x"], "count": [1 << 40]}))
    with pytest.raises(UnsupportedError, match="column 'count' of the source was changed from int to long"):
        places.copy(source, other)


def test_a_column_with_a_default_is_not_taken_for_null(places):
    source = places.catalog.create_table("db.source", rows(0, 0).schema, format_version=3)
    source.append(rows(0, 2))
    places.copy(source, "lance")
    with source.update_schema() as update:
        update.add_column("more", "int", default_value=5)
    with pytest.raises(UnsupportedError, match="'more' of the source was added, with a value"):
        places.copy(source, "lance")
    source.append(pa.table({"id": [2]}))
    with pytest.raises(UnsupportedError, match="'more' of the source was added, with a value"):
        places.copy(source, "lance")
    places.copy(source, "lance", mode="replace")
    assert places.target("lance").scan().to_arrow()["more"].to_pylist() == [5, 5, 5]


@pytest.mark.parametrize("other", KINDS)
def test_some_columns_are_copied(places, other):
    source = places.source(
        "lance", pa.table({"id": [1], "name": ["x"], "took": pa.array([1], pa.duration("s"))})
    )
    if other == "iceberg":
        with pytest.raises(UnsupportedError, match=r"column 'took' .* duration\[s\]"):
            places.copy(source, other)
        with pytest.raises(NoSuchTableError):
            places.target(other)
    assert outcome(places.copy(source, other, columns=["id", "name"])) == ("created", 1)
    source.append(pa.table({"id": [2], "name": ["y"]}))
    with pytest.raises(UnsupportedError, match="other columns were copied"):
        places.copy(source, other, columns=["id"])
    assert outcome(places.copy(source, other, columns=["id", "name"])) == ("appended", 1)
    assert places.target(other).scan().to_arrow().column_names == ["id", "name"]


def test_what_cannot_be_is_refused(places):
    source = places.source("lance", rows(0, 1))
    with pytest.raises(InvalidInputError, match="the same table"):
        fb.copy(source, source.location)
    with pytest.raises(InvalidInputError, match="mode: expected"):
        places.copy(source, "lance", mode="overwrite")
    with pytest.raises(NoSuchTableError):
        fb.copy(str(places.folder / "nowhere"), str(places.folder / "target.lance"))
    copied = places.copy(source, "lance").table
    with pytest.raises(UnsupportedError, match="fixed version"):
        fb.copy(source, fb.open_table(copied.location, version=1))
    name = next(key for key in copied.config if key.startswith("floeberg.copy."))
    copied.update_config({name: "{"})
    with pytest.raises(InvalidDataError, match="is damaged"):
        places.copy(source, "lance")


def test_columns_are_found_by_name_also_where_ids_differ(places):
    nested = pa.schema(
        {"id": pa.int64(), "name": pa.string(), "st": pa.struct({"a": pa.int64(), "b": pa.int64()})}
    )
    source = places.catalog.create_table("db.source", nested)
    row = {"id": 1, "name": "2", "st": {"a": 3, "b": 4}}
    source.append([row])
    turned = pa.schema(
        {"st": pa.struct({"b": pa.int64(), "a": pa.int64()}), "name": pa.string(), "id": pa.int64()}
    )
    target = places.catalog.create_table("db.target", turned)
    places.copy(source, "iceberg", mode="append")
    assert target.refresh().scan().to_arrow().to_pylist() == [row]
    places.copy(source, "iceberg", mode="replace")
    assert target.refresh().scan().to_arrow().to_pylist() == [row]


def test_nulls_do_not_get_into_required_columns(places):
    source = places.source("lance", pa.table({"id": pa.array([1, None], pa.int64()), "name": ["a", "b"]}))
    required = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())])
    target = places.catalog.create_table("db.target", required)
    with pytest.raises(InvalidInputError, match="id"):
        places.copy(source, "iceberg", mode="append")
    assert target.refresh().current_snapshot() is None
    fb.lance.create_table(str(places.folder / "target.lance"), required)
    with pytest.raises(InvalidInputError, match="required"):
        places.copy(source, "lance", mode="append")
    assert places.target("lance").scan().count() == 0


def test_others_read_what_was_copied(places):
    import duckdb

    from_lance = places.source("lance", rows(0, 50))
    copied = places.copy(from_lance, "iceberg").table
    files = [task.file.file_path for task in copied.scan().plan_files()]
    assert sorted(duckdb.sql(f"SELECT id, name FROM read_parquet({files!r})").fetchall()) == [
        (key, f"n{key}") for key in sorted(range(50))
    ]
    again = fb.copy(copied, str(places.folder / "back.lance")).table
    dataset = lance.dataset(again.location)
    dataset.validate()
    assert dataset.to_table().sort_by("id") == from_lance.scan().to_arrow().sort_by("id")


@pytest.mark.parametrize("to", ["iceberg", "lance"])
def test_progress_tells_the_rows_that_were_read(places, to, capsys):
    source = places.source("iceberg", rows(0, 50))
    reports = []
    places.copy(source, to, progress=reports.append)
    assert reports[-1].rows == 50
    assert {each.step for each in reports} == {"writing"}
    places.copy(source, to, mode="replace", progress=True)
    assert "50 rows" in capsys.readouterr().err


def test_what_a_progress_function_raises_ends_the_copy(places):
    class EnoughError(Exception):
        pass

    def stop(_report):
        raise EnoughError

    source = places.source("iceberg", rows(0, 50))
    target = places.copy(source, "iceberg").table
    with pytest.raises(EnoughError):
        places.copy(source, "iceberg", mode="replace", progress=stop)
    assert target.refresh().scan().count() == 50
    with pytest.raises(InvalidInputError, match="progress"):
        places.copy(source, "iceberg", progress=7)
