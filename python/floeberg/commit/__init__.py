"""How operations become part of a table: commits, and the contract for catalogs that store tables.

A catalog of your own implements this contract, `TableOperations`. Everything else here is built on it.
"""

from floeberg.commit.attempt import Attempt
from floeberg.commit.merge_builder import MergeBuilder
from floeberg.commit.operations import OpenedTable, TableOperations, open_metadata, table_from_metadata
from floeberg.commit.options import CommitOptions, SnapshotOptions
from floeberg.commit.result import CommitResult, UpsertResult
from floeberg.commit.transaction import Transaction
from floeberg.progress.report import ProgressCallback, ProgressReport

__all__ = [
    "Attempt",
    "CommitOptions",
    "CommitResult",
    "MergeBuilder",
    "OpenedTable",
    "ProgressCallback",
    "ProgressReport",
    "SnapshotOptions",
    "TableOperations",
    "Transaction",
    "UpsertResult",
    "open_metadata",
    "table_from_metadata",
]
