"""What keeps an Iceberg table healthy?"""

from __future__ import annotations

from floeberg._keywords import says_keywords_of_methods
from floeberg.maintenance._removing import RemovingMaintenance
from floeberg.maintenance._rewriting import RewritingMaintenance
from floeberg.maintenance._statistics import StatisticsMaintenance

__all__ = ["TableMaintenance"]


@says_keywords_of_methods
class TableMaintenance(RewritingMaintenance, RemovingMaintenance, StatisticsMaintenance):
    """What keeps an Iceberg table healthy. Options have the names of Spark's procedures."""

    def __repr__(self) -> str:
        return (
            "TableMaintenance(rewrite_data_files, expire_snapshots, remove_orphan_files, compute_table_stats, "
            "compute_partition_stats)"
        )
