"""Does Spark's own reader give metadata columns as Floeberg's does?"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import floeberg as fb
import floeberg.spark
from corpus.fixtures import lent
from floeberg.spark.native import deletes, file_values, lanes, planned_files
from test_lanes import check_lanes
from test_native import plan_of

LINEAGE = ("_row_id", "_last_updated_sequence_number")
OF_FILES = ("_file", "_pos", "_spec_id", "_partition")
TABLES = ("lineage", "java_vectors", "changed_rows", "partitioned_v1", "vectors")
"""Tables of the corpus, by their roles, whose files Spark's reader can read."""


@pytest.fixture(params=[True, False], ids=["numbered", "looked-at"])
def numbered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether Spark can be told which files there are; otherwise it looks at them, as in older ways."""
    if not request.param:
        monkeypatch.setattr(planned_files, "_compiled", lambda _spark: None)
    return bool(request.param)


@pytest.mark.parametrize("role", TABLES)
@pytest.mark.parametrize("more", [(), ("_deleted",)], ids=["left", "marked"])
@pytest.mark.usefixtures("numbered")
def test_lanes_agree_on_metadata_columns(role: str, more: tuple[str, ...], spark: SparkSession) -> None:
    table = lent(role).open()
    assert check_lanes(table.scan(selected_fields=("*", *OF_FILES, *LINEAGE, *more)), spark) == ""


@pytest.mark.parametrize("role", ["changed_rows", "vectors"])
@pytest.mark.parametrize("limit", ["_MOST_FILES", "_MOST_REMAINDERS", "_MOST_BYTES"])
def test_deletes_of_many_files_are_joined(role, limit, spark, monkeypatch, numbered) -> None:
    scan = lent(role).open().scan()
    assert "BroadcastHashJoin" not in plan_of(scan.to_spark(spark, reader="native"))
    monkeypatch.setattr(deletes, limit, 0)
    # Numbers need no divisor, however many there are.
    is_joined = limit == "_MOST_BYTES" or not numbered
    assert ("BroadcastHashJoin" in plan_of(scan.to_spark(spark, reader="native"))) == is_joined
    for more in ((), ("_deleted",)):
        assert check_lanes(scan.select("*", *more), spark) == ""


@pytest.mark.parametrize("role", TABLES)
def test_what_is_said_of_many_files_is_joined(role, spark, monkeypatch) -> None:
    scan = lent(role).open().scan(selected_fields=("*", *OF_FILES, *LINEAGE))
    assert "BroadcastHashJoin" not in plan_of(scan.to_spark(spark, reader="native"))
    monkeypatch.setattr(file_values, "_MOST_BYTES", 0)
    assert "BroadcastHashJoin" in plan_of(scan.to_spark(spark, reader="native"))
    assert check_lanes(scan, spark) == ""


def test_files_whose_bitmaps_are_too_many_are_ours(make, spark, monkeypatch) -> None:
    table = make(pa.schema({"id": pa.int64()}), format_version=3)
    for start, end in ((0, 1000), (1000, 1010), (1010, 1020)):
        table.append(pa.table({"id": range(start, end)}))
    table.delete("id IN (7, 1001, 1011)", mode="merge-on-read")
    monkeypatch.setattr(lanes, "_MOST_BITMAP_BYTES", 5)
    told = {each.reader: each for each in table.scan().explain(spark=spark).lanes}
    # A file that does not fit leaves room for smaller ones.
    assert (told["native"].files, told["arrow"].files) == (2, 1)
    assert told["arrow"].reason == "more deletes than are worth sending to every executor"
    frame = table.scan().to_spark(spark)
    assert sorted(row.id for row in frame.collect()) == [
        each for each in range(1020) if each not in {7, 1001, 1011}
    ]


@pytest.mark.usefixtures("numbered")
def test_remainders_tell_files_apart(make, spark) -> None:
    table = make(pa.schema({"id": pa.int64(), "text": pa.string()}), format_version=3)
    for number in range(20):
        table.append(pa.table({"id": range(3 * number, 3 * number + 3), "text": ["x" * number] * 3}))
    gone = (1, 5, 30, 31, 59)
    table.delete(f"id IN {gone}", mode="merge-on-read")
    left = [(each,) for each in range(60) if each not in gone]
    assert columns_of(table, spark, "id") == sorted(left, key=repr)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., fb.Table]:
    def table(schema: pa.Schema, **options: object) -> fb.Table:
        catalog = fb.load_catalog("columns", type="filesystem", warehouse=str(tmp_path))
        if ("db",) not in catalog.list_namespaces():
            catalog.create_namespace("db")
        return catalog.create_table("db.t", schema, **options)

    return table


def columns_of(table: fb.Table, spark: SparkSession, *columns: str) -> list[tuple[object, ...]]:
    """What both lanes give, when they agree."""
    scan = table.scan(selected_fields=columns)
    assert check_lanes(scan, spark) == ""
    return sorted(map(tuple, scan.to_spark(spark, reader="native").collect()), key=repr)


def test_each_column_is_read_alone(make, spark) -> None:
    table = make(pa.schema({"id": pa.int64(), "day": pa.date32()}), partition_spec=["day"], format_version=3)
    for day in (1, 2):
        table.append(pa.table({"id": [day, 10 + day], "day": [datetime.date(2026, 1, day)] * 2}))
    for name in (*OF_FILES, *LINEAGE, "_deleted"):
        columns_of(table, spark, name)
    assert columns_of(table, spark, "id", "_row_id", "_last_updated_sequence_number") == [
        (1, 0, 1),
        (11, 1, 1),
        (12, 3, 2),
        (2, 2, 2),
    ]
    files = columns_of(table, spark, "id", "_file")
    assert len({file for _, file in files}) == 2


def test_rows_keep_their_ids_where_a_file_stores_them(make, spark) -> None:
    table = make(pa.schema({"id": pa.int64()}), format_version=3)
    table.append(pa.table({"id": [0, 1, 2, 3]}))
    table.append(pa.table({"id": [4, 5]}))
    table.delete("id = 1", mode="copy-on-write")
    assert columns_of(table, spark, "id", "_row_id", "_last_updated_sequence_number") == [
        (0, 0, 1),
        (2, 2, 1),
        (3, 3, 1),
        (4, 4, 2),
        (5, 5, 2),
    ]


@pytest.mark.usefixtures("numbered")
def test_files_of_one_size_are_told_apart_by_their_names(make, spark) -> None:
    table = make(pa.schema({"id": pa.int64()}), format_version=3)
    for number in range(12):
        table.append(pa.table({"id": [number, number + 100]}))
    sizes = table.inspect.files()["file_size_in_bytes"].to_pylist()
    assert len(set(sizes)) < len(sizes)
    table.delete("id >= 100", mode="merge-on-read")
    assert [row[0] for row in columns_of(table, spark, "id", "_pos", "_row_id")] == sorted(range(12), key=str)
    marked = columns_of(table, spark, "id", "_deleted")
    assert marked == sorted(((n, n >= 100) for n in (*range(12), *range(100, 112))), key=repr)


def test_metadata_columns_leave_pruning_and_filters(make, spark) -> None:
    table = make(pa.schema({"id": pa.int64(), "name": pa.string()}), format_version=3)
    table.append(pa.table({"id": [1, 2], "name": ["a", "b"]}))
    frame = floeberg.spark.table(spark, table, columns=("*", "_row_id"))
    plan = frame.where("id > 1").select("_row_id")._jdf.queryExecution().toString()
    assert "GreaterThan(id,1)" in plan
    assert "name" not in plan.rpartition("ReadSchema")[2]


def test_partitions_that_spark_cannot_be_sent_are_ours(make, spark) -> None:
    table = make(pa.schema({"id": pa.int64(), "at": pa.timestamp("us")}), partition_spec=["at"])
    table.append(pa.table({"id": [1], "at": pa.array([5], pa.timestamp("us"))}))
    scan = table.scan(selected_fields=("id", "_partition"))
    (lane,) = scan.explain(spark=spark).lanes
    assert (lane.reader, lane.reason) == ("arrow", "'_partition' has a field 'at' of type timestamp")
    assert check_lanes(scan, spark) == f"Spark's own reader cannot read 1 of 1 files: {lane.reason}"
