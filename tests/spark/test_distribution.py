"""Spark brings rows of a bucket together by a bucket that is computed without Python, and is that of the table."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import functions as F  # noqa: N812

import floeberg as fb
import floeberg.spark
from floeberg.spark.write.distribution import _HASHED_ALIKE, _bucket
from floeberg.transforms import bucket

NUMBERS = (0, 1, -1, 34, 127, -128)
LARGE = (*NUMBERS, 32767, -32768, 2**31 - 1, -(2**31))
VALUES = {
    "tinyint": NUMBERS,
    "smallint": (*NUMBERS, 32767, -32768),
    "int": LARGE,
    "bigint": (*LARGE, 2**40 + 7, 2**63 - 1, -(2**63)),
    "date": ("1969-12-31", "1970-01-01", "2017-11-16", "0001-01-01", "9999-12-31"),
    "timestamp": ("1969-12-31 23:59:59.999999", "2017-11-16 22:31:08", "2200-02-28 01:02:03.000004"),
    "timestamp_ntz": ("1969-12-31 23:59:59.999999", "2017-11-16 22:31:08", "2200-02-28 01:02:03.000004"),
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("buckets", [1, 16, 1000, 2**31 - 1])
def test_a_bucket_of_spark_is_that_of_the_table(spark, kind, buckets):
    assert set(VALUES) == set(_HASHED_ALIKE)
    texts = [(None,), *((str(each),) for each in VALUES[kind])]
    rows = spark.createDataFrame(texts, "text string").select(F.expr(f"CAST(text AS {kind})").alias("own"))
    found = rows.select("own", F.expr(_bucket(_HASHED_ALIKE[kind].format("`own`"), buckets)).alias("bucket"))
    given = found.toArrow()
    assert given["own"].null_count == 1
    own = given["own"].combine_chunks()
    whole = own.cast("int64") if kind in {"tinyint", "smallint"} else own
    assert given["bucket"].to_pylist() == bucket(whole, buckets).to_pylist()


def test_columns_with_the_names_of_keys_keep_their_values(spark, tmp_path):
    catalog = fb.load_catalog("own", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    rows = pa.table({"id": [1, 2], "floeberg_partition_0": ["a", "b"], "Floeberg_Partition__1": ["c", "d"]})
    table = catalog.create_table("db.t", rows.schema, partition_spec=["bucket(4, id)"])
    floeberg.spark.write(spark.createDataFrame(rows), table)
    assert table.refresh().scan().to_arrow().sort_by("id").to_pylist() == rows.to_pylist()


def test_tasks_fill_files_of_the_targets_size(spark, tmp_path):
    catalog = fb.load_catalog("own", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    target = 512 << 10
    # Between tasks they take about three times as many bytes as in files.
    repeating = (F.floor(F.rand(seed) * 1000).cast("double").alias(f"q{seed}") for seed in (2, 3))
    frame = spark.range(0, 800_000, 1, 8).select("id", F.rand(1).alias("r"), *repeating)
    schema = pa.schema({"id": pa.int64()} | {name: pa.float64() for name in ("r", "q2", "q3")})
    properties = {"write.target-file-size-bytes": str(target)}
    table = catalog.create_table("db.t", schema, partition_spec=["bucket(4, id)"], properties=properties)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "200")
    try:
        floeberg.spark.write(frame, table)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    sizes = table.refresh().inspect.files()["file_size_in_bytes"].to_pylist()
    assert table.scan().count() == 800_000
    assert max(sizes) < 1.2 * target, sizes
    # Of each bucket the last file may hold what is left.
    assert len([size for size in sizes if size < target / 2]) <= 4, sizes
    assert len([size for size in sizes if size > 0.9 * target]) >= 8, sizes
