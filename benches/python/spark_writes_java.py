"""Writes through Spark by Iceberg Java, into tables of its own: a child of `bench_spark_writes.py`.

Nothing but PySpark is imported: the environment has nothing else.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from java_deletes import FILES, ICEBERG
from spark_writes import (
    BUCKETS,
    CHANGES,
    MERGE,
    MODES,
    TARGET_BYTES,
    new_name,
    serve,
    source,
    stream,
    streamed,
)

PROPERTIES = {"format-version": "3", **MODES}


def _table(spark: Any, place: Path) -> str:
    """A table with the rows that Floeberg's has."""
    name = f"java.db.{place.name.replace('-', '_')}"
    if not spark.catalog.tableExists(name):
        files = (place / FILES).read_text().splitlines()
        spark.read.parquet(*files).createOrReplaceTempView("given")
        spark.sql(f"CREATE TABLE {name} USING iceberg {_listed(PROPERTIES)} AS SELECT * FROM given")
    return name


def _listed(properties: dict[str, str]) -> str:
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
    return f"TBLPROPERTIES ({listed})"


def _summary(spark: Any, table: str, ref: str = "main") -> dict[str, str]:
    # What of the JVM PySpark has no public name for.
    util = spark._jvm.org.apache.iceberg.spark.Spark3Util  # noqa: SLF001
    return dict(util.loadIcebergTable(spark._jsparkSession, table).snapshot(ref).summary())  # noqa: SLF001


def change(statement: str, spark: Any, place: Path, rows: int) -> Any:  # noqa: ARG001 - a subject
    """A statement that changes rows of a branch."""
    table, branch = _table(spark, place), new_name()
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH {branch}")
    if statement is MERGE:
        source(spark, place)

    def work() -> dict[str, Any]:
        spark.sql(statement.format(table=f"{table}.branch_{branch}"))
        told = _summary(spark, table, branch)
        counts = (told.get("added-records", 0), told.get("added-position-deletes", 0))
        return {"count": [int(each) for each in counts]}

    return work


def append(target: int | None, spark: Any, place: Path, rows: int) -> Any:  # noqa: ARG001 - the same
    """Rows to a new table in buckets."""
    table, frame = f"java.db.{new_name()}", spark.read.parquet(str(place / "rows"))
    columns = ", ".join(f"{each.name} {each.dataType.simpleString()}" for each in frame.schema)
    size = {} if target is None else {"write.target-file-size-bytes": str(target)}
    spark.sql(
        f"CREATE TABLE {table} ({columns}) USING iceberg PARTITIONED BY (bucket({BUCKETS}, id)) "
        + _listed({"format-version": "3", **size})
    )

    def work() -> dict[str, Any]:
        frame.writeTo(table).append()
        told = _summary(spark, table)
        sizes = [row[0] for row in spark.sql(f"SELECT file_size_in_bytes FROM {table}.files").collect()]
        return {"count": [int(told["added-records"])], "sizes": sizes}

    return work


def batches(spark: Any, place: Path, rows: int) -> Any:
    """Small batches of a stream to a new table."""
    table, frame = f"java.db.{new_name()}", stream(spark, place, rows)
    columns = ", ".join(f"{each.name} {each.dataType.simpleString()}" for each in frame.schema)
    spark.sql(f"CREATE TABLE {table} ({columns}) USING iceberg {_listed({'format-version': '3'})}")

    def work() -> dict[str, Any]:
        told = streamed(lambda writer: writer.format("iceberg").toTable(table), frame, place)
        return {"count": [int(_summary(spark, table)["total-records"]), told["batches"]], **told}

    return work


if __name__ == "__main__":
    serve(
        {
            "merge": partial(change, MERGE),
            **{name: partial(change, statement) for name, statement in CHANGES.items()},
            "append": partial(append, None),
            "append_cut": partial(append, TARGET_BYTES),
            "stream": batches,
        },
        {
            **ICEBERG,
            "spark.jars": os.environ["ICEBERG_JAR"],
            "spark.sql.catalog.java.warehouse": f"{sys.argv[1]}/java",
        },
    )
