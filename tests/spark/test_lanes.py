"""Do both lanes give the same rows, names, types and nullability of every table of the corpus?

Each lane is forced in turn: Spark's own reader where it can read every file, Floeberg's, and the one that is chosen
file by file.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import floeberg as fb
from corpus import Case, cases, known_failures
from corpus.filters import Filter
from floeberg.errors import UnsupportedError
from floeberg.types import FixedType, TimeType
from reading import forms, rows_of

READABLE = [
    case
    for case in cases()
    if not case.is_view
    and not {(case.name, "rows"), (case.name, "open"), (case.name, "spark")} & known_failures().keys()
]


def check_lanes(scan: fb.Scan, spark: SparkSession) -> str:
    """Holds the lanes of a scan against each other; says why Spark's reader was not forced, where it was not."""
    ours = scan.to_spark(spark, reader="arrow", partitions=1, truncate_nanoseconds=True)
    expected, form = rows_of(ours), forms(ours)
    chosen = scan.to_spark(spark, partitions=1, truncate_nanoseconds=True)
    assert forms(chosen) == form
    assert rows_of(chosen) == expected
    try:
        native = scan.to_spark(spark, reader="native", truncate_nanoseconds=True)
    except UnsupportedError as why:
        return str(why)
    assert "FloebergDataSource" not in native._jdf.queryExecution().toString()
    assert forms(native) == form
    assert rows_of(native) == expected
    return ""


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_lanes_agree_on_every_table(case: Case, spark: SparkSession) -> None:
    table = case.open()
    check_lanes(table.scan(), spark)
    filters = [each for each in map(Filter, case.expected["filters"]) if each.expression is not None]
    telling = [each for each in filters if 0 < each.row_count < case.expected["row_count"]]
    for each in (telling or filters)[:1]:
        check_lanes(table.scan(row_filter=each.sql), spark)


def test_times_that_a_file_lacks_are_null(tmp_path: Path, spark: SparkSession) -> None:
    catalog = fb.load_catalog("times", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema([pa.field("id", pa.int64())]))
    table.append(pa.table({"id": [1, 2]}))
    with table.update_schema() as update:
        update.add_column("at", TimeType())
    assert "'at' has the type time" in check_lanes(table.scan(), spark)


def test_literals_that_spark_has_no_words_for_are_tested_by_us(tmp_path: Path, spark: SparkSession) -> None:
    schema = pa.schema([pa.field("key", pa.binary(3)), pa.field("day", pa.date32())])
    days = [date(2020, 1, 1), None, date(1969, 12, 31)]
    catalog = fb.load_catalog("literals", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", schema)
    table.append(pa.table({"key": [b"abc", b"\xff\xff\xff", None], "day": days}, schema))
    assert "for 'key'" in check_lanes(table.scan("key = X'FFFFFF'"), spark)
    # Files from before a column have nulls of it.
    with table.update_schema() as update:
        update.add_column("later", FixedType(3))
    assert "a literal of binary for 'later'" in check_lanes(
        table.scan("later IS NULL OR later = X'FFFFFF' OR day IS NULL", selected_fields=("day",)), spark
    )
    # A null may be in a file whose other rows all match.
    assert "a literal of date for 'day'" in check_lanes(table.scan("day < '+12000-01-01'"), spark)
