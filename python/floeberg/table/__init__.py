"""Tables: what they have, how they are read, and how they change."""

from typing import NoReturn

from floeberg._older_pickles import refuse
from floeberg.expressions import ALWAYS_TRUE
from floeberg.table._open import StaticTable, open_table
from floeberg.table._table import Table

__all__ = ["ALWAYS_TRUE", "StaticTable", "Table", "open_table"]


def __getattr__(name: str) -> NoReturn:
    """Refuses tables in older pickles by what they are made by, before anything of them is opened."""
    if name == "_unpickled":
        refuse("the table")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
