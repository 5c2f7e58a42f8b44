"""Functions of Spark columns give what the table's transforms give, in every session zone."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import pyarrow as pa
import pytest
from pyspark.sql import functions as F  # noqa: N812 - its usual name

import floeberg.spark.functions as fs
import floeberg.transforms as ft
from floeberg.errors import InvalidInputError


def wall(*parts: int) -> dt.datetime:
    """A timestamp without a zone."""
    return dt.datetime(*parts)  # noqa: DTZ001 - it has none


UUIDS = [str(uuid.UUID(int=number)) for number in (0, 1, 2**100)]
COLUMNS = {
    "i": ([1, -11, None, 2**31 - 1], "int", pa.int32()),
    "l": ([1, -11, None, 2**62], "bigint", pa.int64()),
    "d": ([decimal.Decimal("1.25"), decimal.Decimal("-0.01"), None, decimal.Decimal(0)],
          "decimal(20,2)", pa.decimal128(20, 2)),
    "s": (["iceberg", "", None, "\u00e9\U0001f600abc"], "string", pa.string()),
    "b": ([b"\x00\x01\x02\x03", b"", None, bytes(40)], "binary", pa.binary()),
    "u": ([*UUIDS[:2], None, UUIDS[2]], "string", pa.string()),
    "day": ([dt.date(1969, 12, 31), dt.date(2024, 2, 29), None, dt.date(1, 1, 1)], "date", pa.date32()),
    "ntz": ([wall(1969, 12, 31, 23, 59, 59, 999999), wall(2024, 2, 29, 1), None,
             wall(1970, 1, 1)], "timestamp_ntz", pa.timestamp("us")),
    "ts": ([dt.datetime(1969, 12, 31, 23, 59, 59, 999999, dt.timezone.utc),
            dt.datetime(2024, 2, 29, 1, tzinfo=dt.timezone.utc), None,
            dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)], "timestamp", pa.timestamp("us", "UTC")),
}  # fmt: skip


@pytest.fixture(params=["UTC", "America/New_York"])
def frame(spark, request):
    """All columns, in a session of a zone."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", request.param)
    schema = ", ".join(f"{name} {kind}" for name, (_, kind, _) in COLUMNS.items())
    rows = list(zip(*(values for values, _, _ in COLUMNS.values()), strict=True))
    yield spark.createDataFrame(rows, schema)
    spark.conf.set("spark.sql.session.timeZone", before)


def arrow(name):
    values, _, kind = COLUMNS[name]
    return pa.array(values, kind)


def test_functions_are_the_tables_transforms(frame):
    expected, columns = {}, []

    def ask(name, column, array):
        expected[name] = array.to_pylist()
        columns.append(column.alias(name))

    for name in ("i", "l", "d", "s", "b", "day", "ntz", "ts"):
        ask(f"bucket_{name}", fs.bucket(16, name), ft.bucket(arrow(name), 16))
    for name in ("i", "l", "d", "s", "b"):
        cut = fs.truncate(3, F.col(name), source_type=COLUMNS[name][1])
        ask(f"truncate_{name}", cut, ft.truncate(arrow(name), 3))
    for name in ("day", "ntz", "ts"):
        ask(f"years_{name}", fs.years(name), ft.years(arrow(name)))
        ask(f"months_{name}", fs.months(name), ft.months(arrow(name)))
        ask(f"days_{name}", fs.days(name), ft.days(arrow(name)))
    for name in ("ntz", "ts"):
        ask(f"hours_{name}", fs.hours(F.col(name)), ft.hours(arrow(name)))
    bytes_of_uuids = [None if text is None else uuid.UUID(text).bytes for text in COLUMNS["u"][0]]
    ask(
        "uuid", fs.bucket(16, "u", source_type="uuid"), ft.bucket(pa.array(bytes_of_uuids, pa.binary(16)), 16)
    )
    rows = frame.coalesce(1).select(*columns).collect()
    assert {name: [row[name] for row in rows] for name in expected} == expected


def test_rows_of_a_bucket_come_together(spark):
    frame = spark.range(200).withColumn("bucket", fs.bucket(5, "id")).repartition(4, fs.bucket(5, "id"))
    # The column may come first.
    frame = frame.where(fs.bucket("id", 5) == fs.bucket(5, "id"))
    places = frame.select("bucket", F.spark_partition_id().alias("place")).distinct().collect()
    assert sorted(row["bucket"] for row in places) == [0, 1, 2, 3, 4]


def test_arguments_are_checked_before_anything_runs():
    with pytest.raises(InvalidInputError, match="n: expected an integer"):
        fs.bucket(0, "id")
    with pytest.raises(InvalidInputError, match="source_type"):
        fs.bucket(4, "id", source_type="int")
    with pytest.raises(InvalidInputError, match="width"):
        fs.truncate(0, "id", source_type="int")
