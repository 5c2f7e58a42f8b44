"""Iceberg Java deletes the rows that `delete_rows.py` deletes, through Spark, from tables of its own.

Each run is on a branch of its own. Nothing but PySpark and the settings of `spark_queries.py` are imported: the
environment has nothing else.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from spark_queries import CONFS

SCATTERED = "hash < 50000"
TABLE = "java.db.rows"
FILES = "data_files.txt"
"""Where the names of the data files are that the rows are taken from."""
ICEBERG = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.java": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.java.type": "hadoop",
}


def java_delete(location: str) -> int:
    """Delete by vectors."""
    return int(_deleted(location, 3, "merge-on-read")["added-position-deletes"])


def java_copy(location: str) -> int:
    """Delete by copies."""
    said = _deleted(location, 2, "copy-on-write")
    return int(said["deleted-records"]) - int(said["added-records"])


def _deleted(location: str, version: int, mode: str) -> Any:
    """What the snapshot says of itself that a delete made, on a new branch."""
    spark = made_table(location, {"format-version": str(version), "write.delete.mode": mode})
    return on_branch(spark, lambda table: f"DELETE FROM {table} WHERE {SCATTERED}")


def on_branch(spark: Any, statement: Callable[[str], str]) -> Any:
    """What the snapshot says of itself that a statement made, on a new branch."""
    branch = f"run_{uuid.uuid4().hex}"
    spark.sql(f"ALTER TABLE {TABLE} CREATE BRANCH {branch}")
    spark.sql(statement(f"{TABLE}.branch_{branch}"))
    # What of the JVM PySpark has no public name for.
    util = spark._jvm.org.apache.iceberg.spark.Spark3Util  # noqa: SLF001
    table = util.loadIcebergTable(spark._jsparkSession, TABLE)  # noqa: SLF001
    return table.snapshot(branch).summary()


@cache
def _session(location: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.jars", os.environ["ICEBERG_JAR"])
    warehouse = {"spark.sql.catalog.java.warehouse": f"{location}/java"}
    for name, value in {**CONFS, **ICEBERG, **warehouse}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def made_table(location: str, properties: dict[str, str]) -> Any:
    """A session, with the same rows in a table of Iceberg Java's own."""
    spark = _session(location)
    if not spark.catalog.tableExists(TABLE):
        files = (Path(location) / FILES).read_text().splitlines()
        spark.read.parquet(*files).createOrReplaceTempView("given")
        listed = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
        spark.sql(f"CREATE TABLE {TABLE} USING iceberg TBLPROPERTIES ({listed}) AS SELECT * FROM given")
    return spark
