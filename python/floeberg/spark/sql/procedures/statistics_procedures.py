"""How do CALLs compute statistics?

Arguments and columns are those of Iceberg's procedures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.table import Table

__all__ = ["compute_partition_stats", "compute_table_stats"]


def compute_table_stats(table: Table, given: Mapping[str, Any]) -> list[tuple[str]]:
    """Computes statistics of columns: the location of the file; no row for a table without a snapshot."""
    done = table.maintenance.compute_table_stats(
        snapshot_id=given.get("snapshot_id"), columns=given.get("columns")
    )
    return [] if done.statistics_file is None else [(done.statistics_file.statistics_path,)]


def compute_partition_stats(table: Table, given: Mapping[str, Any]) -> list[tuple[str]]:
    """Counts partitions: the location of the file; no row where there is nothing to count."""
    done = table.maintenance.compute_partition_stats(snapshot_id=given.get("snapshot_id"))
    file = done.partition_statistics_file
    return [] if file is None else [(file.statistics_path,)]
