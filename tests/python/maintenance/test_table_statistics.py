"""Distinct values of columns are estimated: of the rows of one snapshot, in a file that the metadata names."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.types import NestedField, Schema
from maintenance.disk import EVER, named, on_disk, path_of, rows

TYPES: dict[str, tuple[str, list[Any]]] = {
    "flag": ("boolean", [True, False]),
    "small": ("int", [-1, 0, 2**31 - 1]),
    "large": ("long", [-1, 0, 2**40]),
    "real": ("float", [float("nan"), 0.0, -0.0, 1.5]),
    "double": ("double", [float("nan"), 0.0, -0.0, 1.5]),
    "price": ("decimal(38, 3)", [Decimal("-0.129"), Decimal(0), Decimal("9" * 35)]),
    "day": ("date", [dt.date(1960, 1, 1), dt.date(2020, 1, 1)]),
    "clock": ("time", [dt.time(1), dt.time(2)]),
    "at": ("timestamp", [dt.datetime(1960, 1, 1), dt.datetime(2020, 1, 1)]),  # noqa: DTZ001 - without a zone
    "at_utc": ("timestamptz", [dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc)]),
    "nanos": ("timestamp_ns", [1, 2, 3]),
    "nanos_utc": ("timestamptz_ns", [1, 2]),
    "text": ("string", ["", "a", "é𝄞"]),
    "key": ("uuid", [uuid.UUID(int=1).bytes, uuid.UUID(int=2).bytes]),
    "bits": ("fixed[3]", [b"abc", b"abd"]),
    "bytes": ("binary", [b"", b"\x00", b"\x00\x00"]),
    "nothing": ("int", []),
}


def ndv_in_file(table: fb.Table, snapshot_id: int) -> dict[str, int]:
    """The estimates that the footer of the file of a snapshot has, by column."""
    [file] = [each for each in table.statistics() if each.snapshot_id == snapshot_id]
    sequence = next(each.sequence_number for each in table.snapshots() if each.snapshot_id == snapshot_id)
    names = {field.field_id: field.name for field in table.schema().fields}
    found = {}
    for blob in table.statistics_blobs(file):
        assert (blob.type, blob.snapshot_id) == ("apache-datasketches-theta-v1", snapshot_id)
        assert blob.sequence_number == (sequence or 0)
        assert blob.compression_codec == "zstd"
        [field] = blob.fields
        found[names[field]] = int(blob.properties["ndv"])
        content = table.read_blob(file, blob)
        # The preamble, then the hashes, sorted.
        longs = content[0]
        hashes = [int.from_bytes(content[n : n + 8], "little") for n in range(8 * longs, len(content), 8)]
        assert hashes == sorted(hashes)
        assert len(hashes) == min(found[names[field]], 4096)
    assert file.file_size_in_bytes == Path(path_of(file.statistics_path)).stat().st_size
    return found


@pytest.mark.parametrize("version", [1, 2, 3])
def test_columns_of_every_type(catalog, version):
    types = {name: pair for name, pair in TYPES.items() if version > 2 or "_ns" not in pair[0]}
    fields = (NestedField(number, name, text) for number, (name, (text, _)) in enumerate(types.items(), 1))
    table = catalog.create_table("db.types", Schema(*fields), format_version=version)
    arrow = table.schema().as_arrow()
    columns = {
        name: pa.array([None, *values, *values, *[None] * (12 - 2 * len(values))], arrow.field(name).type)
        for name, (_, values) in types.items()
    }
    table.append(pa.table(columns, arrow))
    expected = {name: sum(value not in ("", b"") for value in values) for name, (_, values) in types.items()}
    done = table.maintenance.compute_table_stats()
    assert done.ndv == expected
    assert ndv_in_file(table, done.snapshot_id) == expected
    assert [done.statistics_file] == table.statistics()


def test_many_values_are_estimated_and_every_time_alike(catalog, monkeypatch):
    table = catalog.create_table("db.many", pa.schema([("id", pa.int64()), ("few", pa.string())]))
    for first in (0, 40_000, 60_000):
        ids = range(first, first + 60_000)
        table.append(
            pa.table({"id": ids, "few": [str(each % 4096) for each in ids]}, table.schema().as_arrow())
        )
    done = table.maintenance.compute_table_stats()
    assert done.ndv["few"] == 4096
    assert done.ndv["id"] == pytest.approx(120_000, rel=0.06)
    assert ndv_in_file(table, done.snapshot_id) == done.ndv
    before = [
        table.read_blob(table.statistics()[0], blob) for blob in table.statistics_blobs(table.statistics()[0])
    ]
    monkeypatch.setenv("FLOEBERG_THREADS", "1")
    table.maintenance.compute_table_stats()
    file = table.statistics()[0]
    assert file != done.statistics_file
    assert [table.read_blob(file, blob) for blob in table.statistics_blobs(file)] == before


@pytest.mark.parametrize("version", [1, 2, 3])
def test_deleted_rows_do_not_count(make, version):
    table = make(version)
    table.append(rows(*range(100)))
    table.append(rows(*range(100, 200), part="b"))
    table.delete("id < 10", mode="copy-on-write")
    expected = 190
    if version > 1:
        table.delete("id >= 150 and id < 170", mode="merge-on-read")
        feed = pa.table({"op": ["delete"] * 2, "id": [20, 120], "part": ["a", "b"], "at": [1, 2]})
        table.apply_changes(feed, keys=["id", "part"], operation="op", order_by="at", mode="equality")
        expected = 168
    assert table.maintenance.compute_table_stats().ndv == {"id": expected, "part": 2}
    table.delete("part = 'b'")
    assert table.maintenance.compute_table_stats().ndv["part"] == 1


def test_statistics_are_of_one_snapshot_in_its_columns(make):
    table = make()
    table.append(rows(1, 2, 3))
    first = table.current_snapshot().snapshot_id
    with table.update_schema() as update:
        update.rename_column("id", "number")
        update.add_column("more", "int")
    # The snapshot has the columns that the table had then.
    assert table.maintenance.compute_table_stats().ndv == {"id": 3, "part": 1}
    table.append(pa.table({"number": [4], "part": ["b"], "more": pa.array([7], pa.int32())}))
    second = table.current_snapshot().snapshot_id
    assert table.maintenance.compute_table_stats().ndv == {"number": 4, "part": 2, "more": 1}
    done = table.maintenance.compute_table_stats(snapshot_id=first, columns=["id"])
    assert (done.snapshot_id, done.ndv) == (first, {"id": 3})
    assert {each.snapshot_id for each in table.statistics()} == {first, second}
    with pytest.raises(errors.InvalidInputError, match="more"):
        table.maintenance.compute_table_stats(snapshot_id=first, columns=["more"])
    table.manage_snapshots().create_branch(second, "dev").commit()
    table.append(rows_of(table, 5, 6), branch="dev")
    branch = table.refs()["dev"].snapshot_id
    assert table.maintenance.compute_table_stats(snapshot_id=branch).ndv["number"] == 6
    assert table.maintenance.compute_table_stats().ndv["number"] == 4
    # A snapshot that expires takes its file along.
    done = table.maintenance.expire_snapshots(snapshot_ids=[first])
    assert done.deleted_statistics_files_count == 1
    assert {each.snapshot_id for each in table.statistics()} == {second, branch}


def rows_of(table: fb.Table, *ids: int) -> pa.Table:
    arrow = table.schema().as_arrow()
    return pa.table({"number": ids, "part": ["z"] * len(ids), "more": [None] * len(ids)}, arrow)


def test_columns_in_structs(catalog):
    kind = pa.struct(
        [("y", pa.int32()), ("deep", pa.struct([("z", pa.string())])), ("all", pa.list_(pa.int32()))]
    )
    table = catalog.create_table("db.nested", pa.schema([("id", pa.int64()), ("x", kind)]))
    values = [None, {"y": 1, "deep": None, "all": [1]}, {"y": 2, "deep": {"z": "a"}, "all": None}, {"y": 2}]
    table.append(pa.table({"id": range(4), "x": pa.array(values, kind)}, table.schema().as_arrow()))
    maintenance = table.maintenance
    assert maintenance.compute_table_stats().ndv == {"id": 4}
    done = maintenance.compute_table_stats(columns=["x.deep.z", "id", "x.y", "id"])
    assert done.ndv == {"x.deep.z": 1, "id": 4, "x.y": 2}
    assert [*done.ndv] == ["x.deep.z", "id", "x.y"]
    for wrong in ("x", "x.all", "x.all.element", "X.y", "nothing"):
        with pytest.raises(errors.InvalidInputError, match=wrong.partition(".")[0]):
            maintenance.compute_table_stats(columns=[wrong])
    assert len(table.statistics()) == 1


def test_no_snapshot_no_statistics(make):
    table = make()
    done = table.maintenance.compute_table_stats()
    assert (done.snapshot_id, done.statistics_file, done.ndv) == (None, None, {})
    assert table.maintenance.compute_table_stats(dry_run=True).dry_run
    assert on_disk(table.location()) == named(table)
    table.append(rows())
    table.append(rows(1))
    table.delete("id = 1")
    assert table.maintenance.compute_table_stats().ndv == {"id": 0, "part": 0}


def test_bad_input(make):
    table = make()
    table.append(rows(1))
    maintenance = table.maintenance
    with pytest.raises(errors.NotFoundError, match="5"):
        maintenance.compute_table_stats(snapshot_id=5)
    for wrong in ("5", 1.0, True):
        with pytest.raises(errors.InvalidInputError, match="snapshot_id"):
            maintenance.compute_table_stats(snapshot_id=wrong)
    for wrong in ("id", [1], b"id", 3):
        with pytest.raises(errors.InvalidInputError, match="columns"):
            maintenance.compute_table_stats(columns=wrong)
    with pytest.raises(errors.InvalidInputError, match="at least one column"):
        maintenance.compute_table_stats(columns=[])
    with pytest.raises(errors.InvalidInputError, match="dry_run"):
        maintenance.compute_table_stats(dry_run="no")
    fixed = fb.open_table(table.metadata_location).maintenance
    assert fixed.compute_table_stats(dry_run=True).ndv == {"id": 1, "part": 1}
    with pytest.raises(errors.UnsupportedError):
        fixed.compute_table_stats()
    assert on_disk(table.location()) == named(table)


def test_a_dry_run_writes_nothing(make):
    table = make()
    table.append(rows(1, 2))
    before, location = on_disk(table.location()), table.metadata_location
    done = table.maintenance.compute_table_stats(dry_run=True)
    assert (done.ndv, done.statistics_file, done.dry_run) == ({"id": 2, "part": 1}, None, True)
    assert (on_disk(table.location()), table.metadata_location) == (before, location)


COMPUTE = {
    "compute_table_stats": lambda table, **of: table.maintenance.compute_table_stats(**of),
    "compute_partition_stats": lambda table, **of: table.maintenance.compute_partition_stats(**of),
}


@pytest.mark.parametrize("compute", COMPUTE.values(), ids=COMPUTE)
def test_a_commit_that_fails_leaves_no_file(make, monkeypatch, compute):
    table = make()
    table.append(rows(1))
    before = on_disk(table.location())
    operations = type(table.maintenance._operations)

    def failing(*_: Any) -> Any:
        raise errors.StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(operations, "commit", failing)
        with pytest.raises(errors.StorageError, match="the disk is full"):
            compute(table)
    assert on_disk(table.location()) == before


@pytest.mark.parametrize("compute", COMPUTE.values(), ids=COMPUTE)
def test_a_commit_of_unknown_outcome_keeps_the_file(make, monkeypatch, compute):
    table = make(**{"commit.retry.num-retries": "0"})
    table.append(rows(1))
    before = on_disk(table.location())
    operations = type(table.maintenance._operations)

    def lost(*_: Any) -> Any:
        raise errors.CommitStateUnknownError("no answer", context={"metadata": "nowhere"})

    def unreachable(*_: Any) -> Any:
        raise errors.StorageError("the network is down")

    commit, load = operations.commit, operations.load
    kept = []

    def late(self: Any, base: Any, attempt: Any) -> Any:
        kept.append((self, base, attempt))
        monkeypatch.setattr(operations, "load", unreachable)
        return lost()

    monkeypatch.setattr(operations, "commit", late)
    with pytest.raises(errors.CommitStateUnknownError):
        compute(table)
    monkeypatch.setattr(operations, "load", load)
    [file] = [each for each in on_disk(table.location()) - before if not each.endswith(".metadata.json")]
    # The request arrives after all, and the file is there.
    [(self, base, attempt)] = kept
    commit(self, base, attempt)
    table.refresh()
    assert file in named(table)


@pytest.mark.parametrize(
    ("compute", "again"),
    [(COMPUTE["compute_table_stats"], {}), (COMPUTE["compute_partition_stats"], {"force_refresh": True})],
    ids=COMPUTE,
)
def test_others_commit_meanwhile(catalog, make, monkeypatch, compute, again):
    table = make(**{"commit.retry.min-wait-ms": "1"})
    table.append(rows(1))
    first = table.current_snapshot().snapshot_id
    operations = type(table.maintenance._operations)
    commit = operations.commit
    others = iter([lambda: catalog.load_table("db.t").append(rows(2))])

    def beaten(self: Any, base: Any, attempt: Any) -> Any:
        monkeypatch.setattr(operations, "commit", commit)
        next(others)()
        return commit(self, base, attempt)

    monkeypatch.setattr(operations, "commit", beaten)
    assert compute(table).snapshot_id == first
    assert len(table.snapshots()) == 2
    assert on_disk(table.location()) == named(table)
    # A snapshot that others expire meanwhile gets no statistics, and leaves no file.
    others = iter([lambda: catalog.load_table("db.t").maintenance.expire_snapshots(older_than=EVER)])
    monkeypatch.setattr(operations, "commit", beaten)
    with pytest.raises(errors.NotFoundError, match=str(first)):
        compute(table, snapshot_id=first, **again)
    table.refresh()
    assert len(table.snapshots()) == 1
    assert on_disk(table.location()) == named(table)
