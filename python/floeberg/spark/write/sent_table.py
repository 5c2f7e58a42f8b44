"""How does a table travel with a writer whose tasks do not need it?

A pickled table is opened where it is loaded, and a writer is loaded by every task. What commits or removes files asks
for the table, and tasks do neither.

Invariant: a task that writes rows reads no metadata of the table.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from floeberg.lance import LanceTable

if TYPE_CHECKING:
    from floeberg.table import Table

__all__ = ["SentTable"]


class SentTable:
    """A table, which is opened in another process when it is asked for.

    Args:
        table: The table, or its pickle.
        id: What reads of the table are recorded by: its UUID, or the folder of a Lance table; `None` has none.
    """

    def __init__(self, table: Table | LanceTable | bytes, id: str | None) -> None:  # noqa: A002 - the word for it
        self._table = table
        self.id = id

    @classmethod
    def of(cls, table: Table | LanceTable) -> SentTable:
        """That of an opened table."""
        return cls(table, table._inner.folder if isinstance(table, LanceTable) else table._inner.identity[0])  # noqa: SLF001

    def open(self) -> Table | LanceTable:
        """The table."""
        if isinstance(self._table, bytes):
            self._table = pickle.loads(self._table)  # noqa: S301 - made below
        return self._table  # type: ignore[return-value] # no bytes are left

    def __reduce__(self) -> tuple[Any, ...]:
        sent = self._table if isinstance(self._table, bytes) else pickle.dumps(self._table)
        return SentTable, (sent, self.id)
