"""Which table do options name: one in a folder, or one of a catalog?

Invariant: no repr shows an option of a store or a property of a catalog, which may be secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.options.storage_options import is_of_store
from floeberg.spark.options.values import object_of_strings
from floeberg.table import open_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.table import Table

__all__ = ["PLACE_OPTIONS", "Place", "is_of_place", "place_of"]

PLACE_OPTIONS = ("catalog", "path", "relocate", "table")
_OF_CATALOG = "catalog."


def is_of_place(key: str) -> bool:
    """Whether an option says where a table is, or how its files are reached."""
    return key in PLACE_OPTIONS or key.startswith(_OF_CATALOG) or is_of_store(key)


@dataclass(frozen=True)
class Place:
    """Where a table is.

    Args:
        path: A table directory or a metadata file; `None` for a table of a catalog.
        table: The table's name in its catalog.
        catalog: The name of the catalog; `None` is the one that the configuration takes for granted.
        properties: Properties of the catalog.
        relocate: Where the files are, by the prefixes that were written.
        storage: Options of the store.
    """

    path: str | None = None
    table: str | None = None
    catalog: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    relocate: Mapping[str, str] = field(default_factory=dict[str, str])
    storage: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def open(self, *, as_of_ms: int | None = None, metadata_location: str | None = None) -> Table:
        """The table as it is now, as it was at a moment, or as one of its metadata files says.

        Raises:
            NotFoundError: There is no such table.
        """
        if self.path is not None:
            path = metadata_location or self.path
            return open_table(path, relocate=self.relocate, storage_options=self.storage, as_of=as_of_ms)
        from floeberg.catalog import load_catalog  # noqa: PLC0415 - a table in a folder needs none

        catalog = load_catalog(self.catalog, **{**self.properties, **self.storage})
        table = catalog.load_table(str(self.table))
        if as_of_ms is None and metadata_location in {None, table.metadata_location}:
            return table
        location = metadata_location or table.metadata_location
        return open_table(location, storage_options=table._inner.storage_options, as_of=as_of_ms)  # noqa: SLF001 - the package's own


def place_of(options: Mapping[str, str], unnamed: str) -> Place:
    """The place that options name, their keys in lower case.

    Raises:
        InvalidInputError: They name no table, which `unnamed` then explains, or more than one.
    """
    named = [key for key in ("path", "table") if options.get(key)]
    if not named:
        raise InvalidInputError(f"no table was named: {unnamed}")
    storage = {key: value for key, value in options.items() if is_of_store(key)}
    if len(named) > 1:
        raise InvalidInputError("a table is named by a path or by its name in a catalog: both were given")
    of_catalog = [key for key in options if key == "catalog" or key.startswith(_OF_CATALOG)]
    if named == ["path"]:
        if of_catalog:
            raise InvalidInputError(f"the option {of_catalog[0]!r} needs 'table', the name in the catalog")
        relocate = object_of_strings(options, "relocate", '{"/written": "/now"}')
        return Place(path=options["path"], relocate=relocate, storage=storage)
    if "relocate" in options:
        raise InvalidInputError("the option 'relocate' is for tables that are named by a path")
    properties = {
        key.removeprefix(_OF_CATALOG): value for key, value in options.items() if key.startswith(_OF_CATALOG)
    }
    return Place(
        table=options["table"], catalog=options.get("catalog"), properties=properties, storage=storage
    )
