"""What is in a table, and how does a user get at it?"""

from floeberg.table._table import Table, open_table

__all__ = ["Table", "open_table"]
