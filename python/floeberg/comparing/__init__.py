"""What differs between two snapshots of a table, or between two tables: rows, files, columns and settings."""

from floeberg.comparing.settings import Changed, ColumnChange, LanceField
from floeberg.comparing.summary import DiffSummary
from floeberg.comparing.table_diff import TableDiff
from floeberg.comparing.two_tables import TwoTablesDiff

__all__ = ["Changed", "ColumnChange", "DiffSummary", "LanceField", "TableDiff", "TwoTablesDiff"]
