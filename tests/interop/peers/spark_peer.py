"""Iceberg Java in Spark: statements over tables in folders, and over those of REST catalogs.

`ICEBERG_JARS` names the jars, joined as a class path is. `FLOEBERG_SPARK_PLACE` names a folder for Spark's own files.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from pyspark.sql import SparkSession
from serve import serve

PLACE = os.environ["FLOEBERG_SPARK_PLACE"]
CONFS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraClassPath": os.environ["ICEBERG_JARS"],
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.local.dir": f"{PLACE}/local",
    "spark.log.level": "ERROR",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.warehouse.dir": f"{PLACE}/warehouse",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@cache
def session() -> SparkSession:
    """The session, made where it is first asked, when nothing is printed among answers any more."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("floeberg-interop")
    for name, value in CONFS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def sql(text: str, catalog: str, warehouse: str) -> list[list[Any]]:
    """Run a statement over the tables of a folder, which are named after a catalog; its rows."""
    spark, key = session(), f"spark.sql.catalog.{catalog}"
    # Others commit to these tables, so that none may be remembered.
    options = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".cache-enabled": "false"}
    for name, value in {**options, ".warehouse": warehouse}.items():
        spark.conf.set(key + name, value)
    return [list(row) for row in spark.sql(text).collect()]


def sql_rest(text: str, catalog: str, **properties: str) -> list[list[Any]]:
    """Run a statement over the tables of a server, which are named after a catalog; its rows."""
    spark, key = session(), f"spark.sql.catalog.{catalog}"
    options = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".cache-enabled": "false"}
    for name, value in {**options, **{f".{each}": properties[each] for each in properties}}.items():
        spark.conf.set(key + name, value)
    return [list(row) for row in spark.sql(text).collect()]


serve({"sql": sql, "sql_rest": sql_rest})
