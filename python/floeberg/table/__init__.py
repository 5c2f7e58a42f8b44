"""Tables: what they have, how they are read, and how they change.

Names that PyIceberg has here too are the same classes as those of `floeberg`.
"""

from floeberg.commit import Transaction, UpsertResult
from floeberg.expressions import ALWAYS_TRUE
from floeberg.scan import Scan as DataScan
from floeberg.scan.tasks import FileScanTask
from floeberg.table._open import StaticTable, open_table
from floeberg.table._table import Table

__all__ = [
    "ALWAYS_TRUE",
    "DataScan",
    "FileScanTask",
    "StaticTable",
    "Table",
    "Transaction",
    "UpsertResult",
    "open_table",
]
