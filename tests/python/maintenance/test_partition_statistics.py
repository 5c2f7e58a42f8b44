"""Partitions are counted: by all manifests of a snapshot, or by an older file and what was changed since."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import floeberg as fb
from floeberg import errors
from floeberg.statistics import PartitionStatisticsFile
from maintenance.disk import EVER, SCHEMA, named, on_disk, path_of, rows
from maintenance.test_histories import REFUSED, Tables, steps

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))
COUNTS = (
    "data_record_count",
    "data_file_count",
    "total_data_file_size_in_bytes",
    "position_delete_record_count",
    "position_delete_file_count",
    "equality_delete_record_count",
    "equality_delete_file_count",
    "dv_count",
)


def file_of(table: fb.Table, snapshot_id: int | None = None) -> PartitionStatisticsFile:
    wanted = table.current_snapshot().snapshot_id if snapshot_id is None else snapshot_id
    [file] = [each for each in table.partition_statistics() if each.snapshot_id == wanted]
    return file


def counted(table: fb.Table, snapshot_id: int | None = None) -> list[dict[str, Any]]:
    return table.read_partition_statistics(file_of(table, snapshot_id)).to_pylist()


def numbers(found: list[dict[str, Any]]) -> dict[Any, tuple[int, ...]]:
    """The counts of partitions that have files, by spec and values."""
    by_key = {}
    for each in found:
        key = (each["spec_id"], tuple(each["partition"].items()))
        assert key not in by_key
        by_key[key] = tuple(each.get(name) or 0 for name in COUNTS)
    return {key: counts for key, counts in by_key.items() if any(counts)}


def expected(table: fb.Table, snapshot_id: int | None = None) -> dict[Any, tuple[int, ...]]:
    """The same by the metadata table `files`."""
    found: dict[Any, list[int]] = {}
    for each in table.inspect.files(snapshot_id).to_pylist():
        counts = found.setdefault((each["spec_id"], tuple(each["partition"].items())), [0] * len(COUNTS))
        is_vector = each["file_format"].lower() == "puffin"
        if each["content"] == 0:
            counts[2] += each["file_size_in_bytes"]
        counts[(0, 3, 5)[each["content"]]] += each["record_count"]
        counts[7 if is_vector else (1, 4, 6)[each["content"]]] += 1
    return {key: tuple(counts) for key, counts in found.items()}


def is_sorted(found: list[dict[str, Any]]) -> bool:
    keys = [[(value is not None, value) for value in each["partition"].values()] for each in found]
    plain = [[(has, value if has else 0) for has, value in key] for key in keys]
    return plain == sorted(plain)


def changed_in_many_ways(make, version: int) -> fb.Table:
    table = make(version)
    for number in range(4):
        table.append(rows(*range(10 * number, 10 * number + 10), part="ab"[number % 2]))
    table.append(pa.table({"id": [100], "part": [None]}, SCHEMA))
    table.delete("id in (1, 2)", mode="copy-on-write")
    if version > 1:
        table.delete("id in (3, 13)", mode="merge-on-read")
        feed = pa.table({"op": ["delete"], "id": [5], "part": ["a"], "at": [1]})
        table.apply_changes(feed, keys=["id", "part"], operation="op", order_by="at", mode="equality")
    return table


@pytest.mark.parametrize("version", [1, 2, 3])
def test_rows_files_and_deletes_of_each_partition_are_counted(make, version):
    table = changed_in_many_ways(make, version)
    done = table.maintenance.compute_partition_stats()
    assert (done.partitions_count, done.since_snapshot_id) == (3, None)
    assert done.partition_statistics_file == file_of(table)
    found = counted(table)
    assert numbers(found) == expected(table)
    assert [each["partition"]["part"] for each in found] == [None, "a", "b"]
    files = [each["position_delete_file_count"] for each in found]
    assert (files, [each.get("dv_count") for each in found]) == {
        1: ([0, 0, 0], [None] * 3),
        2: ([0, 1, 1], [None] * 3),
        3: ([0, 0, 0], [0, 1, 1]),
    }[version]
    assert [each["equality_delete_record_count"] for each in found] == [0, int(version > 1), 0]
    assert {each["total_record_count"] for each in found} == {None}
    times = {each.snapshot_id: each.timestamp_ms for each in table.snapshots()}
    assert [each["last_updated_at"] for each in found] == [
        times[each["last_updated_snapshot_id"]] for each in found
    ]
    ids = [each.snapshot_id for each in table.snapshots()]
    last = [ids.index(each["last_updated_snapshot_id"]) for each in found]
    assert last == ([4, 5, 3] if version == 1 else [4, 7, 6])
    path = Path(path_of(file_of(table).statistics_path))
    assert (path.suffix, path.stat().st_size) == (".parquet", file_of(table).file_size_in_bytes)
    # A second time, the file is there.
    again = table.maintenance.compute_partition_stats()
    assert (again.partitions_count, again.partition_statistics_file) == (None, file_of(table))
    assert again.since_snapshot_id == again.snapshot_id == done.snapshot_id
    assert on_disk(table.location()) == named(table)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_columns_are_those_of_the_specification(make, version):
    table = changed_in_many_ways(make, version)
    table.maintenance.compute_partition_stats()
    schema = pq.read_schema(path_of(file_of(table).statistics_path))
    ids = {field.name: int(field.metadata[b"PARQUET:field_id"]) for field in schema}
    assert [*ids.values()] == [*range(1, 13 + (version > 2))]
    assert ids["last_updated_snapshot_id"] == 12
    assert ids.get("dv_count", 13) == 13
    required = {field.name for field in schema if not field.nullable}
    always = {"partition", "spec_id", "data_record_count", "data_file_count", "total_data_file_size_in_bytes"}
    assert required - {*COUNTS} | {*COUNTS[:3]} == always
    assert ({*COUNTS} <= required) == (version > 2)
    [part] = schema.field("partition").type
    assert (part.name, part.metadata[b"PARQUET:field_id"]) == ("part", b"1000")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_only_manifests_that_were_added_since_are_read(make, version):
    table = make(version)
    table.append(rows(1, 2))
    first = table.maintenance.compute_partition_stats().snapshot_id
    old = {path_of(each) for each in table.inspect.all_manifests()["path"].to_pylist()}
    table.append(rows(3, part="b"))
    table.append(rows(4, part="c"))
    for path in old:
        Path(path).rename(f"{path}.away")
    done = table.maintenance.compute_partition_stats()
    assert (done.since_snapshot_id, done.partitions_count) == (first, 3)
    for path in old:
        Path(f"{path}.away").rename(path)
    assert numbers(counted(table)) == expected(table)
    # Of an older snapshot, the file of an ancestor counts, not that of a later one.
    second = table.snapshots()[1].snapshot_id
    done = table.maintenance.compute_partition_stats(snapshot_id=second)
    assert (done.snapshot_id, done.since_snapshot_id) == (second, first)
    assert numbers(counted(table, second)) == expected(table, second)


def test_partitions_that_lost_their_files_stay_with_what_updated_them(make):
    table = make()
    table.append(rows(1, part="a"))
    table.append(rows(2, part="b"))
    table.maintenance.compute_partition_stats()
    table.delete("part = 'a'")
    gone = table.current_snapshot()
    table.append(rows(3, part="b"))
    assert table.maintenance.compute_partition_stats().since_snapshot_id is not None
    found = {each["partition"]["part"]: each for each in counted(table)}
    assert (found["a"]["data_file_count"], found["b"]["data_file_count"]) == (0, 2)
    assert (found["a"]["last_updated_at"], found["a"]["last_updated_snapshot_id"]) == (
        gone.timestamp_ms,
        gone.snapshot_id,
    )


@pytest.mark.parametrize("version", [1, 2, 3])
def test_specs_of_a_table_share_the_rows_of_one_struct(make, version):
    table = make(version)
    table.append(rows(1, 2, part="a"))
    table.maintenance.compute_partition_stats()
    with table.update_spec() as update:
        update.add_field("id", "bucket[4]", "id_bucket")
    table.append(rows(1, 2, 3, part="a"))
    with table.update_spec() as update:
        update.remove_field("part")
    table.append(rows(4, 5, 6))
    with table.update_spec() as update:
        update.remove_field("id_bucket")
    table.append(rows(7))
    assert table.maintenance.compute_partition_stats().since_snapshot_id is not None
    since = counted(table)
    assert numbers(since) == expected(table)
    assert is_sorted(since)
    assert len({each["spec_id"] for each in since}) == 4
    assert {*since[0]["partition"]} == {"part", "id_bucket"}
    assert table.maintenance.compute_partition_stats(force_refresh=True).since_snapshot_id is None
    assert counted(table) == since


def test_a_field_whose_column_was_dropped_is_still_there(make):
    table = make(2)
    table.append(rows(1, part="a"))
    table.append(rows(2, part="b"))
    table.maintenance.compute_partition_stats()
    with table.update_spec() as update:
        update.remove_field("part")
        update.add_field("id", "bucket[4]", "id_bucket")
    with table.update_schema() as update:
        update.delete_column("part")
    table.append(pa.table({"id": pa.array([3], pa.int64())}))
    # Other writers leave such a field out, so their files do not count.
    assert table.maintenance.compute_partition_stats().since_snapshot_id is None
    found = counted(table)
    assert [each["partition"]["part"] for each in found] == [None, "a", "b"]
    assert [each["data_record_count"] for each in found] == [1, 1, 1]


@pytest.mark.parametrize(
    "transform", ["identity", "void", "year", "month", "day", "hour", "bucket[3]", "truncate[4]"]
)
def test_values_of_each_transform(catalog, transform):
    is_time = transform in {"year", "month", "day", "hour"}
    kind = pa.timestamp("us") if is_time else pa.string()
    table = catalog.create_table("db.t", pa.schema([("id", pa.int64()), ("v", kind)]))
    with table.update_spec() as update:
        update.add_field("id", "identity")
        update.add_field("v", transform, "value")
    values = pa.array([0, 10**15, None]).cast(kind) if is_time else pa.array(["abcdef", "bcdefg", None])
    table.append(pa.table({"id": [1, 2, 3], "v": values}))
    table.maintenance.compute_partition_stats()
    assert numbers(counted(table)) == expected(table)


@pytest.mark.parametrize(("wanted", "suffix"), [("avro", ".avro"), ("orc", ".orc"), ("PARQUET", ".parquet")])
def test_the_file_has_the_format_of_the_table(make, wanted, suffix):
    table = make()
    table.append(rows(1))
    table.append(rows(2, part="b"))
    with table.transaction() as transaction:
        transaction.set_properties(
            {"write.format.default": wanted, "write.parquet.compression-codec": "zstd"}
        )
    table.maintenance.compute_partition_stats()
    assert Path(file_of(table).statistics_path).suffix == suffix
    assert numbers(counted(table)) == expected(table)


def test_an_upgraded_table_counts_on(make):
    table = changed_in_many_ways(make, 2)
    table.maintenance.compute_partition_stats()
    with table.transaction() as transaction:
        transaction.upgrade_table_version(3)
    table.delete("id = 15", mode="merge-on-read")
    assert table.maintenance.compute_partition_stats().since_snapshot_id is not None
    found = counted(table)
    assert numbers(found) == expected(table)
    assert sum(each["dv_count"] for each in found) == 1


def test_what_history_does_not_allow_is_computed_from_all_manifests(make):
    table = make()
    table.append(rows(1))
    table.maintenance.compute_partition_stats()
    first = table.current_snapshot().snapshot_id
    table.append(rows(2, part="b"))
    table.append(rows(3, part="b"))
    # Between the file and the snapshot one is missing.
    table.maintenance.expire_snapshots(snapshot_ids=[table.snapshots()[1].snapshot_id], delete_files=False)
    assert len(table.snapshots()) == 2
    assert table.maintenance.compute_partition_stats(dry_run=True).since_snapshot_id is None
    # An older line of history.
    table.manage_snapshots().create_branch(first, "old").commit()
    table.append(rows(9, part="c"), branch="old")
    on_branch = table.refs()["old"].snapshot_id
    assert table.maintenance.compute_partition_stats(snapshot_id=on_branch).since_snapshot_id == first
    assert table.maintenance.compute_partition_stats().since_snapshot_id is None
    for snapshot_id in (on_branch, table.current_snapshot().snapshot_id):
        assert numbers(counted(table, snapshot_id)) == expected(table, snapshot_id)


@pytest.mark.unchecked_tables("files are damaged")
@pytest.mark.parametrize("fault", ["lost", "damaged", "wrong counts", "no counts"])
def test_a_file_that_cannot_be_trusted_is_not_used(make, fault):
    table = make()
    table.append(rows(1, 2))
    table.append(rows(2, part="b"))
    table.maintenance.compute_partition_stats()
    table.delete("part = 'b'")
    path = Path(path_of(file_of(table, table.snapshots()[1].snapshot_id).statistics_path))
    found = pq.read_table(path)
    if fault == "lost":
        path.unlink()
    elif fault == "damaged":
        path.write_bytes(path.read_bytes()[:-20])
    elif fault == "wrong counts":
        pq.write_table(found.slice(0, 1), path)
    else:
        place = found.schema.get_field_index("position_delete_record_count")
        nothing = pa.nulls(found.num_rows, pa.int64())
        pq.write_table(found.set_column(place, found.schema.field(place), nothing), path)
    assert table.maintenance.compute_partition_stats().since_snapshot_id is None
    assert numbers(counted(table)) == expected(table)


def test_nothing_to_count(make, catalog):
    table = make()
    assert table.maintenance.compute_partition_stats().partition_statistics_file is None
    table.append(rows())
    done = table.maintenance.compute_partition_stats()
    assert (done.snapshot_id, done.partitions_count, done.partition_statistics_file) == (None, None, None)
    plain = catalog.create_table("db.plain", SCHEMA)
    assert plain.maintenance.compute_partition_stats().partition_statistics_file is None
    plain.append(rows(1))
    with pytest.raises(errors.InvalidInputError, match="partitioned table"):
        plain.maintenance.compute_partition_stats()
    assert on_disk(table.location()) == named(table)


def test_bad_input(make):
    table = make()
    table.append(rows(1))
    maintenance = table.maintenance
    with pytest.raises(errors.NotFoundError, match="7"):
        maintenance.compute_partition_stats(snapshot_id=7)
    for name, wrong in (("snapshot_id", "7"), ("force_refresh", 1), ("dry_run", None)):
        with pytest.raises(errors.InvalidInputError, match=name):
            maintenance.compute_partition_stats(**{name: wrong})
    fixed = fb.open_table(table.metadata_location).maintenance
    assert fixed.compute_partition_stats(dry_run=True).partitions_count == 1
    with pytest.raises(errors.UnsupportedError):
        fixed.compute_partition_stats()
    assert on_disk(table.location()) == named(table)


def test_a_transform_that_is_not_known_is_an_error(make, tmp_path):
    table = make()
    table.append(rows(1))
    metadata = json.loads(table._inner.metadata_json())
    metadata["partition-specs"][0]["fields"][0]["transform"] = "zorder"
    path = tmp_path / "v9.metadata.json"
    path.write_text(json.dumps(metadata))
    with pytest.raises(errors.UnsupportedError, match="part"):
        fb.open_table(str(path)).maintenance.compute_partition_stats(dry_run=True)


@pytest.mark.unchecked_tables("a manifest is damaged")
def test_a_damaged_manifest_is_an_error_and_leaves_no_file(make):
    table = make()
    table.append(rows(1))
    [manifest] = table.inspect.manifests()["path"].to_pylist()
    Path(path_of(manifest)).write_bytes(b"Obj\x01damaged")
    before = on_disk(table.location())
    with pytest.raises(errors.InvalidDataError, match=Path(manifest).name):
        table.maintenance.compute_partition_stats()
    assert on_disk(table.location()) == before


def test_files_go_with_their_snapshots(make):
    table = make()
    table.append(rows(1))
    table.maintenance.compute_partition_stats()
    table.maintenance.compute_table_stats()
    table.append(rows(2))
    table.maintenance.compute_partition_stats()
    table.maintenance.compute_table_stats()
    assert (len(table.partition_statistics()), len(table.statistics())) == (2, 2)
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert done.deleted_statistics_files_count == 2
    assert (len(table.partition_statistics()), len(table.statistics())) == (1, 1)
    assert on_disk(table.location()) == named(table)
    # What is replaced stays on the disk until orphans go.
    table.maintenance.compute_partition_stats(force_refresh=True)
    assert len(on_disk(table.location()) - named(table)) == 1
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert on_disk(table.location()) == named(table)


@pytest.mark.parametrize("version", [1, 2, 3])
@given(steps=steps)
@settings(max_examples=EXAMPLES or 12, deadline=None)
def test_counts_since_a_file_are_those_of_all_manifests(version, steps):
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(folder, version, "orc")
        table = tables.table
        for number, step in enumerate(steps):
            with contextlib.suppress(*REFUSED):
                tables.do(*step)
            for name, ref in table.refs().items():
                if (number + len(name)) % 3 == 0:
                    continue
                done = table.maintenance.compute_partition_stats(snapshot_id=ref.snapshot_id)
                if done.partition_statistics_file is None:
                    assert not expected(table, ref.snapshot_id)
                    continue
                since = counted(table, ref.snapshot_id)
                assert numbers(since) == expected(table, ref.snapshot_id)
                if number % 4 == 0:
                    table.maintenance.compute_partition_stats(snapshot_id=ref.snapshot_id, force_refresh=True)
                    whole = counted(table, ref.snapshot_id)
                    assert numbers(whole) == numbers(since)
                    assert is_sorted(whole)
                assert is_sorted(since)
