"""Tables: what they have, how they are read, and how they change."""

from floeberg.table._open import open_table
from floeberg.table._table import Table

__all__ = ["Table", "open_table"]
