"""What did maintenance find out about a snapshot?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from floeberg.statistics import PartitionStatisticsFile, StatisticsFile

__all__ = ["ComputePartitionStatsResult", "ComputeTableStatsResult"]


@dataclass(frozen=True, repr=False)
class ComputeTableStatsResult(Result):
    """About how many distinct values the columns of a snapshot have.

    Attributes:
        snapshot_id: The snapshot; `None` for a table without one.
        ndv: The estimated number of distinct values by column. Up to 4096 it is exact; above, its standard error is
            1.6 %. Nulls, and texts and bytes of no length, are not counted.
        statistics_file: The file with a theta sketch of each column; `None` with `dry_run`.
        dry_run: Whether nothing was written.
    """

    snapshot_id: int | None = None
    ndv: dict[str, int] = field(default_factory=dict, hash=False)
    statistics_file: StatisticsFile | None = None
    dry_run: bool = False


@dataclass(frozen=True, repr=False)
class ComputePartitionStatsResult(Result):
    """Which file has the counts of the partitions of a snapshot.

    Attributes:
        snapshot_id: The snapshot; `None` for a table without one, and where there is no file to count.
        partitions_count: How many partitions were counted; `None` if the snapshot had its file already.
        since_snapshot_id: The snapshot whose statistics file the counts stand on, so that only newer manifests were
            read; `None` if all manifests of the snapshot were read.
        partition_statistics_file: The file; `None` with `dry_run`, unless the snapshot had it already.
        dry_run: Whether nothing was written.
    """

    snapshot_id: int | None = None
    partitions_count: int | None = None
    since_snapshot_id: int | None = None
    partition_statistics_file: PartitionStatisticsFile | None = None
    dry_run: bool = False
