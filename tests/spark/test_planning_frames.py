"""Has a DataFrame that Spark plans and reads by tasks the rows of local planning, however often its tasks run?"""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from pyspark.sql import SparkSession

import floeberg as fb
import floeberg.spark
from floeberg import _native
from floeberg.errors import FloebergError, InvalidInputError, NotInstalledError
from floeberg.spark.read import planning_frame
from floeberg.spark.read.options import ReadSettings
from floeberg.spark.read.planning_frame import _partitions, _PlanParts
from floeberg.spark.read.scan_request import scan_bytes
from properties.predicates import Filter, expression
from properties.tables import Table
from properties.writing import write
from reading import forms, rows_of
from test_planning import MERGE_ON_READ, asked, catalog, make, manifests, table

__all__ = ["catalog", "table"]

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0")) // 10
IN_SPARK = {"reader": "arrow", "planning": "distributed"}
LOCAL = {"reader": "arrow", "planning": "local"}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Each manifest is planned by a task of its own."""
    monkeypatch.setattr(planning_frame, "_PART_BYTES", (1, 1))


@pytest.mark.timeout(900)
@settings(
    max_examples=EXAMPLES or 5,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(drawn=asked())
def test_rows_are_those_of_local_planning(spark: SparkSession, drawn: tuple[Table, Filter]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scan = fb.open_table(write(drawn[0], Path(folder, "table"))).scan(row_filter=expression(drawn[1]))
        try:
            local = scan.to_spark(spark, partitions=1, truncate_nanoseconds=True, **LOCAL)
        except FloebergError as error:
            with pytest.raises(type(error)):
                scan.to_spark(spark, partitions=1, truncate_nanoseconds=True, **IN_SPARK)
            return
        frame = scan.to_spark(spark, partitions=2, truncate_nanoseconds=True, **IN_SPARK)
        assert forms(frame) == forms(local)
        assert sorted(rows_of(frame)) == sorted(rows_of(local))


class TestFrames:
    def test_have_the_columns_that_are_asked_for(self, spark, table):
        names = ("_file", "id", "_row_id", "_last_updated_sequence_number", "_pos")
        scan = table.scan(selected_fields=names, row_filter="id <> 3")
        frame, local = (scan.to_spark(spark, **how) for how in (IN_SPARK, LOCAL))
        assert frame.schema == local.schema
        rows = sorted(map(tuple, frame.collect()))
        assert rows == sorted(map(tuple, local.collect()))
        assert len(rows) == 5
        assert frame.select("id").distinct().count() == 5

    def test_have_their_rows_in_the_order_of_the_plan(self, spark, table):
        one = table.scan().to_spark(spark, partitions=1, **IN_SPARK)
        assert [row.id for row in one.collect()] == table.scan().to_arrow()["id"].to_pylist()

    def test_say_who_plans(self, spark, table):
        said = table.scan().to_spark(spark, **IN_SPARK)._jdf.queryExecution().toString()
        assert said.index("floeberg_read") < said.index("floeberg_plan")

    def test_have_a_limit(self, spark, table):
        limited = table.scan(limit=3).to_spark(spark, **IN_SPARK)
        assert len(limited.collect()) == limited.count() == 3
        assert table.scan(limit=0).to_spark(spark, **IN_SPARK).collect() == []

    def test_have_as_many_partitions_as_the_call_says(self, spark, table):
        frame = table.scan().to_spark(spark, partitions=3, **IN_SPARK)
        assert frame.rdd.getNumPartitions() == 3
        assert sorted(row.id for row in frame.collect()) == [0, 1, 2, 3, 12, 13]
        with pytest.raises(InvalidInputError, match="'partitions'"):
            table.scan().to_spark(spark, partitions=0, **IN_SPARK)

    def test_may_be_empty(self, spark, catalog, table):
        assert table.scan(row_filter="id < 0").to_spark(spark, **IN_SPARK).collect() == []
        assert table.scan(row_filter="id = 7").to_spark(spark, **IN_SPARK).count() == 0
        empty = catalog.create_table("ns.empty", pa.schema({"id": pa.int64()}))
        frame = empty.scan().to_spark(spark, **IN_SPARK)
        assert (frame.collect(), frame.columns) == ([], ["id"])

    def test_stay_at_their_snapshot(self, spark, table):
        frame = floeberg.spark.table(spark, table, **IN_SPARK)
        table.append(pa.table({"id": [100]}))
        assert sorted(row.id for row in frame.collect()) == [0, 1, 2, 3, 12, 13]

    def test_are_chosen_where_the_table_says_so(self, spark, catalog):
        table = make(catalog, **MERGE_ON_READ, **{"read.data-planning-mode": "distributed"})
        frame = table.scan().to_spark(spark, reader="arrow")
        assert "floeberg_plan" in frame._jdf.queryExecution().toString()
        assert frame.count() == 6

    @pytest.mark.unchecked_tables("files are moved away")
    @pytest.mark.parametrize("lost", ["data manifest", "delete manifest", "data file"])
    def test_name_a_file_that_is_gone(self, spark, table, lost):
        files = table.inspect.files()["file_path"].to_pylist()
        gone = {
            "data manifest": lambda: manifests(table, 0)[1],
            "delete manifest": lambda: manifests(table, 1)[0],
            "data file": lambda: Path(
                next(f for f in files if f.endswith(".parquet")).removeprefix("file://")
            ),
        }[lost]()
        gone.unlink()
        frame = fb.open_table(table.metadata_location).scan().to_spark(spark, **IN_SPARK)
        with pytest.raises(Exception, match=gone.name):
            frame.collect()

    def test_need_pandas(self, spark, table, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "pandas", None)
        with pytest.raises(NotInstalledError, match="pip install pandas"):
            table.scan().to_spark(spark, **IN_SPARK)


def planner(scan: fb.Scan, partitions: int) -> _PlanParts:
    """What plans a scan, each manifest by a task of its own."""
    parts = _native.plan_parts(scan._inner)
    deletes = parts.task(True, 0, len(parts.lengths(True)))
    tasks = tuple(parts.part_task(number, number + 1) for number in range(len(parts.lengths(False))))
    return _PlanParts(scan_bytes(scan), deletes, tasks, partitions, 1)


class TestTasks:
    @pytest.mark.parametrize("partitions", [1, 2, 3, 7, 1000])
    def test_return_the_same_whenever_they_run(self, table, monkeypatch, partitions):
        scan = table.scan(row_filter="id > 0")
        work = planner(scan, partitions)
        numbers = range(len(work.parts))
        assert len(numbers) > 2
        monkeypatch.setenv("FLOEBERG_THREADS", "1")
        first = [[*work._groups(number)] for number in numbers]
        monkeypatch.setenv("FLOEBERG_THREADS", "7")
        planning_frame._scan.cache_clear()
        # Another process, another order, and an index of deletes that is there already.
        again = pickle.loads(pickle.dumps(work))
        assert [[*again._groups(number)] for number in reversed(numbers)] == first[::-1]
        places = [place for part in first for place, _ in part]
        assert set(places) <= set(range(partitions))
        assert len(set(places)) == min(partitions, len(places))
        shared = _native.plan_parts(scan._inner).shared()
        groups = [shared.beside(group) for part in first for _, group in part]
        files = sorted(str(group.task(0)) for group in groups)
        assert files == sorted(
            str(group._inner.task(0))
            for group in scan.plan_files().split(2**62, most_groups=99, least_size=1)
        )

    def test_store_no_storage_options(self, table):
        options = [{"s3.secret-access-key": secret} for secret in ("hunter2hunter2", "other3other3")]
        one, other = (fb.open_table(table.metadata_location, storage_options=each).scan() for each in options)
        groups = [[group for _, group in planner(scan, 1)._groups(0)] for scan in (one, other)]
        assert groups[0] == groups[1]
        (group,) = one.plan_files().split(2**62)
        shared = _native.plan_parts(one._inner).shared()
        assert len(shared) == 0
        back = shared.beside(group._inner.without_storage())
        assert back.__reduce__() == group._inner.__reduce__()
        assert back.__reduce__() != other.plan_files().split(2**62)[0]._inner.__reduce__()
        with pytest.raises(InvalidInputError):
            shared.beside(b"none")

    def test_are_asked_for_before_deletes_are_indexed(self, table):
        parts = _native.plan_parts(table.scan()._inner)
        parts.index()
        with pytest.raises(FloebergError, match="step that it cannot take"):
            parts.part_task(0, 1)


def test_partitions_are_enough_for_the_cores_the_manifests_and_the_data():
    class Parts:
        def __init__(self, lengths, data_bytes):
            self.data_bytes = data_bytes
            self.lengths = lambda deletes: [] if deletes else lengths

    def count(lengths, data_bytes, **given):
        return _partitions(Parts(lengths, data_bytes), ReadSettings(**given), 4)

    assert count([1000], None) == count([1000], 1 << 30) == 8
    assert count([8 << 20] * 100, None) == 200
    assert count([8 << 20], 100 << 30) == 800
    assert count([8 << 20], 100 << 30, split_size=1 << 30) == 100
    assert count([8 << 20], 1 << 60) == 10_000


def test_the_data_of_a_scan_is_told_by_its_manifests(catalog):
    schema = pa.schema({"id": pa.int64(), "part": pa.int64()})
    table = catalog.create_table("ns.parts", schema, partition_spec=["part"])
    for part in range(4):
        table.append(pa.table({"id": [part], "part": [part]}))

    def told(scan):
        return _native.plan_parts(scan._inner).data_bytes

    size = sum(table.inspect.files()["file_size_in_bytes"].to_pylist())
    assert told(table.scan()) == size
    assert told(table.scan(row_filter="part = 2")) == size // 4
    assert told(catalog.create_table("ns.none", schema).scan()) is None
