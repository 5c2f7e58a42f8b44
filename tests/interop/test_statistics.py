"""Iceberg on Spark computes the same statistics of the same snapshots, and reads the table that has ours."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb

pytestmark = pytest.mark.timeout(1800)

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("part", pa.string()),
        pa.field("flag", pa.bool_()),
        pa.field("small", pa.int32()),
        pa.field("real", pa.float32()),
        pa.field("double", pa.float64()),
        pa.field("price", pa.decimal128(20, 3)),
        pa.field("day", pa.date32()),
        pa.field("at", pa.timestamp("us")),
        pa.field("at_utc", pa.timestamp("us", "UTC")),
        pa.field("text", pa.string()),
        pa.field("bytes", pa.binary()),
        pa.field("fixed", pa.binary(5)),
        pa.field("nothing", pa.int32()),
        pa.field("inside", pa.struct([pa.field("y", pa.int32()), pa.field("z", pa.list_(pa.int32()))])),
    ]
)


def rows(seed: int, count: int, kinds: int) -> pa.Table:
    """Rows with nulls, NaN, both zeros and texts of no length."""
    chance = random.Random(seed)

    def some(make: Any) -> list[Any]:
        return [None if chance.random() < 0.1 else make(chance.randrange(kinds)) for _ in range(count)]

    floats = [float("nan"), 0.0, -0.0]
    columns = [
        some(lambda n: n),
        [chance.choice(["a", "b", None]) for _ in range(count)],
        some(lambda n: n % 2 == 0),
        some(lambda n: n - 50),
        some(lambda n: floats[n] if n < 3 else n / 4),
        some(lambda n: floats[n] if n < 3 else n / 3),
        some(lambda n: Decimal(n * 1009 - 1000) / 1000),
        some(lambda n: n * 3),
        some(lambda n: n * 1_000_001 - 500),
        some(lambda n: n * 1_000_003),
        some(lambda n: "é𝄞"[: n % 3] * (n % 40) + str(n) * (n % 5)),
        some(lambda n: bytes([n % 256] * (n % 9))),
        some(lambda n: n.to_bytes(5, "big")),
        [None] * count,
        some(lambda n: {"y": n, "z": [n]}),
    ]
    arrays = [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    return pa.table(arrays, SCHEMA)


def sketches(table: fb.Table) -> dict[int, tuple[str, bytes]]:
    """The estimates and the sketches of the current snapshot, by field id."""
    file = next(
        each for each in table.statistics() if each.snapshot_id == table.current_snapshot().snapshot_id
    )
    found = {}
    for blob in table.statistics_blobs(file):
        content = table.read_blob(file, blob)
        if content[0] > 1:
            # Java writes the sampling probability there, which compact sketches do not use.
            content = content[:12] + bytes(4) + content[16:]
        found[blob.fields[0]] = (blob.properties["ndv"], content)
    return found


def counts(table: fb.Table) -> list[dict[str, Any]]:
    current = table.current_snapshot().snapshot_id
    file = next(each for each in table.partition_statistics() if each.snapshot_id == current)
    return table.read_partition_statistics(file).to_pylist()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_distinct_values_are_those_of_iceberg(tmp_path: Path, java_spark, version):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, partition_spec=["part"], format_version=version)
    for seed in range(3):
        table.append(rows(seed, 700, 2000))
    table.delete("id < 100", mode="copy-on-write" if version == 1 else "merge-on-read")
    name = f"ndv_{version}"

    def sql(text: str) -> list[list[Any]]:
        return java_spark("sql", text=text, catalog=name, warehouse=str(tmp_path))

    [[path]] = sql(f"CALL {name}.system.compute_table_stats('ns.t')")
    table.refresh()
    assert [each.statistics_path for each in table.statistics()] == [path]
    of_java = sketches(table)
    done = table.maintenance.compute_table_stats()
    assert [*done.ndv] == [field.name for field in SCHEMA if field.name != "inside"]
    assert sketches(table) == of_java
    assert len({*of_java.values()}) > 8
    # Spark uses what ours says, and the nested column is computed alike.
    sql(f"SELECT count(*) FROM {name}.ns.t")
    sql(f"CALL {name}.system.compute_table_stats(table => 'ns.t', columns => array('inside.y', 'id'))")
    table.refresh()
    of_java = sketches(table)
    table.maintenance.compute_table_stats(columns=["inside.y", "id"])
    assert sketches(table) == of_java
    assert len(of_java) == 2


def test_estimates_are_near_those_of_iceberg(tmp_path: Path, java_spark):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema([("id", pa.int64()), ("text", pa.string())]))
    for first in (0, 50_000, 80_000):
        ids = range(first, first + 60_000)
        table.append(
            pa.table({"id": ids, "text": [str(each % 5000) for each in ids]}, table.schema().as_arrow())
        )
    java_spark(
        "sql", text="CALL near.system.compute_table_stats('ns.t')", catalog="near", warehouse=str(tmp_path)
    )
    table.refresh()
    [of_java] = table.statistics()
    ndv = table.maintenance.compute_table_stats().ndv
    for blob, (column, exact) in zip(
        of_java.blob_metadata, {"id": 140_000, "text": 5000}.items(), strict=True
    ):
        assert int(blob.properties["ndv"]) == pytest.approx(exact, rel=0.06)
        assert ndv[column] == pytest.approx(exact, rel=0.06)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_counts_of_partitions_are_those_of_iceberg(tmp_path: Path, java_spark, version):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    schema = pa.schema([("id", pa.int64()), ("part", pa.string()), ("day", pa.date32())])
    table = catalog.create_table("ns.t", schema, partition_spec=["part"], format_version=version)
    name = f"counted_{version}"

    def sql(text: str) -> list[list[Any]]:
        return java_spark("sql", text=text, catalog=name, warehouse=str(tmp_path))

    def append(first: int, parts: str) -> None:
        ids = range(first, first + 20)
        values = [None if part == "-" else part for part in parts] * 20
        table.append(pa.table({"id": ids, "part": values[:20], "day": [each % 3 for each in ids]}, schema))

    def check(step: str) -> None:
        """Java's file first, which stands on that of the snapshot before, and ours of all manifests."""
        sql(f"CALL {name}.system.compute_partition_stats('ns.t')")
        table.refresh()
        of_java = counts(table)
        done = table.maintenance.compute_partition_stats(force_refresh=True)
        assert done.since_snapshot_id is None
        assert counts(table) == of_java, step

    append(0, "ab-")
    check("first")
    append(100, "bc")
    table.delete("id in (3, 104, 105)", mode="copy-on-write" if version == 1 else "merge-on-read")
    check("deletes")
    with table.update_spec() as update:
        update.add_field("day", "identity")
    append(200, "ab-")
    check("another spec")
    # Java goes on by our file.
    append(250, "cd")
    check("by our file")
    with table.update_spec() as update:
        update.remove_field("part")
    append(300, "abc")
    check("a field is gone")
    append(400, "cd")
    sql(f"CALL {name}.system.compute_partition_stats('ns.t')")
    table.refresh()
    of_java = counts(table)
    # Java 1.11 mixes up partitions of a spec that lacks the first field of all specs. Ours sees that the counts do not
    # fit the manifests, and reads all of them.
    is_right = sum(each["data_record_count"] for each in of_java) == table.scan().count()
    assert is_right == (version == 1)
    append(500, "ab")
    assert (table.maintenance.compute_partition_stats().since_snapshot_id is None) != is_right
    assert sum(each["data_file_count"] for each in counts(table)) == len(table.scan().plan_files())
    ours = counts(table)
    table.maintenance.compute_partition_stats(force_refresh=True)
    assert counts(table) == ours
    assert sql(f"SELECT count(*) FROM {name}.ns.t") == [[table.scan().count()]]


def test_pyiceberg_reads_a_table_with_statistics(tmp_path: Path, pyiceberg):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema([("id", pa.int64())]), partition_spec=["id"])
    table.append(pa.table({"id": [1, 2, 2]}))
    table.maintenance.compute_table_stats()
    table.maintenance.compute_partition_stats()
    metadata = json.loads(table._inner.metadata_json())
    assert len(metadata["statistics"]) == len(metadata["partition-statistics"]) == 1
    into = tmp_path / "read.arrow"
    pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
    with pa.ipc.open_file(into) as file:
        assert sorted(file.read_all()["id"].to_pylist()) == [1, 2, 2]
