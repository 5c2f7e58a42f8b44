"""Writes through Spark by Floeberg: a child of `bench_spark_writes.py`."""

from __future__ import annotations

import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

from append_rows import SCHEMA as APPENDED
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
from upsert_rows import SCHEMA as STREAMED

import floeberg as fb
import floeberg.spark


@cache
def _catalog(place: Path) -> fb.Catalog:
    location = {"uri": f"sqlite:///{place}/catalog.db", "warehouse": f"file://{place}/warehouse"}
    return fb.load_catalog("bench", type="sql", **location)


@cache
def _new_tables() -> fb.Catalog:
    """A catalog as Iceberg Java's: a folder."""
    catalog = fb.load_catalog("new", type="filesystem", warehouse=f"{sys.argv[1]}/floeberg")
    catalog.create_namespace_if_not_exists("db")
    return catalog


def change(statement: str, spark: Any, place: Path, rows: int) -> Any:  # noqa: ARG001 - a subject
    """A statement that changes rows of a branch."""
    catalog, branch = _catalog(place), new_name()
    table = catalog.load_table("bench.rows")
    if not set(MODES.items()) <= set(table.properties.items()):
        table.set_properties(MODES)
    floeberg.spark.sql(spark, f"ALTER TABLE bench.rows CREATE BRANCH {branch}", catalog=catalog)
    if statement is MERGE:
        source(spark, place)

    def work() -> dict[str, Any]:
        text = statement.format(table=f"bench.rows.branch_{branch}")
        (done,) = floeberg.spark.sql(spark, text, catalog=catalog).collect()
        added = done.updated_rows + done.inserted_rows
        return {"count": [added, done.updated_rows + done.deleted_rows]}

    return work


def append(target: int | None, spark: Any, place: Path, rows: int) -> Any:  # noqa: ARG001 - the same
    """Rows to a new table in buckets."""
    frame = spark.read.parquet(str(place / "rows"))
    size = {} if target is None else {"write.target-file-size-bytes": str(target)}
    spec = [f"bucket({BUCKETS}, id)"]
    table = _new_tables().create_table(
        f"db.{new_name()}", APPENDED, partition_spec=spec, format_version=3, properties=size
    )

    def work() -> dict[str, Any]:
        floeberg.spark.write(frame, table)
        summary = table.refresh().current_snapshot().summary
        sizes = table.inspect.files()["file_size_in_bytes"].to_pylist()
        return {"count": [int(summary["added-records"])], "sizes": sizes}

    return work


def batches(spark: Any, place: Path, rows: int) -> Any:
    """Small batches of a stream to a new table."""
    floeberg.spark.register(spark)
    frame = stream(spark, place, rows)
    table = _new_tables().create_table(f"db.{new_name()}", STREAMED, format_version=3)

    def work() -> dict[str, Any]:
        told = streamed(
            lambda writer: writer.format("floeberg").option("path", table.location()).start(), frame, place
        )
        total = table.refresh().current_snapshot().summary["total-records"]
        return {"count": [int(total), told["batches"]], **told}

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
        {},
    )
