"""What is a table?

Its methods are in one file for each subject. This file has those that identify it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from floeberg._arguments import checked_options, checked_text
from floeberg._keywords import says_keywords_of_methods
from floeberg.commit.operations import table_from_metadata
from floeberg.commit.static import StaticTableOperations
from floeberg.commit.wap import WapSettings
from floeberg.table._display import TableDisplay
from floeberg.table._evolve import TableEvolution
from floeberg.table._joins import TableJoins
from floeberg.table._refs import TableRefs
from floeberg.table._repair import TableRepair
from floeberg.table._report import TableReports
from floeberg.table._workers import TableWorkers
from floeberg.table.inspect import InspectTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["Table"]


class TableCatalog(Protocol):
    """The catalog of a table. `floeberg.catalog.Catalog` has more methods."""

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

    def purge_table(
        self, identifier: str | Iterable[str], *, outside: bool = False, registered_twice: bool = False
    ) -> list[str]:
        """Drops a table and removes its files."""
        ...


@says_keywords_of_methods
class Table(TableReports, TableRepair, TableRefs, TableJoins, TableEvolution, TableWorkers):
    """An Iceberg table, as one metadata file describes it.

    A table does not change by itself. It stays at the metadata file that it was opened with, also when it is pickled,
    until you write to it or call `refresh`. Existing scans do not change. A table holds no open files or connections,
    so it can be used after a fork.

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
        is_whole: bool = True,
    ) -> None:
        """Use `open_table`, or `load_table` of a catalog."""
        self._operations = operations
        self._listed = listed
        self._wap = WapSettings() if listed is None else WapSettings.of(listed[0].properties)
        self._become(opened, is_whole=is_whole)

    def _under(self, wap: WapSettings) -> Table:
        """The same table, read and written under other settings of audits."""
        table = Table(self._opened, operations=self._operations, listed=self._listed, is_whole=self._is_whole)
        table._wap = wap
        return table

    @classmethod
    def from_metadata(
        cls, metadata_json: str, metadata_location: str, *, storage_options: Mapping[str, str] | None = None
    ) -> Table:
        """Opens metadata that is in memory, such as the response of a REST catalog, for reading. No file is opened.

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
        return self._opened.metadata_location

    @property
    def format_version(self) -> int:
        """The format version: 1, 2 or 3."""
        return self._opened.format_version

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties."""
        return self._opened.properties

    def location(self) -> str:
        """The base location, as written."""
        return self._opened.location

    def name(self) -> tuple[str, ...]:
        """The identifier in the catalog; empty if the table was opened without a catalog.

        Examples:
            >>> catalog.load_table("db.refs").name(), table.name()
            (('db', 'refs'), ())
        """
        return self._listed[1] if self._listed else ()

    @property
    def catalog(self) -> TableCatalog | None:
        """The catalog that it was loaded from, or `None`."""
        return self._listed[0] if self._listed else None

    @property
    def inspect(self) -> InspectTable:
        """The metadata tables: `table.inspect.files()` and others.

        Examples:
            >>> table.inspect.history().num_rows
            3
        """
        return InspectTable(self._inner, self._wap_branch())

    def __repr__(self) -> str:
        return self._display().text()

    def _repr_html_(self) -> str:
        return self._display().html(self.location(), self.format_version)

    def _display(self) -> TableDisplay:
        return TableDisplay(
            ".".join(self.name()) or repr(self._opened),
            self.schema(),
            self.spec(),
            self.sort_order(),
            self.current_snapshot(),
        )

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[object, ...]]:
        # Another process opens its metadata file, which has all snapshots.
        return _unpickled, (self._opened, self._operations, self._listed, self._wap)


def _unpickled(
    opened: OpenedTable,
    operations: TableOperations,
    listed: tuple[TableCatalog, tuple[str, ...]] | None,
    wap: WapSettings,
) -> Table:
    table = Table(opened, operations=operations, listed=listed)
    table._wap = wap  # noqa: SLF001 - its own
    return table
