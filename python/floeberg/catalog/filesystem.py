"""How does a catalog keep tables in the folders of a warehouse?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.catalog.base import Catalog
from floeberg.catalog.folder_functions import FolderFunctions
from floeberg.catalog.folders import Folders
from floeberg.catalog.names import dotted, folder_of
from floeberg.catalog.purging import remove_files_of
from floeberg.commit.filesystem import HINT, METADATA, FileSystemTableOperations
from floeberg.commit.folder_commit import commit_folders
from floeberg.commit.journal import new_decision_location
from floeberg.errors import (
    CommitConflictError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    LimitExceededError,
    NamespaceNotEmptyError,
    NoSuchTableError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.several import TableCommit
    from floeberg.metrics.delivery import MetricsSink

__all__ = ["FileSystemCatalog"]

_METADATA_NAMES = (".metadata.json", ".metadata.json.gz")


class FileSystemCatalog(FolderFunctions, Catalog):
    """A catalog of folders in a warehouse: Iceberg Java's `HadoopCatalog`.

    A namespace is a folder, and a table is the folder `warehouse/namespace/table`. Its versions are the files
    `metadata/v<V>.metadata.json`. A commit creates the next version atomically; a store that cannot do so is refused.
    Of a commit of several tables, one file in the warehouse decides.
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
        return self._folders.is_there(self._folder(namespace)) and not self._metadata_files(namespace)

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        if properties:
            raise UnsupportedError("a filesystem catalog cannot store properties of namespaces")
        levels = [namespace[:depth] for depth in range(1, len(namespace) + 1)]
        for level in levels:
            if self._metadata_files(level):
                raise InvalidInputError(f"{dotted(level)!r} is a table, not a namespace")
        made: list[str] = []
        try:
            for folder in map(self._folder, levels):
                if not self._folders.is_there(folder):
                    self._folders.make(folder)
                    made.append(folder)
        except FloebergError:
            # A name that the store does not take leaves no folders of its parents.
            for folder in reversed(made):
                with suppress(FloebergError):
                    self._folders.remove_empty(folder)
            raise

    def do_drop_namespace(self, namespace: Namespace) -> None:
        folder = self._folder(namespace)
        self._folders.check_no_link(folder)
        self._end_functions(namespace)
        # A folder may be left of a table that a commit of several tables would have created.
        left = [*self._folders.files_in(folder), *(name for *_, name in self._inside(namespace))]
        if left:
            raise NamespaceNotEmptyError(
                f"the namespace {dotted(namespace)!r} is not empty: its folder has {min(left)!r}"
            )
        self._folders.remove_empty(folder)

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        return [each for each in self._inside(namespace) if not self._metadata_files(each)]

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
        found = self._metadata_files(identifier)
        if HINT in found or not all(map(FolderOperations.is_version, found)):
            return bool(found)
        return bool(found) and self._is_created(identifier)

    def _metadata_files(self, identifier: Identifier) -> list[str]:
        """The metadata files in a folder, with the hint; none where no table is, and none is being created."""
        files = self._folders.files_in(f"{self._folder(identifier)}/{METADATA}")
        # No other file makes a folder a table, not even a hidden, half-written one.
        found = [name for name in files if name.endswith(_METADATA_NAMES) and not name.startswith(".")]
        return [*found, HINT] if found and HINT in files else found

    def _is_created(self, identifier: Identifier) -> bool:
        """Whether a table without a hint is more than a version that a commit of several tables reserved."""
        try:
            self.table_operations(identifier).load(None)
        except NoSuchTableError:
            return False
        except (InvalidDataError, InvalidInputError, LimitExceededError, UnsupportedError):
            # A damaged table is one.
            return True
        return True

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

    def check_transactions(self) -> None:
        """Nothing: whether the store can write a file only where none is, the commit finds out."""

    def do_commit_all(self, commits: Sequence[TableCommit]) -> list[OpenedTable]:
        """Reserves a version of each table, decides by one file in the warehouse, and writes what was decided."""
        tables = [self.table_operations(each.identifier) for each in commits]
        return commit_folders(commits, tables, new_decision_location(self._warehouse), self.storage_options)

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
        table = self._end_commits(identifier) or table
        # What names files is in the folder too, so that this goes last.
        self.table_operations(identifier).remove()
        left = remove_files_of(table, outside=outside)
        self._folders.remove_all(self._folder(identifier))
        return left

    def do_drop_table(self, identifier: Identifier) -> None:
        if not self.do_table_exists(identifier):
            raise self.no_such_table(identifier)
        self._folders.check_no_link(self._folder(identifier))
        self._end_commits(identifier)
        self.table_operations(identifier).remove()
        self._folders.remove_all(self._folder(identifier))

    def _end_commits(self, identifier: Identifier) -> OpenedTable | None:
        """Waits for a commit of several tables that has reserved a version: its other tables need the decision."""
        with suppress(NoSuchTableError, InvalidInputError, InvalidDataError, UnsupportedError):
            return self.table_operations(identifier).load_base(None)
        # Where the metadata is damaged, there is nothing to wait for.
        return None


@dataclass(frozen=True, repr=False)
class FolderOperations(FileSystemTableOperations):
    """A table in its folder of a warehouse. Its errors name the table.

    Args:
        catalog: The catalog.
        identifier: The table in it.
    """

    catalog: FileSystemCatalog
    identifier: Identifier

    @property
    def metrics(self) -> MetricsSink | None:
        """Where reports go: to the reporter of the catalog."""
        return self.catalog.metrics_sink(self.identifier)

    def load(self, known: OpenedTable | None) -> OpenedTable:
        """The current version."""
        try:
            return super().load(known)
        except NoSuchTableError as error:
            raise self.catalog.no_such_table(self.identifier) from error

    def new_location(self, attempt: Attempt) -> str:
        """The metadata file of a version that creates the table."""
        try:
            return super().new_location(attempt)
        except CommitConflictError as error:
            raise self.catalog.table_already_exists(self.identifier) from error

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Writes the next version."""
        try:
            return super().commit(base, attempt)
        except CommitConflictError as error:
            if base is not None or not error.retryable:
                raise
            raise self.catalog.table_already_exists(self.identifier) from error
