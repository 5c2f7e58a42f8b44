"""Reads, plans and writes Apache Iceberg tables, and reads Lance tables.

A Rust core, a thin Python package, Arrow in between.

Importing this package does not import pyarrow or other large packages. A call imports what its result needs.

Examples:
    >>> import floeberg as fb
    >>> table = fb.open_table(location, relocate=warehouse)
    >>> table.scan(row_filter="id >= 2", selected_fields=("id",), limit=1).count()
    1
"""

from typing import TYPE_CHECKING

from floeberg import (
    _native,
    catalog,
    errors,
    exceptions,
    expressions,
    lance,
    partitioning,
    schema,
    statistics,
    transforms,
    types,
    variant,
)
from floeberg._table_like import CommitLike, InspectLike, ScanLike, TableLike, UpsertLike, VersionLike
from floeberg.catalog import Catalog, load_catalog
from floeberg.commit import CommitResult, MergeBuilder, ProgressReport, Transaction, UpsertResult
from floeberg.commit.manage_snapshots import ManageSnapshots
from floeberg.commit.update_schema import UpdateSchema
from floeberg.commit.update_sort_order import UpdateSortOrder
from floeberg.commit.update_spec import UpdateSpec
from floeberg.commit.update_statistics import UpdateStatistics
from floeberg.copying import CopyResult, copy
from floeberg.errors import FloebergError
from floeberg.expressions import col, lit, sql_expr
from floeberg.lance import LanceChanges, LancePlan, LanceScan, LanceTable, LanceTaskGroup
from floeberg.lance.scan import register_lance_frames
from floeberg.scan.changelog import ChangelogScan, register_changelog_frames
from floeberg.scan.explain import AggregateResult, Explain
from floeberg.scan.plan import Plan
from floeberg.scan.scan import Scan, register_frames
from floeberg.scan.task_group import TaskGroup
from floeberg.scan.tasks import DataFile, DeleteFile, FileScanTask
from floeberg.table import Table, open_table
from floeberg.view import View, open_view
from floeberg.write.receipt import Receipt
from floeberg.write.recipe import WriteRecipe
from floeberg.write.row_delta import RowDeltaReceipt, RowDeltaRecipe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan.explain import Lane
    from floeberg.scan.scan import Planning, Reader

__all__ = [
    "AggregateResult",
    "Catalog",
    "ChangelogScan",
    "CommitLike",
    "CommitResult",
    "CopyResult",
    "DataFile",
    "DeleteFile",
    "Explain",
    "FileScanTask",
    "FloebergError",
    "InspectLike",
    "LanceChanges",
    "LancePlan",
    "LanceScan",
    "LanceTable",
    "LanceTaskGroup",
    "ManageSnapshots",
    "MergeBuilder",
    "Plan",
    "ProgressReport",
    "Receipt",
    "RowDeltaReceipt",
    "RowDeltaRecipe",
    "Scan",
    "ScanLike",
    "Table",
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
    "col",
    "copy",
    "errors",
    "exceptions",
    "expressions",
    "lance",
    "lit",
    "load_catalog",
    "open_table",
    "open_view",
    "partitioning",
    "schema",
    "sql_expr",
    "statistics",
    "transforms",
    "types",
    "variant",
]

__version__ = _native.__version__


def _spark_frame(
    scan: Scan,
    spark: "SparkSession",
    options: dict[str, int | bool | None],
    reader: "Reader",
    planning: "Planning",
) -> "DataFrame":
    from floeberg.spark.native.frame import frame_of  # noqa: PLC0415 - importing floeberg imports nothing large

    return frame_of(scan, spark, options, reader, planning)


def _spark_lanes(scan: Scan, spark: "SparkSession") -> "tuple[Lane, ...]":
    from floeberg.spark.native.frame import lanes_told  # noqa: PLC0415 - the same

    return lanes_told(scan, spark)


def _changelog_frame(
    changes: ChangelogScan, spark: "SparkSession", options: dict[str, int | bool | None]
) -> "DataFrame":
    from floeberg.spark.read.changelog_reader import changelog_frame  # noqa: PLC0415 - the same

    return changelog_frame(changes, spark, options)


def _lance_frame(
    scan: LanceScan, spark: "SparkSession", options: dict[str, int | bool | None]
) -> "DataFrame":
    from floeberg.spark.lance.frame import lance_frame  # noqa: PLC0415 - the same

    return lance_frame(scan, spark, options)


register_frames("spark", _spark_frame, _spark_lanes)
register_changelog_frames("spark", _changelog_frame)
register_lance_frames("spark", _lance_frame)
