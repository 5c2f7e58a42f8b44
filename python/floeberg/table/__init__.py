"""Tables: what they have, how they are read, and how they change."""

from floeberg.expressions import ALWAYS_TRUE
from floeberg.table._open import StaticTable, open_table
from floeberg.table._table import Table

__all__ = ["ALWAYS_TRUE", "StaticTable", "Table", "open_table"]
