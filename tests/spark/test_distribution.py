"""Spark brings rows of a bucket together by a bucket that is computed without Python, and is that of the table."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import functions as F  # noqa: N812

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.write.distribution import _HASHED_ALIKE, _bucket, distributed
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


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("own", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.mark.parametrize("mode", ["hash", "range"])
@pytest.mark.parametrize("kind", [pa.int32(), pa.int64()])
def test_the_least_and_greatest_integers_are_truncated(spark, lake, kind, mode):
    """`k - pmod(k, 10)` of the least one overflows, an error in Spark's ANSI mode. The table's transform wraps."""
    bits = kind.bit_width - 1
    own = [-(2**bits), -(2**bits) + 9, -11, -1, 0, 9, 2**bits - 1, None]
    rows = pa.table({"k": pa.array(own, kind)})
    table = lake.create_table("db.t", rows.schema, partition_spec=["truncate(10, k)"])
    floeberg.spark.write(spark.createDataFrame(rows), table, distribution_mode=mode)
    other = lake.create_table("db.other", rows.schema, partition_spec=["truncate(10, k)"])
    other.append(rows)
    assert sorted(table.refresh().scan().to_arrow()["k"].to_pylist(), key=repr) == sorted(own, key=repr)
    partitions = [each.inspect.partitions()["partition"].to_pylist() for each in (table, other)]
    assert sorted(map(repr, partitions[0])) == sorted(map(repr, partitions[1]))


def test_columns_with_dots_and_fields_of_structs_bring_rows_together(spark, lake):
    schema = pa.schema(
        {"a": pa.int64(), "a.b": pa.string(), "p": pa.struct({"x.y": pa.int64()}), "p.x": pa.string()}
    )
    rows = pa.table(
        {
            "a": range(400),
            "a.b": [f"s{number % 20}" for number in range(400)],
            "p": [{"x.y": number % 20} for number in range(400)],
            "p.x": ["same"] * 400,
        },
        schema,
    )
    frame = spark.createDataFrame(rows).repartition(4)
    spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    try:
        for at, (spec, order) in enumerate(
            [(["a.b"], None), (["p.x.y"], None), (["bucket(40, p.x.y)"], ["p.x", "a.b"])]
        ):
            table = lake.create_table(f"db.t{at}", schema, partition_spec=spec, sort_order=order)
            for mode in ("hash", "range"):
                names = {name: name for name in schema.names}
                spread = distributed(frame, table, mode, names)
                tasks = spread.select(F.spark_partition_id().alias("t"), F.col("`a.b`")).distinct().toArrow()
                assert len(set(tasks["t"].to_pylist())) > 1, (spec, mode)
                assert tasks.num_rows == 20, "a partition has one task"
            done = floeberg.spark.write(frame, table)
            assert done.added_rows == 400
            found = table.refresh().scan().to_arrow().sort_by("a")
            assert found.to_pylist() == rows.to_pylist()
    finally:
        spark.conf.unset("spark.sql.adaptive.coalescePartitions.enabled")


def test_a_target_of_any_size_leaves_the_settings_of_the_session(spark, lake):
    advised = "spark.sql.adaptive.advisoryPartitionSizeInBytes"
    own = {"write.target-file-size-bytes": str(2**63 - 1)}
    rows = pa.schema({"k": pa.int64()})
    table = lake.create_table("db.t", rows, partition_spec=["bucket(4, k)"], properties=own)
    spark.conf.set(advised, "77m")
    try:
        assert floeberg.spark.write(spark.range(9).withColumnRenamed("id", "k"), table).added_rows == 9
        assert spark.conf.get(advised) == "77m"
        refused = changed_settings(spark, {"spark.sql.shuffle.partitions": "3", advised: "no size"})
        before = spark.conf.get("spark.sql.shuffle.partitions")
        with pytest.raises(IllegalArgumentException), refused:
            pass
        assert (spark.conf.get(advised), spark.conf.get("spark.sql.shuffle.partitions")) == ("77m", before)
        with changed_settings(spark, {advised: "5m"}):
            pass
        assert spark.conf.get(advised) == "77m"
    finally:
        spark.conf.unset(advised)


def test_a_frame_without_columns_is_an_error(spark, lake):
    table = lake.create_table("db.t", pa.schema({"k": pa.int64()}))
    with pytest.raises(InvalidInputError, match="the DataFrame has no columns"):
        floeberg.spark.write(spark.range(3).select(), table)


def test_a_target_that_is_no_number_is_an_error(spark, lake):
    table = lake.create_table("db.u", pa.schema({"k": pa.int64()}))
    frame = spark.range(9).withColumnRenamed("id", "k")
    options = {"write.target-file-size-bytes": "512mb"}
    with pytest.raises(InvalidInputError, match="expected a whole number of at least 1, found.*512mb"):
        floeberg.spark.write(frame, table, options=options)
    assert table.refresh().scan().count() == 0
