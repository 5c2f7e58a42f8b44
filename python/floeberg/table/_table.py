"""What is a table to its user?

Its methods are in a file for each subject; here is what identifies it and how it is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from floeberg._arguments import checked_options, checked_text
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.commit.operations import table_from_metadata
from floeberg.commit.static import StaticTableOperations
from floeberg.table._append import TableAppend
from floeberg.table._display import TableDisplay
from floeberg.table._row_changes import TableRowChanges
from floeberg.table._schema_changes import TableSchemaChanges
from floeberg.table._schemas import TableSchemas
from floeberg.table._settings import TableSettings
from floeberg.table._snapshots import TableSnapshots
from floeberg.table._statistics import TableStatistics
from floeberg.table._worker_writes import TableWorkerWrites
from floeberg.table.inspect import InspectTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["Table"]


class TableCatalog(Protocol):
    """The catalog of a table, as far as tables know catalogs: `floeberg.catalog.Catalog` has more."""

    @property
    def name(self) -> str:
        """The name of the catalog."""
        ...

    @property
    def properties(self) -> dict[str, str]:
        """The properties of the catalog."""
        ...

    def load_table(self, identifier: str | Iterable[str]) -> Table:
        """Loads a table."""
        ...

    def table_exists(self, identifier: str | Iterable[str]) -> bool:
        """Whether the catalog has a table."""
        ...

    def list_tables(self, namespace: str | Iterable[str]) -> list[tuple[str, ...]]:
        """The tables of a namespace."""
        ...

    def rename_table(self, from_identifier: str | Iterable[str], to_identifier: str | Iterable[str]) -> Table:
        """Renames a table."""
        ...

    def drop_table(self, identifier: str | Iterable[str]) -> None:
        """Drops a table."""
        ...

    def purge_table(self, identifier: str | Iterable[str], *, outside: bool = False) -> list[str]:
        """Drops a table and removes its files."""
        ...


class Table(
    TableSchemas,
    TableSnapshots,
    TableStatistics,
    TableAppend,
    TableRowChanges,
    TableSchemaChanges,
    TableSettings,
    TableWorkerWrites,
    SpelledLikePyIceberg,
):
    """An Iceberg table, as one metadata file describes it.

    A table never changes under its reader: it keeps to the metadata file that it was opened with, also when it is
    pickled, until it is written to here or told to `refresh`. Scans keep to theirs. It holds no handles, so that it
    may cross a fork.

    Examples:
        >>> table.format_version, table.schema().column_names[0]
        (2, 'id')
    """

    _spelled_as = "Table"

    def __init__(
        self,
        opened: OpenedTable,
        *,
        operations: TableOperations,
        listed: tuple[TableCatalog, tuple[str, ...]] | None = None,
    ) -> None:
        """Made by `open_table`, and by catalogs, which say where they list it."""
        self._operations = operations
        self._listed = listed
        self._become(opened)

    @classmethod
    def from_metadata(
        cls, metadata_json: str, metadata_location: str, *, storage_options: Mapping[str, str] | None = None
    ) -> Table:
        """Opens metadata that is at hand, such as a REST catalog's answer, for reading. No file is opened.

        Args:
            metadata_json: The metadata, as JSON text.
            metadata_location: The metadata file, for processes that the table is sent to.
            storage_options: Options of the store.
        """
        opened = table_from_metadata(
            checked_text("metadata_json", metadata_json),
            checked_text("metadata_location", metadata_location),
            storage_options=checked_options("storage_options", storage_options),
        )
        return cls(opened, operations=StaticTableOperations("load the table from its catalog to write it"))

    @property
    def metadata_location(self) -> str:
        """The metadata file that was opened."""
        return self._inner.metadata_location

    @property
    def format_version(self) -> int:
        """The version of the Iceberg specification that the table is written in."""
        return self._inner.format_version

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties."""
        return self._inner.properties

    def location(self) -> str:
        """The base location, as the table wrote it."""
        return self._inner.location

    def name(self) -> tuple[str, ...]:
        """The identifier in the catalog; empty for a table that was opened without one.

        Examples:
            >>> catalog.load_table("db.refs").name(), table.name()
            (('db', 'refs'), ())
        """
        return self._listed[1] if self._listed else ()

    @property
    def catalog(self) -> TableCatalog | None:
        """The catalog that it was loaded from, or `None` for a table that was opened without one."""
        return self._listed[0] if self._listed else None

    @property
    def inspect(self) -> InspectTable:
        """What the table says of itself, as tables: `table.inspect.files()` and others.

        Examples:
            >>> table.inspect.history().num_rows
            3
        """
        return InspectTable(self._inner)

    def __repr__(self) -> str:
        return self._display().text()

    def _repr_html_(self) -> str:
        return self._display().html(self.location(), self.format_version)

    def _display(self) -> TableDisplay:
        return TableDisplay(
            ".".join(self.name()) or repr(self._inner),
            self.schema(),
            self.spec(),
            self.sort_order(),
            self.current_snapshot(),
        )

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[object, ...]]:
        return _unpickled, (self._inner, self._operations, self._listed)


def _unpickled(
    opened: OpenedTable, operations: TableOperations, listed: tuple[TableCatalog, tuple[str, ...]] | None
) -> Table:
    return Table(opened, operations=operations, listed=listed)
