"""Lance tables: their versions, how their rows are read, and how they change.

The table format is Floeberg's own. The pages of data files are decoded and encoded by pylance, which `floeberg[lance]`
installs.
"""

from floeberg.lance.blobs import LanceBlob
from floeberg.lance.changes import LanceChangelogScan
from floeberg.lance.creation import create_table
from floeberg.lance.difference import LanceTableDiff
from floeberg.lance.maintenance import LanceMaintenance
from floeberg.lance.manifest_store import ManifestStore
from floeberg.lance.migration import migrate_manifest_paths
from floeberg.lance.options import LanceCommitOptions
from floeberg.lance.plan import LancePlan, LanceTaskGroup
from floeberg.lance.receipt import LanceReceipt
from floeberg.lance.recipe import LanceWriteRecipe
from floeberg.lance.result import CleanupResult, CompactionResult, LanceCommitResult
from floeberg.lance.scan import LanceScan
from floeberg.lance.table import LanceTable

__all__ = [
    "CleanupResult",
    "CompactionResult",
    "LanceBlob",
    "LanceChangelogScan",
    "LanceCommitOptions",
    "LanceCommitResult",
    "LanceMaintenance",
    "LancePlan",
    "LanceReceipt",
    "LanceScan",
    "LanceTable",
    "LanceTableDiff",
    "LanceTaskGroup",
    "LanceWriteRecipe",
    "ManifestStore",
    "create_table",
    "migrate_manifest_paths",
]
