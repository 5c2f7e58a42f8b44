"""Batches that Spark sends to tasks are limited by rows where rows are small, and by bytes where they may be large."""

from __future__ import annotations

from threading import Event, Thread

import pyarrow as pa
import pytest
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

import floeberg as fb
from floeberg.spark.session.batch_limits import batch_limits
from floeberg.spark.session.conf import changed_settings, own_setting
from floeberg.spark.session.tasks import run_tasks
from floeberg.spark.write.distribution import distributed

BYTES, ROWS = (f"spark.sql.execution.arrow.max{what}PerBatch" for what in ("Bytes", "Records"))
NO_BYTES = "2147483647"


def _sizes(batches):
    return [(batch.num_rows, batch.nbytes) for batch in batches]


def _limits(spark, columns, short=()):
    return batch_limits(spark, StructType.fromDDL(columns), short)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ("a int, b decimal(38, 2), c timestamp_ntz, d boolean", 10_000),
        (", ".join(f"c{number} bigint" for number in range(800)), 5_242),
        ("a string", 8_192),
        ("a string, b double, c string", 4_096),
        (", ".join(f"c{number} string" for number in range(50)), 1_000),
    ],
)
def test_small_rows_are_limited_by_their_number(spark, columns, rows):
    assert _limits(spark, columns) == {BYTES: NO_BYTES, ROWS: str(rows)}


@pytest.mark.parametrize(
    "columns",
    [
        "a int, b binary",
        "a int, b array<int>",
        "a map<int, int>",
        "a struct<b: int>",
        "a variant",
        ", ".join(f"c{number} bigint" for number in range(5_000)),
    ],
)
def test_rows_that_may_be_large_keep_the_limit_of_bytes(spark, columns):
    assert _limits(spark, columns) == {}


def test_texts_that_are_known_to_be_short_do_not_count(spark):
    assert _limits(spark, "a string, b int", short=["a"])[ROWS] == "10000"
    assert _limits(spark, "a string, b string", short=["a"])[ROWS] == "8192"


def test_what_the_user_has_set_stays(spark):
    try:
        spark.conf.set(ROWS, "500")
        assert _limits(spark, "a int")[ROWS] == "500"
        spark.conf.set(ROWS, "-1")
        assert _limits(spark, "a int")[ROWS] == "10000"
        spark.conf.set(BYTES, "1m")
        assert _limits(spark, "a int") == {}
    finally:
        spark.conf.unset(ROWS)
        spark.conf.unset(BYTES)


def test_tasks_get_batches_of_the_limits(spark):
    frame = spark.range(0, 9_000, 1, 1).withColumn("text", F.lit("a"))
    (sizes,) = run_tasks(frame, _sizes)
    assert [rows for rows, _ in sizes] == [8_192, 808]
    assert own_setting(spark, BYTES) is None
    large = spark.range(0, 3_000, 1, 1).withColumn("bytes", F.repeat(F.lit("a"), 100_000).cast("binary"))
    (sizes,) = run_tasks(large, _sizes)
    assert sum(rows for rows, _ in sizes) == 3_000
    # Spark stops at the first row beyond 64 MiB.
    assert max(size for _, size in sizes) < 70 << 20


def test_a_setting_is_as_before_after_the_last_block_that_changed_it(spark):
    began, ended = Event(), Event()

    def other():
        with changed_settings(spark, {ROWS: "7"}):
            began.set()
            ended.wait(60)

    before = spark.conf.get(ROWS)
    thread = Thread(target=other)
    with changed_settings(spark, {ROWS: "5"}):
        assert spark.conf.get(ROWS) == "5"
        thread.start()
        assert began.wait(60)
        assert own_setting(spark, ROWS) != "5"
    assert spark.conf.get(ROWS) == "7", "the other block has not ended"
    ended.set()
    thread.join()
    assert spark.conf.get(ROWS) == before


@pytest.mark.parametrize(
    ("spec", "is_sorted"),
    [(["bucket(16, id)"], False), (["bucket(16, id)", "bucket(5, id)"], True), (["part"], True)],
)
def test_rows_of_few_buckets_are_not_sorted(spark, tmp_path, spec, is_sorted):
    catalog = fb.load_catalog("own", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    frame = spark.range(0, 1_000, 1, 3).withColumn("part", F.col("id") % 3)
    schema = pa.schema({"id": pa.int64(), "part": pa.int64()})
    table = catalog.create_table("db.t", schema, partition_spec=spec)
    spread = distributed(frame, table, None, {name: name for name in frame.columns})
    plan = spread._jdf.queryExecution().executedPlan().toString()
    assert ("Sort" in plan) == is_sorted, plan
    assert spread.columns[:2] == frame.columns
