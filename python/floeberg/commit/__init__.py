"""How operations become part of a table: commits, and the contract of what keeps tables.

`TableOperations` is that contract, which a catalog of your own implements; everything else here is made of it.
"""

from floeberg.commit.attempt import Attempt
from floeberg.commit.operations import OpenedTable, TableOperations, open_metadata, table_from_metadata
from floeberg.commit.result import CommitResult
from floeberg.commit.transaction import Transaction

__all__ = [
    "Attempt",
    "CommitResult",
    "OpenedTable",
    "TableOperations",
    "Transaction",
    "open_metadata",
    "table_from_metadata",
]
