"""Tables: what they have, how they are read, and how they change."""

from typing import NoReturn

from floeberg._older_pickles import refuse
from floeberg.table._open import StaticTable, open_table
from floeberg.table._table import Table

__all__ = ["StaticTable", "Table", "open_table"]


def _unpickled(*_: object) -> NoReturn:
    """What tables in older pickles are made by."""
    refuse("the table")
