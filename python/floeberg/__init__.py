"""Reads, plans and writes Apache Iceberg tables, and reads Lance tables.

A Rust core, a thin Python package, Arrow in between.

Importing this package does not import pyarrow or other large packages. A call imports what its result needs.

Examples:
    >>> import floeberg as fb
    >>> table = fb.open_table(location, relocate=warehouse)
    >>> table.scan(row_filter="id >= 2", selected_fields=("id",), limit=1).count()
    1
"""

from importlib import import_module
from typing import TYPE_CHECKING

from floeberg import _native

if TYPE_CHECKING:
    from floeberg import (
        catalog,
        checking,
        comparing,
        encryption,
        errors,
        exceptions,
        expressions,
        lance,
        partitioning,
        rebuilding,
        repairing,
        report,
        schema,
        serving,
        statistics,
        transforms,
        types,
        variant,
    )
    from floeberg._read_files import read_files
    from floeberg._table_like import (
        CommitLike,
        CompactionLike,
        ExpiryLike,
        InspectLike,
        MaintenanceLike,
        ScanLike,
        TableLike,
        UpsertLike,
        VersionLike,
    )
    from floeberg.catalog import Catalog, load_catalog
    from floeberg.checking import Check, Finding, check
    from floeberg.commit import (
        CommitOptions,
        CommitResult,
        MergeBuilder,
        ProgressReport,
        SnapshotOptions,
        Transaction,
        UpsertResult,
    )
    from floeberg.commit.manage_snapshots import ManageSnapshots
    from floeberg.commit.update_schema import UpdateSchema
    from floeberg.commit.update_sort_order import UpdateSortOrder
    from floeberg.commit.update_spec import UpdateSpec
    from floeberg.commit.update_statistics import UpdateStatistics
    from floeberg.comparing import TableDiff
    from floeberg.copying import CopyResult, copy
    from floeberg.errors import FloebergError
    from floeberg.expressions import col, lit, sql_expr
    from floeberg.lance import (
        LanceChangelogScan,
        LancePlan,
        LanceScan,
        LanceTable,
        LanceTableDiff,
        LanceTaskGroup,
    )
    from floeberg.rebuilding import RebuildResult, rebuild, rebuild_candidates
    from floeberg.repairing import repair
    from floeberg.report import Report
    from floeberg.scan.changelog import ChangelogScan
    from floeberg.scan.explain import AggregateResult, Explain
    from floeberg.scan.plan import Plan
    from floeberg.scan.scan import Scan
    from floeberg.scan.task_group import TaskGroup
    from floeberg.scan.tasks import DataFile, DeleteFile, FileScanTask
    from floeberg.serving import serve
    from floeberg.table import Table, open_table
    from floeberg.view import View, open_view
    from floeberg.write.receipt import Receipt
    from floeberg.write.recipe import WriteRecipe
    from floeberg.write.row_delta import RowDeltaReceipt, RowDeltaRecipe

__all__ = [
    "AggregateResult",
    "Catalog",
    "ChangelogScan",
    "Check",
    "CommitLike",
    "CommitOptions",
    "CommitResult",
    "CompactionLike",
    "CopyResult",
    "DataFile",
    "DeleteFile",
    "ExpiryLike",
    "Explain",
    "FileScanTask",
    "Finding",
    "FloebergError",
    "InspectLike",
    "LanceChangelogScan",
    "LancePlan",
    "LanceScan",
    "LanceTable",
    "LanceTableDiff",
    "LanceTaskGroup",
    "MaintenanceLike",
    "ManageSnapshots",
    "MergeBuilder",
    "Plan",
    "ProgressReport",
    "RebuildResult",
    "Receipt",
    "Report",
    "RowDeltaReceipt",
    "RowDeltaRecipe",
    "Scan",
    "ScanLike",
    "SnapshotOptions",
    "Table",
    "TableDiff",
    "TableLike",
    "TaskGroup",
    "Transaction",
    "UpdateSchema",
    "UpdateSortOrder",
    "UpdateSpec",
    "UpdateStatistics",
    "UpsertLike",
    "UpsertResult",
    "VersionLike",
    "View",
    "WriteRecipe",
    "catalog",
    "check",
    "checking",
    "col",
    "comparing",
    "copy",
    "encryption",
    "errors",
    "exceptions",
    "expressions",
    "lance",
    "lit",
    "load_catalog",
    "open_table",
    "open_view",
    "partitioning",
    "read_files",
    "rebuild",
    "rebuild_candidates",
    "rebuilding",
    "repair",
    "repairing",
    "report",
    "schema",
    "serve",
    "serving",
    "sql_expr",
    "statistics",
    "transforms",
    "types",
    "variant",
]

__version__ = _native.__version__

# Loaded when asked for: a program that opens one table needs neither catalogs nor views.
_MODULES = {
    "AggregateResult": "floeberg.scan.explain",
    "Catalog": "floeberg.catalog",
    "ChangelogScan": "floeberg.scan.changelog",
    "Check": "floeberg.checking",
    "CommitLike": "floeberg._table_like",
    "CommitOptions": "floeberg.commit",
    "CommitResult": "floeberg.commit",
    "CompactionLike": "floeberg._table_like",
    "CopyResult": "floeberg.copying",
    "DataFile": "floeberg.scan.tasks",
    "DeleteFile": "floeberg.scan.tasks",
    "ExpiryLike": "floeberg._table_like",
    "Explain": "floeberg.scan.explain",
    "FileScanTask": "floeberg.scan.tasks",
    "Finding": "floeberg.checking",
    "FloebergError": "floeberg.errors",
    "InspectLike": "floeberg._table_like",
    "LanceChangelogScan": "floeberg.lance",
    "LancePlan": "floeberg.lance",
    "LanceScan": "floeberg.lance",
    "LanceTable": "floeberg.lance",
    "LanceTableDiff": "floeberg.lance",
    "LanceTaskGroup": "floeberg.lance",
    "MaintenanceLike": "floeberg._table_like",
    "ManageSnapshots": "floeberg.commit.manage_snapshots",
    "MergeBuilder": "floeberg.commit",
    "Plan": "floeberg.scan.plan",
    "ProgressReport": "floeberg.commit",
    "RebuildResult": "floeberg.rebuilding",
    "Receipt": "floeberg.write.receipt",
    "Report": "floeberg.report",
    "RowDeltaReceipt": "floeberg.write.row_delta",
    "RowDeltaRecipe": "floeberg.write.row_delta",
    "Scan": "floeberg.scan.scan",
    "ScanLike": "floeberg._table_like",
    "SnapshotOptions": "floeberg.commit",
    "Table": "floeberg.table",
    "TableDiff": "floeberg.comparing",
    "TableLike": "floeberg._table_like",
    "TaskGroup": "floeberg.scan.task_group",
    "Transaction": "floeberg.commit",
    "UpdateSchema": "floeberg.commit.update_schema",
    "UpdateSortOrder": "floeberg.commit.update_sort_order",
    "UpdateSpec": "floeberg.commit.update_spec",
    "UpdateStatistics": "floeberg.commit.update_statistics",
    "UpsertLike": "floeberg._table_like",
    "UpsertResult": "floeberg.commit",
    "VersionLike": "floeberg._table_like",
    "View": "floeberg.view",
    "WriteRecipe": "floeberg.write.recipe",
    "check": "floeberg.checking",
    "col": "floeberg.expressions",
    "copy": "floeberg.copying",
    "lit": "floeberg.expressions",
    "load_catalog": "floeberg.catalog",
    "open_table": "floeberg.table",
    "open_view": "floeberg.view",
    "read_files": "floeberg._read_files",
    "rebuild": "floeberg.rebuilding",
    "rebuild_candidates": "floeberg.rebuilding",
    "repair": "floeberg.repairing",
    "serve": "floeberg.serving",
    "sql_expr": "floeberg.expressions",
}
_SUBMODULES = (
    "catalog",
    "checking",
    "commit",
    "comparing",
    "encryption",
    "errors",
    "exceptions",
    "expressions",
    "lance",
    "partitioning",
    "rebuilding",
    "repairing",
    "report",
    "scan",
    "schema",
    "serving",
    "statistics",
    "table",
    "transforms",
    "types",
    "variant",
    "view",
    "write",
)


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return import_module(f"floeberg.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'floeberg' has no attribute {name!r}")
    # Kept, so that it is looked up once.
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
