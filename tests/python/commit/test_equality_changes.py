"""A feed of changes is applied by equality deletes: the table is the same as after a look-up, and no row is read."""

from __future__ import annotations

import multiprocessing
import random
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from conformance_checker import check
from floeberg.errors import CommitConflictError, InvalidInputError

KEY = pa.struct({"a": pa.int32(), "b": pa.string()})
SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string(), "x": pa.float64(), "s": KEY})


def catalog_in(folder: Path) -> fb.Catalog:
    folder.mkdir(parents=True, exist_ok=True)
    properties = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}
    catalog = fb.load_catalog("c", type="sql", **properties)
    catalog.create_namespace_if_not_exists("ns")
    return catalog


def made(folder: Path, name: str = "t", version: int = 2, spec: tuple[str, ...] = ()) -> fb.Table:
    return catalog_in(folder).create_table(
        f"ns.{name}", SCHEMA, format_version=version, partition_spec=list(spec)
    )


def feed(changes: list[tuple[str, int, str | None, float | None, int]]) -> pa.Table:
    words, ids, parts, xs, places = zip(*changes, strict=True)
    return pa.table(
        {
            "op": words,
            "id": pa.array(ids, pa.int64()),
            "part": pa.array(parts, pa.string()),
            "x": pa.array(xs, pa.float64()),
            "s": pa.array([None if each % 2 else {"a": each, "b": "b"} for each in places], KEY),
            "at": places,
        }
    )


def content(table: fb.Table) -> list[str]:
    return sorted(map(repr, table.refresh().scan().to_arrow().to_pylist()))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("spec", "keys"), [((), ["id"]), (("identity(part)",), ["id", "part"]), (("bucket(4, id)",), ["id"])]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_feed_leaves_the_same_rows_by_equality_deletes_as_by_a_look_up(tmp_path, version, spec, keys, seed):
    rng, place = random.Random(seed), 0
    looked_up = made(tmp_path, "looked_up", version, spec)
    by_keys = made(tmp_path, "by_keys", version, spec)
    arguments = {"keys": keys, "operation": "op", "order_by": "at", "null_keys": "equal"}
    for number in range(8):
        changes = []
        for _ in range(rng.randint(1, 12)):
            place += 1
            part = rng.choice(["a", "b", None])
            value = rng.choice([None, float("nan"), -0.0, 1.5])
            changes.append((rng.choice(["insert", "update", "delete"]), rng.randrange(9), part, value, place))
        if number == 5 and spec == ("identity(part)",):
            for table in (looked_up, by_keys):
                with table.refresh().update_spec() as update:
                    update.add_field("id", "bucket[2]", "id_bucket")
        looked_up.apply_changes(feed(changes), **arguments, mode="merge-on-read")
        before = by_keys.current_snapshot()
        done = by_keys.apply_changes(feed(changes), **arguments, mode="equality")
        assert content(by_keys) == content(looked_up)
        files = [
            each for each in by_keys.inspect.entries().to_pylist() if each["snapshot_id"] == done.snapshot_id
        ]
        assert all(each["status"] == 1 for each in files), "nothing was removed"
        assert {each["data_file"]["content"] for each in files} <= {0, 2}
        assert before is None or done.snapshot_id != before.snapshot_id
    for table in (looked_up, by_keys):
        assert (
            check(
                table.metadata_location, lambda path: Path(path.removeprefix("file://")).read_bytes()
            ).faults
            == []
        )


def test_no_data_file_is_read(tmp_path):
    table = made(tmp_path)
    table.append(feed([("insert", 1, "a", 1.0, 1), ("insert", 2, "a", 1.0, 3)]).drop_columns(["op", "at"]))
    files = parquet_files(tmp_path)
    for path in files:
        path.rename(path.with_suffix(".away"))
    changes = feed([("update", 1, "b", 2.0, 5), ("delete", 2, None, None, 6), ("delete", 3, None, None, 7)])
    done = table.apply_changes(changes, keys=["id"], operation="op", order_by="at", mode="equality")
    assert (done.operation, done.added_rows) == ("overwrite", 1)
    for path in files:
        path.with_suffix(".away").rename(path)
    assert [row["part"] for row in table.scan().to_arrow().to_pylist()] == ["b"]


@pytest.mark.parametrize("on_conflict", ["retry", "raise"])
def test_columns_that_others_add_meanwhile_are_a_conflict(tmp_path, on_conflict):
    table = made(tmp_path)
    table.append(feed([("insert", 1, "a", 1.0, 1), ("insert", 2, "a", 1.0, 3)]).drop_columns(["op", "at"]))
    arguments = {"keys": ["id"], "operation": "op", "order_by": "at", "mode": "equality"}
    transaction, deleting = table.transaction(), catalog_in(tmp_path).load_table("ns.t").transaction()
    transaction.apply_changes(feed([("update", 1, "b", 2.0, 5)]), **arguments, on_conflict=on_conflict)
    deleting.apply_changes(feed([("delete", 2, None, None, 5)]), **arguments, on_conflict=on_conflict)
    other = catalog_in(tmp_path).load_table("ns.t")
    with other.update_schema() as change:
        change.add_column("more", "int")
    other.update({"more": 7})
    before = content(other)
    # The row of the feed would lose what they wrote.
    with pytest.raises(CommitConflictError, match="added columns"):
        transaction.commit_transaction()
    assert content(other) == before
    deleting.commit_transaction()
    assert [row["more"] for row in other.refresh().scan().to_arrow().to_pylist()] == [7]


def test_a_dry_run_writes_nothing_and_counts_rows(tmp_path):
    table = made(tmp_path)
    changes = feed([("update", 1, "b", 2.0, 5), ("delete", 2, None, None, 6)])
    done = table.apply_changes(
        changes, keys=["id"], operation="op", order_by="at", mode="equality", dry_run=True
    )
    assert done.inserted_rows == 1
    assert not list((tmp_path / "warehouse").rglob("*.parquet"))
    assert table.refresh().current_snapshot() is None


def parquet_files(folder: Path) -> list[Path]:
    return list((folder / "warehouse").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("made_of", "keys", "drop", "message"),
    [
        ((1, ()), ["id"], (), "format version 1 has no delete files"),
        ((2, ("identity(part)",)), ["id"], (), 'depends on column "part"'),
        ((2, ()), ["x"], (), "floating-point"),
        ((2, ()), ["id"], ("x",), "need every column of the table: 'x'"),
        ((2, ()), ["s"], (), "expected a column of a primitive type"),
    ],
)
def test_what_equality_deletes_cannot_do_is_an_error_and_leaves_no_file(
    tmp_path, made_of, keys, drop, message
):
    table = made(tmp_path, "t", *made_of)
    changes = feed([("update", 1, "b", 2.0, 6)]).drop_columns(list(drop))
    with pytest.raises(InvalidInputError, match=message):
        table.apply_changes(changes, keys=keys, operation="op", order_by="at", mode="equality")
    assert parquet_files(tmp_path) == []
    assert table.refresh().current_snapshot() is None


def test_a_null_key_is_an_error_unless_null_equals_null(tmp_path):
    table = made(tmp_path)
    arguments = {"keys": ["part"], "operation": "op", "order_by": "at", "mode": "equality"}
    changes = feed([("insert", 1, None, 1.0, 1)])
    with pytest.raises(InvalidInputError, match="null"):
        table.apply_changes(changes, **arguments)
    assert parquet_files(tmp_path) == []
    for _ in range(2):
        table.apply_changes(changes, **arguments, null_keys="equal")
    assert table.scan().count() == 1


@pytest.mark.parametrize("mode", ["equality", None])
def test_a_struct_that_lacks_a_field_is_an_error(tmp_path, mode):
    table = made(tmp_path)
    table.append(feed([("insert", 1, "a", 1.0, 2)]).drop_columns(["op", "at"]))
    short = pa.array([{"a": 9}], pa.struct({"a": pa.int32()}))
    changes = feed([("update", 1, "a", 1.0, 3)])
    changes = changes.set_column(changes.schema.get_field_index("s"), "s", short)
    with pytest.raises(InvalidInputError, match=r"no field 's\.b'"):
        table.apply_changes(changes, keys=["id"], operation="op", order_by="at", mode=mode)
    assert table.scan().to_arrow()["s"].to_pylist() == [{"a": 2, "b": "b"}]


def test_the_changelog_of_a_table_can_be_applied_to_another(tmp_path):
    source, target = made(tmp_path, "source", 3), made(tmp_path, "target", 3)
    rng, place = random.Random(5), 0
    seen = None
    for _ in range(6):
        changes = []
        for _ in range(rng.randint(1, 8)):
            place += 1
            changes.append((rng.choice(["insert", "update", "delete"]), rng.randrange(6), "a", 1.0, place))
        source.apply_changes(feed(changes), keys=["id"], operation="op", order_by="at", mode="equality")
        if rng.random() < 0.6:
            log = source.changelog_scan(seen, identifier_columns=["id"]).to_arrow()
            seen = source.current_snapshot().snapshot_id
            target.apply_changes(
                log.drop_columns(["_commit_snapshot_id"]),
                keys=["id"],
                operation="_change_type",
                order_by="_change_ordinal",
                mode=rng.choice(["equality", "merge-on-read"]),
            )
            assert content(target) == content(source)


WRITERS, ROUNDS = 8, 4


def write(folder: str, writer: int) -> None:
    """Applies changes of keys of its own, and of one that all have."""
    table = catalog_in(Path(folder)).load_table("ns.t")
    for number in range(ROUNDS):
        at = writer * ROUNDS + number
        changes = feed(
            [
                ("update", 100 + writer, str(number), float(writer), at),
                ("update", 1, str(at), float(writer), at),
            ]
        )
        table.apply_changes(changes, keys=["id"], operation="op", order_by="at", mode="equality")


def test_writers_of_other_keys_and_of_the_same_key_lose_nothing(tmp_path):
    table = made(tmp_path, version=3)
    table.set_properties({"commit.retry.num-retries": "1000", "commit.retry.total-timeout-ms": "240000"})
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write, args=(str(tmp_path), writer)) for writer in range(WRITERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * WRITERS
    found = table.refresh().scan().to_arrow().sort_by("id").to_pylist()
    assert [row["id"] for row in found] == [1, *range(100, 100 + WRITERS)]
    assert [row["part"] for row in found[1:]] == [str(ROUNDS - 1)] * WRITERS
    assert len(table.snapshots()) == WRITERS * ROUNDS
    # The last commit has the shared key.
    log = (
        table.changelog_scan(table.snapshots()[-2].snapshot_id, identifier_columns=["id"])
        .to_arrow()
        .to_pylist()
    )
    assert found[0]["part"] in {row["part"] for row in log if row["id"] == 1}


def test_nothing_was_found_that_could_be_put_on_a_newer_state(tmp_path):
    changes = feed([("update", 1, "a", 2.0, 1)])
    table = made(tmp_path)
    table.append(feed([("insert", 1, "a", 1.0, 1)]).drop_columns(["op", "at"]))
    stale = catalog_in(tmp_path).load_table("ns.t")
    for writer in (table, stale):
        done = writer.apply_changes(changes, keys=["id"], operation="op", order_by="at", mode="equality")
        assert (done.rebased, done.repeated) == (0, 0)
    # And where a branch begins, rows are found on what it begins at.
    done = table.refresh().update({"x": 3.0}, "id = 1", branch="new")
    assert (done.rebased, done.updated_rows) == (0, 1)
    assert content(table) == content(stale)
