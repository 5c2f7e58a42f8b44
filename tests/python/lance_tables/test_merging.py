"""Merges, upserts and feeds of changes: as on Iceberg tables, and as pylance reads them."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError

from .kit import by_key, check_same, made, rows

both_kinds = pytest.mark.parametrize("stable", [True, False], ids=["stable ids", "addresses"])
SOURCE = pa.table(
    {
        "id": [0, 1, 2, 3, 50, 51, None],
        "name": ["s0", None, "s2", "s3", "s50", "s51", "null"],
        "gone": [True, False, False, True, False, True, False],
    }
)
NAMED = SOURCE.select(["id", "name"])


def both(folder: Path, data: pa.Table, *, stable: bool = True) -> list[Any]:
    """The same rows as a Lance table, with some of them deleted and in several files, and as an Iceberg table."""
    catalog = fb.load_catalog(str(folder), type="memory")
    catalog.create_namespace("db")
    iceberg = catalog.create_table("db.rows", data.schema, format_version=3 if stable else 2)
    half = data.num_rows // 2
    ours = made(folder, data.slice(0, half), stable_row_ids=stable)
    ours.append(pa.concat_tables([data.slice(half), data.slice(0, 1)]))
    ours.delete("_rowaddr >= 4294967296 AND id = 0")
    iceberg.append(data)
    return [ours, iceberg]


def ordered(table: Any) -> list[dict[str, Any]]:
    found = table.scan().to_arrow().to_pylist()
    return sorted(found, key=lambda row: repr(sorted(row.items(), key=lambda item: item[0])))


def ids_of(table: fb.LanceTable) -> dict[int, int | None]:
    """The keys by row ids, which are unique."""
    found = table.scan().select("id", "_rowid").to_arrow()
    by_id = dict(zip(found["_rowid"].to_pylist(), found["id"].to_pylist(), strict=True))
    assert len(by_id) == found.num_rows
    return by_id


MERGES = {
    "update all and insert all": lambda table, **options: (
        table.merge(NAMED, on="id", **options).when_matched_update_all().when_not_matched_insert_all()
    ),
    "in order": lambda table, **options: (
        table.merge(SOURCE, on=["id"], **options)
        .when_matched_delete("source.gone")
        .when_matched_update({"name": fb.col("source.name")}, "target.id < 2")
        .when_matched_update({"v": fb.sql_expr("target.v + 1000"), "name": "else"})
        .when_not_matched_insert({"id": fb.col("source.id"), "v": 7.0}, pc.field("gone"))
    ),
    "by source": lambda table, **options: (
        table.merge(SOURCE, on="id", **options)
        .when_not_matched_by_source_delete("target.id > 15")
        .when_not_matched_by_source_update(
            {"name": "lonely"}, lambda batch: pc.greater(batch["target.id"], 8)
        )
        .when_matched_delete("source.gone")
        .when_not_matched_insert({"id": fb.col("source.id"), "name": fb.sql_expr("upper(source.name)")})
    ),
    "by a predicate": lambda table, **options: (
        table.merge(
            SOURCE, predicate="target.id = source.id AND target.v >= 1 AND source.name <> 's3'", **options
        )
        .when_matched_update({"name": fb.col("source.name")})
        .when_not_matched_insert({"id": fb.col("source.id"), "name": "new"}, "source.id IS NOT NULL")
    ),
    "case": lambda table, **options: (
        table.merge(NAMED.rename_columns(["ID", "NAME"]), on="Id", case_sensitive=False, **options)
        .when_matched_update_all()
        .when_not_matched_insert_all("source.ID = 51")
    ),
}


@both_kinds
@pytest.mark.parametrize("name", MERGES)
def test_a_merge_is_as_on_an_iceberg_table(tmp_path: Path, name: str, *, stable: bool) -> None:
    tables = both(tmp_path, rows(0, 20), stable=stable)
    before = ids_of(tables[0])
    done = [MERGES[name](table).execute() for table in tables]
    counts = [(each.updated_rows, each.inserted_rows, each.deleted_rows) for each in done]
    assert counts[0] == counts[1]
    assert ordered(tables[0]) == ordered(tables[1])
    assert done[0].keeps_row_ids == (stable and done[0].updated_rows > 0)
    after = ids_of(tables[0])
    if stable:
        kept = before.keys() & after.keys()
        assert len(kept) == len(before) - (done[0].deleted_rows - done[0].updated_rows)
        assert all(before[row_id] == after[row_id] for row_id in kept)
    check_same(tables[0])


@pytest.mark.parametrize("name", MERGES)
def test_a_dry_run_counts_and_does_nothing(tmp_path: Path, name: str) -> None:
    table = both(tmp_path, rows(0, 20))[0]
    version, files = table.version, sorted(Path(table.location).rglob("*.*"))
    dry = MERGES[name](table, dry_run=True).execute()
    assert (dry.dry_run, dry.version, table.version) == (True, None, version)
    assert sorted(Path(table.location).rglob("*.*")) == files
    done = MERGES[name](table).execute()
    assert not done.dry_run
    assert (dry.updated_rows, dry.inserted_rows) == (done.updated_rows, done.inserted_rows)
    assert dry.deleted_rows == done.deleted_rows > 0


@both_kinds
def test_more_than_one_row_of_the_source_for_a_row_is_an_error_with_keys(
    tmp_path: Path, *, stable: bool
) -> None:
    table = both(tmp_path, rows(0, 20), stable=stable)[0]
    files = sorted(Path(table.location).rglob("*.*"))
    twice = pa.table({"id": [3, 4, 3, 3], "name": ["a", "b", "c", "d"]})
    for update, predicate in (("when_matched_update_all", None), ("when_matched_delete", "target.id > 0")):
        with pytest.raises(InvalidInputError, match=r"matches a row of the table: id = 3\."):
            getattr(table.merge(twice, on="id"), update)(predicate).execute()
    with pytest.raises(InvalidInputError, match="two rows of the source have one key: id = 3"):
        table.upsert(twice, ["id"])
    assert table.version == 3
    assert sorted(Path(table.location).rglob("*.*")) == files
    # A stricter predicate leaves one, and rows without a match may have one key.
    merge = table.merge(
        twice, predicate="target.id = source.id AND source.name = 'c'"
    ).when_matched_update_all()
    assert merge.execute().updated_rows == 1
    added = table.merge(pa.table({"id": [70, 70]}), on="id").when_not_matched_insert_all().execute()
    assert added.inserted_rows == 2
    check_same(table)


KEYS: dict[str, pa.Array] = {
    "int8": pa.array([-128, 127, 5], pa.int8()),
    "uint16": pa.array([0, 65535, 5], pa.uint16()),
    "uint32": pa.array([0, 2**32 - 1, 5], pa.uint32()),
    "uint64": pa.array([0, 2**64 - 1, 2**63], pa.uint64()),
    "float": pa.array([-0.0, float("nan"), 1.5], pa.float32()),
    "half": pa.array([-0.0, float("nan"), 1.5], pa.float16()),
    "bool": pa.array([True, False, None], pa.bool_()),
    "text": pa.array(["", "a", "ä"], pa.string()),
    "large text": pa.array(["", "a", "ä"], pa.large_string()),
    "bytes": pa.array([b"", b"\x00", b"\xff"], pa.binary()),
    "large bytes": pa.array([b"", b"\x00", b"\xff"], pa.large_binary()),
    "fixed": pa.array([b"ab", b"\x00\x00", b"\xff\xff"], pa.binary(2)),
    "decimal": pa.array([Decimal("1.50"), Decimal("-0.01"), Decimal(0)], pa.decimal128(9, 2)),
    "wide decimal": pa.array([Decimal("1.50"), Decimal("-0.01"), Decimal(0)], pa.decimal256(60, 2)),
    "date": pa.array([dt.date(1969, 12, 31), dt.date(2026, 1, 1), dt.date(1970, 1, 1)], pa.date32()),
    "date64": pa.array([dt.date(1969, 12, 31), dt.date(2026, 1, 1), dt.date(1970, 1, 1)], pa.date64()),
    "seconds": pa.array([1, 2, -3], pa.timestamp("s")),
    "milliseconds": pa.array([1, 2, -3], pa.timestamp("ms", "UTC")),
    "nanoseconds": pa.array([1, 2, -3], pa.timestamp("ns")),
    "time": pa.array([1, 2, 3], pa.time32("s")),
    "fine time": pa.array([1, 2, 3], pa.time64("ns")),
    "duration": pa.array([1, 2, -3], pa.duration("us")),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_all_types_are_found(tmp_path: Path, name: str) -> None:
    keys = KEYS[name]
    table = made(tmp_path, pa.table({"k": keys.slice(0, 2), "n": [1, 2]}))
    if name == "float":
        keys = pa.array([0.0, float("nan"), 1.5], pa.float32())
    done = table.upsert(pa.table({"k": keys, "n": [10, 20, 30]}), ["k"], null_keys="equal")
    assert (done.updated_rows, done.inserted_rows) == (2, 1)
    merge = table.merge(pa.table({"k": keys, "n": [11, 21, 31]}), on="k").when_matched_update_all()
    assert merge.execute().updated_rows == 3 - keys.null_count
    assert table.scan().count() == 3
    expected = [11, 21, 31 if not keys.null_count else 30]
    assert sorted(table.scan().to_arrow()["n"].to_pylist()) == sorted(expected)
    lance.dataset(table.location).validate()


def test_nulls_in_keys(tmp_path: Path) -> None:
    table = made(tmp_path, pa.table({"a": [1, None], "b": ["x", "y"], "n": [1, 2]}))
    source = pa.table({"a": pa.array([None, 1], pa.int64()), "b": ["y", None], "n": [5, 6]})
    with pytest.raises(InvalidInputError, match="a key of the source is null") as raised:
        table.upsert(source, ["a", "b"])
    assert raised.value.context["column"] == "a"
    done = table.upsert(source, ["a", "b"], null_keys="equal")
    assert (done.updated_rows, done.inserted_rows) == (1, 1)
    # In a merge, null equals nothing.
    merge = table.merge(source, on=["a", "b"]).when_matched_delete().when_not_matched_insert_all()
    assert merge.execute().inserted_rows == 2
    with pytest.raises(InvalidInputError, match="null_keys: expected 'error' or 'equal'"):
        table.upsert(source, ["a"], null_keys="unequal")  # type: ignore[arg-type]
    check_same(table)


def test_nested_keys_are_refused(tmp_path: Path) -> None:
    table = made(tmp_path, pa.table({"k": [[1]], "s": [{"x": 1}], "n": [1]}))
    with pytest.raises(UnsupportedError, match="cannot be a key"):
        table.merge(table, on="k").when_matched_delete().execute()
    with pytest.raises(InvalidInputError, match="not by fields of structs"):
        table.merge(table, on="s.x").when_matched_delete().execute()


def test_rows_that_would_not_change_are_not_written(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 20))
    done = table.upsert(rows(5, 10), ["id"])
    assert (done.version, done.updated_rows, done.inserted_rows, table.version) == (None, 0, 0, 1)
    changed = rows(0, 3).set_column(1, "name", pa.array(["n0", "other", "n2"]))
    assert table.upsert(changed, ["id"]).updated_rows == 1
    assert (table.version, table.scan("name = 'other'").to_arrow()["id"].to_pylist()) == (2, [1])


def test_rows_of_columns_spread_over_files_and_deleted_ones(tmp_path: Path) -> None:
    nested = pa.table({"id": range(30), "s": [{"x": each, "l": [each]} for each in range(30)]})
    table = made(tmp_path, nested)
    table.add_columns({"twice": fb.sql_expr("id * 2")})
    table.add_columns(pa.field("empty", pa.string()))
    table.drop_columns("empty")
    table.delete("id >= 10 AND id < 20")
    source = pa.table({"id": [5, 15, 25], "twice": [-5, -15, -25]})
    merge = table.merge(source, on="id").when_matched_update_all().when_not_matched_insert_all()
    assert (done := merge.execute()).updated_rows == 2
    assert done.inserted_rows == 1
    found = {row["id"]: row for row in by_key(table)}
    assert found[5] == {"id": 5, "s": {"x": 5, "l": [5]}, "twice": -5}
    assert found[15] == {"id": 15, "s": None, "twice": -15}
    assert len(found) == 21
    check_same(table)


def test_a_source_that_reads_the_table(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10))
    merge = table.merge(table.scan("id < 5"), on="id").when_matched_update({"v": fb.sql_expr("source.v + 1")})
    assert merge.execute().updated_rows == 5
    assert [row["v"] for row in by_key(table)][:3] == [1.0, 1.5, 2.0]
    # A reader is read once, also where the operation is made anew.
    reader = rows(0, 2).to_reader()
    assert table.merge(reader, on="id").when_matched_delete().execute().deleted_rows == 2


class Once:
    """A function of new values that lets another writer commit when it is asked first."""

    def __init__(self, commit: Any) -> None:
        self.commit = commit
        self.asked = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        self.asked += 1
        if self.asked == 1:
            self.commit()
        return pa.repeat("ours", batch.num_rows)


@both_kinds
@pytest.mark.parametrize("by", ["pylance", "pylance's merge", "us", "an update of a key"])
def test_a_key_that_another_writer_inserts_meanwhile_is_not_inserted_twice(
    tmp_path: Path, by: str, *, stable: bool
) -> None:
    table = made(tmp_path, rows(0, 10), stable_row_ids=stable)
    theirs = pa.table({"id": [77], "name": ["theirs"], "v": [0.0]})

    def commit() -> None:
        if by == "pylance":
            lance.write_dataset(theirs, table.location, mode="append")
        elif by == "us":
            fb.open_table(table.location).append(theirs)
        elif by == "an update of a key":
            fb.open_table(table.location).update({"id": 77, "name": "theirs"}, "id = 9")
        else:
            dataset = lance.dataset(table.location)
            dataset.merge_insert("id").when_not_matched_insert_all().execute(theirs)

    once = Once(commit)
    source = pa.table({"id": [1, 77]})
    merge = table.merge(source, on="id").when_matched_update({"name": once})
    done = merge.when_not_matched_insert({"id": fb.col("source.id"), "name": "inserted"}).execute()
    assert once.asked > 1
    assert (done.updated_rows, done.inserted_rows) == (2, 0)
    assert table.scan("id = 77").to_arrow()["name"].to_pylist() == ["ours"]
    check_same(table)


@both_kinds
def test_rows_with_other_keys_that_are_added_meanwhile_are_no_conflict(
    tmp_path: Path, *, stable: bool
) -> None:
    table = made(tmp_path, rows(0, 10), stable_row_ids=stable)

    def commit() -> None:
        other = fb.open_table(table.location)
        other.append(rows(100, 105))
        other.update({"name": "theirs"}, "id = 100")
        other.update({"name": "theirs"}, "id = 9")
        lance.write_dataset(rows(105, 110), table.location, mode="append")

    once = Once(commit)
    merge = table.merge(pa.table({"id": [1, 77]}), on="id", on_conflict="raise")
    merge.when_matched_update({"name": once})
    done = merge.when_not_matched_insert({"id": fb.col("source.id")}).execute()
    assert (once.asked, done.inserted_rows, table.scan().count()) == (1, 1, 21)
    check_same(table)


def test_a_conflict_is_raised_where_it_is_asked_for(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 10))
    files = set(Path(table.location, "data").iterdir())
    theirs = pa.table({"id": [77], "name": ["theirs"], "v": [0.0]})
    once = Once(lambda: lance.write_dataset(theirs, table.location, mode="append"))
    merge = table.merge(pa.table({"id": [1, 77]}), on="id", on_conflict="raise")
    merge.when_matched_update({"name": once}).when_not_matched_insert_all()
    with pytest.raises(CommitConflictError, match="may have the keys of inserted ones"):
        merge.execute()
    assert len(set(Path(table.location, "data").iterdir()) - files) == 1
    with pytest.raises(InvalidInputError, match="on_conflict: expected 'retry' or 'raise'"):
        table.delete("id = 1", on_conflict="error")  # type: ignore[arg-type]


FEED = pa.table(
    {
        "id": [1, 1, 2, 50, 51, 51, 3, 3, 60],
        "name": ["a", "b", None, "new", "came", None, "x", "y", "z"],
        "op": [
            "update",
            "UPDATE",
            "delete",
            "insert",
            "insert",
            "delete",
            "update_before",
            "update_after",
            "delete",
        ],
        "at": [5, 6, 1, 2, 3, 4, 7, 7, 9],
    }
)


@both_kinds
def test_a_feed_is_applied_as_on_an_iceberg_table(tmp_path: Path, *, stable: bool) -> None:
    tables = both(tmp_path, rows(0, 20), stable=stable)
    for _ in range(2):
        done = [table.apply_changes(FEED, keys=["id"], operation="op", order_by=["at"]) for table in tables]
        counts = [(each.updated_rows, each.inserted_rows, each.deleted_rows) for each in done]
        assert counts[0] == counts[1]
        assert ordered(tables[0]) == ordered(tables[1])
    check_same(tables[0])


def test_ties_and_nulls_of_a_feed_are_errors(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 5))
    tied = pa.table({"id": [1, 1], "op": ["update", "delete"], "at": [1, 1]})
    with pytest.raises(InvalidInputError, match=r"two changes of a key have the same 'at'.*id = 1"):
        table.apply_changes(tied, keys=["id"], operation="op", order_by="at")
    null = pa.table({"id": pa.array([None], pa.int64()), "op": ["update"], "at": [1]})
    with pytest.raises(InvalidInputError, match="a key of the source is null"):
        table.apply_changes(null, keys=["id"], operation="op", order_by="at")
    done = table.apply_changes(null, keys=["id"], operation="op", order_by="at", null_keys="equal")
    assert done.inserted_rows == 1
    wrong = pa.table({"id": [1], "op": ["upsert"], "at": [1]})
    with pytest.raises(InvalidInputError, match="expected insert, update or delete"):
        table.apply_changes(wrong, keys=["id"], operation="op", order_by="at")
    assert table.version == 2


@both_kinds
@pytest.mark.parametrize("seed", range(6))
def test_random_changes_are_as_on_an_iceberg_table(tmp_path: Path, seed: int, *, stable: bool) -> None:
    random_ = random.Random(seed)
    tables = both(tmp_path, rows(0, 40), stable=stable)
    for _ in range(6):
        keys = random_.sample(range(60), random_.randrange(1, 25))
        source = pa.table({"id": keys, "name": [f"s{random_.randrange(5)}" for _ in keys]})
        low = random_.randrange(60)

        def merge(table: Any, source: pa.Table = source, low: int = low) -> Any:
            builder = table.merge(source, on="id").when_matched_delete(f"target.id < {low % 10}")
            builder.when_matched_update_all(f"source.id > {low}")
            builder.when_not_matched_by_source_update({"v": fb.sql_expr("v * 2")}, f"target.id > {low + 20}")
            return builder.when_not_matched_insert_all(f"source.id <> {low}").execute()

        feed = source.append_column("op", pa.array([random_.choice(["update", "delete"]) for _ in keys]))
        feed = feed.append_column("at", pa.array(range(len(keys))))

        def apply(table: Any, feed: pa.Table = feed) -> Any:
            return table.apply_changes(feed, keys=["id"], operation="op", order_by="at")

        def upsert(table: Any, source: pa.Table = source) -> Any:
            result = table.upsert(source, ["id"])
            return getattr(result, "commit", result)

        step = random_.choice([merge, apply, upsert])
        done = [step(table) for table in tables]
        counts = [(each.updated_rows, each.inserted_rows, each.deleted_rows) for each in done]
        assert counts[0] == counts[1]
        assert ordered(tables[0]) == ordered(tables[1])
    check_same(tables[0])


def test_a_repeated_key_is_done_once_whatever_would_be_an_error_now(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 5))
    first = table.add_columns({"twice": fb.sql_expr("id * 2")}, idempotency_key="a")
    again = table.add_columns({"twice": fb.sql_expr("id * 2")}, idempotency_key="a")
    assert (again.already_committed, again.version, again.operation) == (True, first.version, "Merge")
    table.drop_columns("twice", idempotency_key="d")
    assert table.drop_columns("twice", idempotency_key="d").already_committed
    source = pa.table({"id": [1, 9], "name": ["x", "y"]})
    for expected in (False, True):
        merge = table.merge(source, on="id", idempotency_key="m").when_matched_update_all()
        assert merge.when_not_matched_insert_all().execute().already_committed == expected
    with pytest.raises(
        InvalidInputError, match="belongs to an earlier operation, Update, and is used for Append now"
    ):
        table.append(rows(7, 8), idempotency_key="m")
    assert table.scan().count() == 6
    check_same(table)


@both_kinds
def test_a_row_that_goes_may_be_matched_twice(tmp_path, stable):
    twice = pa.table({"id": [3, 3, 99]})
    for table in both(tmp_path, rows(0, 10), stable=stable):
        with pytest.raises(InvalidInputError, match="more than one row of the source matches"):
            table.merge(twice, on="id").when_matched_delete("target.v > 0").execute()
        done = table.merge(twice, on="id").when_matched_delete().execute()
        assert done.deleted_rows == 1
        assert [row["id"] for row in ordered(table)] == [0, 1, 2, 4, 5, 6, 7, 8, 9]
        done = table.merge(twice, on="id").when_not_matched_by_source_delete("target.id = 0").execute()
        assert done.deleted_rows == 1
