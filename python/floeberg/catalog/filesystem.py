"""How does a catalog keep tables in the folders of a warehouse?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.catalog.base import Catalog
from floeberg.catalog.folders import Folders
from floeberg.catalog.names import dotted, folder_of
from floeberg.catalog.purging import remove_files_of
from floeberg.commit.filesystem import METADATA, FileSystemTableOperations
from floeberg.errors import (
    CommitConflictError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchTableError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = ["FileSystemCatalog"]

_METADATA_NAMES = (".metadata.json", ".metadata.json.gz")


class FileSystemCatalog(Catalog):
    """A catalog of folders in a warehouse: Iceberg Java's `HadoopCatalog`.

    A namespace is a folder, and a table is the folder `warehouse/namespace/table`. Its versions are the files
    `metadata/v<V>.metadata.json`. A commit creates the next version atomically; a store that cannot do so is refused.
    The only property of a namespace is its `location`. Tables cannot be renamed. Dropping a table removes its folder
    with all files, as in Iceberg Java.

    Args:
        name: The name of the catalog.
        properties: `warehouse`, the folder; and storage options.

    Raises:
        InvalidInputError: The property `warehouse` is missing.

    Examples:
        >>> files = FileSystemCatalog("files", {"warehouse": "memory://doc/files"})
        >>> files.create_namespace("sales.europe")
        >>> files.list_namespaces(), files.list_namespaces("sales")
        ([('sales',)], [('sales', 'europe')])
    """

    _warehouse: str
    _folders: Folders
    _needs_put_if_absent = True

    def __init__(self, name: str, properties: Mapping[str, str] | None = None, **more: str) -> None:
        super().__init__(name, properties, **more)
        warehouse = self._properties.get("warehouse")
        if not warehouse:
            raise InvalidInputError(
                "a filesystem catalog needs the property 'warehouse': the folder of its tables"
            )
        self._warehouse = _native.location_from_user(warehouse)
        self._folders = Folders(self.storage_options)

    def _folder(self, identifier: Identifier) -> str:
        return folder_of(self._warehouse, identifier)

    def do_namespace_exists(self, namespace: Namespace) -> bool:
        return self._folders.is_there(self._folder(namespace)) and not self.do_table_exists(namespace)

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        if properties:
            raise UnsupportedError("a filesystem catalog cannot store properties of namespaces")
        levels = [namespace[:depth] for depth in range(1, len(namespace) + 1)]
        for level in levels:
            if self.do_table_exists(level):
                raise InvalidInputError(f"{dotted(level)!r} is a table, not a namespace")
        for level in levels:
            self._folders.make(self._folder(level))

    def do_drop_namespace(self, namespace: Namespace) -> None:
        folder = self._folder(namespace)
        self._folders.check_no_link(folder)
        if files := self._folders.files_in(folder):
            raise NamespaceNotEmptyError(
                f"the namespace {dotted(namespace)!r} is not empty: its folder has {min(files)!r}"
            )
        self._folders.remove_empty(folder)

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        return [each for each in self._inside(namespace) if not self.do_table_exists(each)]

    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        return {"location": self._folder(namespace)}

    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        if removals or updates:
            raise UnsupportedError(
                f"a filesystem catalog cannot store properties of the namespace {dotted(namespace)!r}"
            )

    def _inside(self, namespace: Namespace) -> list[Identifier]:
        folder = self._folder(namespace) if namespace else self._warehouse.rstrip("/")
        # Names that begin with a dot are of other programs, and of files that are being written.
        return [(*namespace, name) for name in self._folders.inside(folder) if not name.startswith(".")]

    def do_table_exists(self, identifier: Identifier) -> bool:
        return bool(self._versions(identifier))

    def _versions(self, identifier: Identifier) -> list[str]:
        """The metadata files of a table. No other file makes a folder a table, not even a hidden, half-written one."""
        files = self._folders.files_in(f"{self._folder(identifier)}/{METADATA}")
        return [name for name in files if name.endswith(_METADATA_NAMES) and not name.startswith(".")]

    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        return [each for each in self._inside(namespace) if self.do_table_exists(each)]

    def _place(self, identifier: Identifier, location: str | None) -> str:
        place = self._folder(identifier)
        if identifier[-1].endswith(_METADATA_NAMES):
            raise InvalidInputError(
                f"a table cannot be named {identifier[-1]!r}: metadata files have such names"
            )
        if location is not None and _native.canonical_location(
            location.rstrip("/")
        ) != _native.canonical_location(place):
            raise InvalidInputError(
                f"the table {dotted(identifier)!r} cannot be at {location!r}: a filesystem catalog keeps it at "
                f"{place!r}"
            )
        return place

    def table_operations(self, identifier: Identifier) -> FolderOperations:
        """The operations of a table in its folder."""
        return FolderOperations(self._folder(identifier), self.storage_options, self, identifier)

    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        raise UnsupportedError(
            f"{dotted(identifier)!r} cannot be registered: a filesystem catalog keeps this table in its own folder, "
            f"{self._folder(identifier)!r}; a SQL catalog takes tables from anywhere",
            context={"path": metadata_location},
        )

    def do_replace_registered_table(self, identifier: Identifier, metadata_location: str) -> None:
        self.do_register_table(identifier, metadata_location)

    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        raise UnsupportedError(
            f"{dotted(before)!r} cannot be renamed to {dotted(after)!r}: the files of a table name their folder"
        )

    def do_purge_table(self, identifier: Identifier, table: OpenedTable, *, outside: bool) -> list[str]:
        self._folders.check_no_link(self._folder(identifier))
        # What names files is in the folder too, so that this goes last.
        self.table_operations(identifier).remove()
        left = remove_files_of(table, outside=outside)
        self._folders.remove_all(self._folder(identifier))
        return left

    def do_drop_table(self, identifier: Identifier) -> None:
        if not self.do_table_exists(identifier):
            raise self.no_such_table(identifier)
        self._folders.check_no_link(self._folder(identifier))
        self.table_operations(identifier).remove()
        self._folders.remove_all(self._folder(identifier))


@dataclass(frozen=True, repr=False)
class FolderOperations(FileSystemTableOperations):
    """A table in its folder of a warehouse. Its errors name the table.

    Args:
        catalog: The catalog.
        identifier: The table in it.
    """

    catalog: FileSystemCatalog
    identifier: Identifier

    def load(self, known: OpenedTable | None) -> OpenedTable:
        """The current version."""
        try:
            return super().load(known)
        except NoSuchTableError as error:
            raise self.catalog.no_such_table(self.identifier) from error

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Writes the next version."""
        try:
            return super().commit(base, attempt)
        except CommitConflictError as error:
            if base is not None or not error.retryable:
                raise
            raise self.catalog.table_already_exists(self.identifier) from error
