"""What keeps an Iceberg table healthy: files of a good size, snapshots that expire, files to remove, and statistics."""

from floeberg.maintenance.expire_snapshots import ExpireSnapshots
from floeberg.maintenance.reachable_files import delete_reachable_files
from floeberg.maintenance.results.metadata import (
    ConvertEqualityDeletesResult,
    RemoveDanglingDeletesResult,
    RewriteManifestsResult,
    RewritePositionDeleteFilesResult,
)
from floeberg.maintenance.results.paths import RewriteTablePathResult
from floeberg.maintenance.results.planning import (
    HealthFinding,
    MaintenanceCall,
    MaintenancePlan,
    MaintenanceRun,
    TableHealth,
)
from floeberg.maintenance.results.removing import (
    DeleteReachableFilesResult,
    ExpireSnapshotsResult,
    RemoveOrphanFilesResult,
)
from floeberg.maintenance.results.rewriting import RewriteDataFilesResult
from floeberg.maintenance.results.statistics import ComputePartitionStatsResult, ComputeTableStatsResult
from floeberg.maintenance.table_maintenance import TableMaintenance

__all__ = [
    "ComputePartitionStatsResult",
    "ComputeTableStatsResult",
    "ConvertEqualityDeletesResult",
    "DeleteReachableFilesResult",
    "ExpireSnapshots",
    "ExpireSnapshotsResult",
    "HealthFinding",
    "MaintenanceCall",
    "MaintenancePlan",
    "MaintenanceRun",
    "RemoveDanglingDeletesResult",
    "RemoveOrphanFilesResult",
    "RewriteDataFilesResult",
    "RewriteManifestsResult",
    "RewritePositionDeleteFilesResult",
    "RewriteTablePathResult",
    "TableHealth",
    "TableMaintenance",
    "delete_reachable_files",
]
