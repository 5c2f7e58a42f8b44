"""How are statistics files computed, and how does the table get them?

Rust computes, and writes a file that nothing names yet. A commit names it in the metadata. If it certainly failed, the
file is removed; if its outcome is unknown, the file stays.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.commit.loop import commit
from floeberg.errors import CommitStateUnknownError, FloebergError
from floeberg.maintenance.results.statistics import ComputePartitionStatsResult, ComputeTableStatsResult
from floeberg.statistics import read_partition_statistics, read_statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["StatisticsComputation"]


class StatisticsComputation:
    """Computes statistics of a table, and commits them."""

    def __init__(
        self, operations: TableOperations, table: OpenedTable, become: Callable[[OpenedTable], None]
    ) -> None:
        """Use `TableMaintenance.compute_table_stats`, or `TableMaintenance.compute_partition_stats`."""
        self._operations = operations
        self._table = table
        self._become = become

    def of_columns(
        self, snapshot_id: int | None, columns: list[str] | None, *, dry_run: bool
    ) -> ComputeTableStatsResult:
        """Does what `TableMaintenance.compute_table_stats` says."""
        done = _native.compute_table_stats(
            self._table, snapshot_id=snapshot_id, columns=columns, dry_run=dry_run
        )
        if done is None:
            return ComputeTableStatsResult(dry_run=dry_run)
        snapshot_id, ndv, written = done
        if written is None:
            return ComputeTableStatsResult(snapshot_id, dict(ndv), dry_run=dry_run)
        file = json.loads(written)
        self._commit("set", file)
        return ComputeTableStatsResult(snapshot_id, dict(ndv), read_statistics(file))

    def of_partitions(
        self, snapshot_id: int | None, *, force_refresh: bool, dry_run: bool
    ) -> ComputePartitionStatsResult:
        """Does what `TableMaintenance.compute_partition_stats` says."""
        done = _native.compute_partition_stats(
            self._table, snapshot_id=snapshot_id, force_refresh=force_refresh, dry_run=dry_run
        )
        if done is None:
            return ComputePartitionStatsResult(dry_run=dry_run)
        snapshot_id, partitions, since, written = done
        if written is None:
            return ComputePartitionStatsResult(snapshot_id, partitions, since, dry_run=dry_run)
        file = json.loads(written)
        # Without a number, the file was there already.
        if partitions is not None:
            self._commit("set-partition", file)
        return ComputePartitionStatsResult(
            snapshot_id, partitions, since, read_partition_statistics(file), dry_run=dry_run
        )

    def _commit(self, change: str, file: dict[str, Any]) -> None:
        operation = _native.Operation.set_statistics(json.dumps({change: file}))
        try:
            done = commit(self._operations, operations=[operation], starting=self._table)
        except CommitStateUnknownError:
            raise
        except FloebergError:
            with suppress(FloebergError):
                _native.remove_files(
                    [file["statistics-path"]], storage_options=dict(self._operations.storage_options)
                )
            raise
        self._become(done.table)
