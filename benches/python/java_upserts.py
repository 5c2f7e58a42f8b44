"""Iceberg Java merges the rows that `upsert_rows.py` upserts, through Spark, into a table of its own.

Each run is on a branch of its own. Nothing but PySpark is imported: the environment has nothing else.
"""

from __future__ import annotations

from pathlib import Path

from java_deletes import made_table, on_branch

SOURCE = "source.parquet"
"""The name of the file with the rows of the source."""
PROPERTIES = {"format-version": "3", "write.merge.mode": "merge-on-read"}


def java_merge(location: str) -> int:
    """Merge by vectors: update what is there, insert what is not."""
    spark = made_table(location, PROPERTIES)
    spark.read.parquet(str(Path(location) / SOURCE)).createOrReplaceTempView("source")
    said = on_branch(
        spark,
        lambda table: (
            f"MERGE INTO {table} AS target USING source ON target.id = source.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        ),
    )
    return int(said["added-records"])
