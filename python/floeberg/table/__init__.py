"""What is in a table, and how does a user get at it?"""

from floeberg.table._open import open_table
from floeberg.table._table import Table

__all__ = ["Table", "open_table"]
