"""How are the rows of a Lance table taken over?

In: a version of a Lance table. Out: its columns in types of Iceberg, and rows for a new table. Files of Lance cannot be
files of Iceberg, so rows are copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.copying.sources import LanceSource as CopiedSource
from floeberg.copying.targets import Rows, needs_version_3
from floeberg.table import open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from floeberg._timestamps import Moment
    from floeberg.commit.transaction import Transaction
    from floeberg.lance import LanceTable

__all__ = ["LanceSource"]


class LanceSource:
    """A version of a Lance table.

    Args:
        table: The table.
    """

    def __init__(self, table: LanceTable) -> None:
        self._table = table
        source = CopiedSource(table, None)
        self._rows = Rows(source, source.all_rows(), is_lance=False)

    @staticmethod
    def of(
        location: str, options: Mapping[str, str], version: int | None, as_of: Moment | None
    ) -> LanceSource:
        """Opens a version."""
        opened: Any = open_table(
            location, format="lance", storage_options=options, version=version, as_of=as_of
        )
        return LanceSource(opened)

    @property
    def version(self) -> int:
        """The version."""
        return self._table.version

    @property
    def schema(self) -> pa.Schema:
        """Its columns in types of Iceberg."""
        return self._rows.schema

    @property
    def format_version(self) -> int | None:
        """The format version that its columns need; `None` for the default."""
        return 3 if needs_version_3(self._rows.schema) else None

    def count(self) -> int:
        """Its rows."""
        return self._table.count()

    def stage(self, transaction: Transaction) -> Callable[[], int]:
        """Writes the rows. Returns what counts them."""
        transaction.append(self._rows.reader)
        return lambda: self._rows.count
