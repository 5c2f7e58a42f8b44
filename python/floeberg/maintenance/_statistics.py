"""Which methods of maintenance compute statistics?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import checked_bool, checked_int, checked_names
from floeberg.maintenance._base import MaintainedTable
from floeberg.maintenance.compute_statistics import StatisticsComputation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.maintenance.results.statistics import ComputePartitionStatsResult, ComputeTableStatsResult

__all__ = ["StatisticsMaintenance"]


class StatisticsMaintenance(MaintainedTable):
    """The methods that compute statistics."""

    def compute_table_stats(
        self,
        *,
        snapshot_id: int | None = None,
        columns: Sequence[str] | None = None,
        dry_run: bool = False,
    ) -> ComputeTableStatsResult:
        """Estimates how many distinct values columns have, and writes a statistics file that the metadata names.

        The file is a Puffin file with a blob `apache-datasketches-theta-v1` for each column. Query engines plan joins
        by it. It is of one snapshot, and replaces the file that the snapshot had. All rows are read that are not
        deleted.

        Args:
            snapshot_id: The snapshot. By default the current one.
            columns: The columns, in structs by dotted names. By default, all columns of primitive types that are in no
                struct, list or map, without geometries and geographies.
            dry_run: Whether to compute only, and to write nothing.

        Returns:
            What was found out.

        Raises:
            NotFoundError: The table does not have the snapshot.
            InvalidInputError: A column does not exist in the snapshot, is not of a primitive type, or is in a list or a
                map; or there is no column.
            UnsupportedError: A column is a geometry or a geography.
            CommitStateUnknownError: The outcome is unknown. The statistics file was not removed.
            FloebergError: Those of every commit and of every scan. The statistics file was removed.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2, 2]}))
            >>> orders.maintenance.compute_table_stats().ndv
            {'id': 2}
            >>> orders.statistics()[0].blob_metadata[0].properties
            {'ndv': '2'}
        """
        wanted = None if snapshot_id is None else checked_int("snapshot_id", snapshot_id)
        names = None if columns is None else checked_names("columns", columns)
        return self._computation(dry_run=dry_run).of_columns(wanted, names, dry_run=dry_run)

    def compute_partition_stats(
        self,
        *,
        snapshot_id: int | None = None,
        force_refresh: bool = False,
        dry_run: bool = False,
    ) -> ComputePartitionStatsResult:
        """Counts rows, files and deletes of each partition, and writes a statistics file that the metadata names.

        Only manifests are read. If an ancestor of the snapshot has a statistics file, only those that were added since.
        A snapshot that has a file already keeps it.

        Args:
            snapshot_id: The snapshot. By default the current one.
            force_refresh: Whether all manifests are read, and a file that the snapshot has already is replaced.
            dry_run: Whether to compute only, and to write nothing.

        Returns:
            What was done.

        Raises:
            NotFoundError: The table does not have the snapshot.
            InvalidInputError: The table is not partitioned.
            UnsupportedError: A partition field has a transform that is not known.
            InvalidDataError: A manifest is damaged.
            CommitStateUnknownError: The outcome is unknown. The statistics file was not removed.
            FloebergError: Those of every commit. The statistics file was removed.

        Examples:
            >>> visits = catalog.create_table("db.visits", orders.schema(), partition_spec=["id"])
            >>> _ = visits.append(pa.table({"id": [1, 2, 2]}))
            >>> done = visits.maintenance.compute_partition_stats()
            >>> done.partitions_count
            2
            >>> visits.partition_statistics() == [done.partition_statistics_file]
            True
        """
        wanted = None if snapshot_id is None else checked_int("snapshot_id", snapshot_id)
        checked_bool("force_refresh", force_refresh)
        return self._computation(dry_run=dry_run).of_partitions(
            wanted, force_refresh=force_refresh, dry_run=dry_run
        )

    def _computation(self, *, dry_run: bool) -> StatisticsComputation:
        if not checked_bool("dry_run", dry_run):
            self._operations.check_writable()
        return StatisticsComputation(self._operations, self._table(), self._become)
