"""How does a table travel with a writer whose tasks do not need it?

A pickled table is opened where it is loaded, and a writer is loaded by every task. What commits or removes files asks
for the table, and tasks do neither.

The same bytes go to the tasks and to the process that commits. A catalog whose properties are all in the configuration
is sent by its name, and found in the configuration again: its secrets stay where the configuration is.

Invariant: a task that writes rows reads no metadata of the table.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.catalog import Catalog, load_catalog
from floeberg.lance import LanceTable
from floeberg.table import Table

if TYPE_CHECKING:
    from floeberg.catalog import Identifier
    from floeberg.commit import OpenedTable
    from floeberg.commit.wap import WapSettings

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
            found = pickle.loads(self._table)  # noqa: S301 - made below
            self._table = found.open() if isinstance(found, _Named) else found
        return self._table

    def __reduce__(self) -> tuple[Any, ...]:
        sent = self._table if isinstance(self._table, bytes) else pickle.dumps(_named_or_whole(self._table))
        return SentTable, (sent, self.id)


@dataclass(frozen=True)
class _Named:
    """A table of a catalog of the configuration.

    Args:
        catalog: The name of the catalog.
        identifier: The table in it.
        opened: The state of the table, with its storage options.
        wap: The settings of audits.
    """

    catalog: str
    identifier: Identifier
    opened: OpenedTable
    wap: WapSettings

    def open(self) -> Table:
        """The table, in that state."""
        catalog = load_catalog(self.catalog)
        operations = catalog.table_operations(self.identifier)
        table = Table(self.opened, operations=operations, listed=(catalog, self.identifier))
        return table._under(self.wap)  # noqa: SLF001 - the package's own


def _named_or_whole(table: Table | LanceTable) -> Table | LanceTable | _Named:
    """What is pickled for a table."""
    if isinstance(table, LanceTable) or table._listed is None:  # noqa: SLF001 - the package's own
        return table
    catalog, identifier = table._listed  # noqa: SLF001 - the same
    if not isinstance(catalog, Catalog) or not catalog.is_configured:
        return table
    return _Named(catalog.name, identifier, table._inner, table._wap)  # noqa: SLF001 - the same
