"""What is measured: the same work by Floeberg and by its peers."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floeberg import Table


def floeberg_plan(location: str) -> int:
    """Open and plan."""
    import floeberg as fb

    return len(fb.open_table(location).scan().plan_files())


def floeberg_plan_day(location: str) -> int:
    """Open and plan one day of a thousand."""
    import floeberg as fb

    words = "ts >= '2023-06-01T00:00:00Z' AND ts < '2023-06-02T00:00:00Z'"
    return len(fb.open_table(location).scan(row_filter=words).plan_files())


def floeberg_plan_point(location: str) -> int:
    """Open and plan one id, which no manifest can be dropped by: each has files of every bucket."""
    import floeberg as fb

    return len(fb.open_table(location).scan(row_filter="id = 1234567").plan_files())


def floeberg_stream(location: str) -> int:
    """Open and plan, and take the plan batch by batch."""
    import floeberg as fb

    return sum(batch.num_rows for batch in fb.open_table(location).scan().plan_files().iter_batches())


def floeberg_replan(location: str) -> int:
    """Plan a table that is open: what it read before it remembers."""
    return len(_open(location).scan().plan_files())


@cache
def _open(location: str) -> Table:
    import floeberg as fb

    return fb.open_table(location)


def pyiceberg_plan(location: str) -> int:
    """Open and plan."""
    from pyiceberg.table import StaticTable

    return len(list(StaticTable.from_metadata(location).scan().plan_files()))


def pyiceberg_plan_day(location: str) -> int:
    """Open and plan one day of a thousand."""
    from pyiceberg.table import StaticTable

    words = "ts >= '2023-06-01T00:00:00+00:00' AND ts < '2023-06-02T00:00:00+00:00'"
    return len(list(StaticTable.from_metadata(location).scan(row_filter=words).plan_files()))


def duckdb_plan(location: str) -> int:
    """Open and explain: DuckDB reads every manifest before it does. It does not say how many files there are."""
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for name in ("avro", "iceberg"):
        package = Path(str(find_spec(f"duckdb_extension_{name}").origin)).parent  # type: ignore[union-attr]
        (extension,) = package.glob("extensions/*/*.duckdb_extension")
        connection.load_extension(str(extension))
    connection.execute(f"EXPLAIN SELECT * FROM iceberg_scan('{location}')").fetchall()
    return 0


def java_plan(location: str) -> int:
    """Open and plan, in a JVM that is there already: tasks are counted in it, and none is made in Python."""
    jvm, tables = _java_tables()
    tasks = tables.load(str(Path(location).parent.parent)).newScan().planFiles()
    return int(jvm.org.apache.iceberg.relocated.com.google.common.collect.Iterables.size(tasks))


@cache
def _java_tables() -> tuple[Any, Any]:
    """A JVM with Iceberg's jar, which the environment names, and what opens tables by their folder."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.jars", os.environ["ICEBERG_JAR"])
    for name, value in {"driver.memory": "6g", "ui.enabled": "false", "log.level": "ERROR"}.items():
        builder = builder.config(f"spark.{name}", value)
    spark = builder.getOrCreate()
    # What of the JVM PySpark has no public name for.
    jvm: Any = spark._jvm  # noqa: SLF001
    configuration: Any = spark._jsc.hadoopConfiguration()  # noqa: SLF001
    return jvm, jvm.org.apache.iceberg.hadoop.HadoopTables(configuration)


def floeberg_scan(location: str) -> int:
    """Read all rows and columns, batch by batch."""
    import floeberg as fb

    return sum(batch.num_rows for batch in fb.open_table(location).scan().to_arrow_batch_reader())


def floeberg_scan_two_columns(location: str) -> int:
    """Read two columns of all rows, batch by batch."""
    import floeberg as fb

    scan = fb.open_table(location).scan(selected_fields=("id", "price"))
    return sum(batch.num_rows for batch in scan.to_arrow_batch_reader())


def pyarrow_scan(location: str) -> int:
    """Read all rows and columns of the data files, batch by batch; no table, no deletes."""
    return _pyarrow(location, None)


def pyarrow_scan_two_columns(location: str) -> int:
    """Read two columns of all rows of the data files, batch by batch."""
    return _pyarrow(location, ["id", "price"])


def _pyarrow(location: str, columns: list[str] | None) -> int:
    from pathlib import Path

    import pyarrow.dataset as ds

    files = sorted(Path(location).parent.parent.joinpath("data").glob("*-[0-9][0-9][0-9].parquet"))
    return sum(batch.num_rows for batch in ds.dataset(list(map(str, files))).to_batches(columns=columns))
