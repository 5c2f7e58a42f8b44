"""Which table do options name, by its path or in a catalog?

Invariant: no repr shows storage options or catalog properties. They may be secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.lance import LanceTable
from floeberg.spark.options.storage_options import is_storage_option
from floeberg.spark.options.values import object_of_strings
from floeberg.table import open_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.table import Table

__all__ = ["TABLE_OPTIONS", "TableLocator", "is_table_option", "table_locator"]

TABLE_OPTIONS = ("catalog", "path", "relocate", "table")
_OF_CATALOG = "catalog."


def is_table_option(key: str) -> bool:
    """Whether an option names a table, its catalog or its storage."""
    return key in TABLE_OPTIONS or key.startswith(_OF_CATALOG) or is_storage_option(key)


@dataclass(frozen=True)
class TableLocator:
    """Where a table is.

    Args:
        path: A table directory or a metadata file; `None` for a table of a catalog.
        table: The table's name in its catalog.
        catalog: The name of the catalog; `None` is the configured one that the name of the table begins with, else the
            default of the configuration.
        properties: Properties of the catalog.
        relocate: The current prefixes of the table's files, by the written ones.
        storage: Storage options.
    """

    path: str | None = None
    table: str | None = None
    catalog: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    relocate: Mapping[str, str] = field(default_factory=dict[str, str])
    storage: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def open(self, *, as_of_ms: int | None = None, metadata_location: str | None = None) -> Table:
        """Opens the table: as it is now, as it was at a time, or by one of its metadata files.

        Raises:
            NotFoundError: The table does not exist.
            UnsupportedError: It is a Lance table.
        """
        table = self.open_any(as_of_ms=as_of_ms, metadata_location=metadata_location)
        if isinstance(table, LanceTable):
            raise UnsupportedError(f"{self.path} is a Lance table, and one of Iceberg was expected")
        return table

    def open_any(
        self, *, as_of_ms: int | None = None, metadata_location: str | None = None
    ) -> Table | LanceTable:
        """Opens the table, which may be a Lance table if it has a path.

        Raises:
            NotFoundError: The table does not exist.
        """
        if self.path is not None:
            path = metadata_location or self.path
            opened: Table | LanceTable = open_table(
                path, relocate=self.relocate, storage_options=self.storage, as_of=as_of_ms
            )
            return opened
        table = self._of_catalog()
        if as_of_ms is None and metadata_location in {None, table.metadata_location}:
            return table
        location = metadata_location or table.metadata_location
        return open_table(location, storage_options=table._inner.storage_options, as_of=as_of_ms)  # noqa: SLF001 - the package's own

    def _of_catalog(self) -> Table:
        name, more = str(self.table), {**self.properties, **self.storage}
        if self.catalog is None and not more:
            from floeberg.spark.options.catalog_names import catalog_and_name  # noqa: PLC0415 - the same

            known, name = catalog_and_name(name)
            return known.load_table(name)
        from floeberg.catalog import load_catalog  # noqa: PLC0415 - a table in a folder needs none

        return load_catalog(self.catalog, **more).load_table(name)


def table_locator(options: Mapping[str, str], unnamed: str) -> TableLocator:
    """The table that options name. Their keys are in lower case.

    Raises:
        InvalidInputError: They name no table, or more than one. `unnamed` says how to name one.
    """
    named = [key for key in ("path", "table") if options.get(key)]
    if not named:
        raise InvalidInputError(f"no table was named: {unnamed}")
    storage = {key: value for key, value in options.items() if is_storage_option(key)}
    if len(named) > 1:
        raise InvalidInputError("give a path, or a name in a catalog: both were given")
    of_catalog = [key for key in options if key == "catalog" or key.startswith(_OF_CATALOG)]
    if named == ["path"]:
        if of_catalog:
            raise InvalidInputError(f"the option {of_catalog[0]!r} needs 'table', the name in the catalog")
        relocate = object_of_strings(options, "relocate", '{"/written": "/now"}')
        return TableLocator(path=options["path"], relocate=relocate, storage=storage)
    if "relocate" in options:
        raise InvalidInputError("the option 'relocate' needs 'path': tables of a catalog cannot be relocated")
    properties = {
        key.removeprefix(_OF_CATALOG): value for key, value in options.items() if key.startswith(_OF_CATALOG)
    }
    return TableLocator(
        table=options["table"], catalog=options.get("catalog"), properties=properties, storage=storage
    )
