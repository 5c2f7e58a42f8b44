"""Iceberg Java writes the files again that `maintenance_rows.py` writes again, through Spark, in a table of its own.

Each run begins at the snapshot with the files as they were made. Nothing but PySpark is imported: the environment has
nothing else.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from java_deletes import FILES, TABLE, made_table

CALL = "CALL java.system.{procedure}(table => 'db.rows', {arguments})"


def java_binpack(location: str) -> int:
    """Join the files."""
    return _rewritten(location, "strategy => 'binpack'")


def java_sort(location: str) -> int:
    """Sort the rows of all files."""
    return _rewritten(location, "strategy => 'sort', sort_order => 'hash'")


def _rewritten(location: str, how: str) -> int:
    spark = made_table(location, {"format-version": "2"})
    snapshots = f"SELECT snapshot_id FROM {TABLE}.snapshots ORDER BY committed_at"
    if not (Path(location) / "java-files").exists():
        # Of the same files: copies, since Iceberg takes a folder.
        copies = Path(location) / "java-files"
        copies.mkdir()
        for name in (Path(location) / FILES).read_text().splitlines():
            shutil.copy(name, copies)
        spark.sql(f"DELETE FROM {TABLE}")
        spark.sql(CALL.format(procedure="add_files", arguments=f"source_table => '`parquet`.`{copies}`'"))
        added = spark.sql(f"{snapshots} DESC").first()[0]
        (Path(location) / "java-snapshot").write_text(str(added))
    added = (Path(location) / "java-snapshot").read_text()
    spark.sql(CALL.format(procedure="set_current_snapshot", arguments=f"snapshot_id => {added}"))
    options = "options => map('rewrite-all', 'true')"
    spark.sql(CALL.format(procedure="rewrite_data_files", arguments=f"{how}, {options}"))
    (summary,) = spark.sql(f"SELECT summary FROM {TABLE}.snapshots ORDER BY committed_at DESC").first()
    return int(summary["added-records"])
