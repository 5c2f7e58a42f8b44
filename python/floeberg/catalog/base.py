"""What can every catalog do?

A catalog maps names to tables. It knows the current metadata of each table, and swaps it for new metadata unless
another writer did so first. This makes commits atomic.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from floeberg import _native
from floeberg._arguments import checked_bool, checked_path, checked_seconds
from floeberg._keywords import says_keywords_of_methods
from floeberg._table_properties import flag_of
from floeberg.catalog.backup import Backups
from floeberg.catalog.check import CatalogCheck, Check
from floeberg.catalog.check.address import ServerConnection
from floeberg.catalog.check.recorder import SkipStepError
from floeberg.catalog.names import Identifier, Namespace, checked_identifier, dotted
from floeberg.catalog.purging import remove_files_of
from floeberg.catalog.reporting import Reports
from floeberg.catalog.transactions import CatalogTransaction
from floeberg.commit.operations import open_metadata
from floeberg.errors import CommitConflictError, NoSuchTableError, UnsupportedError
from floeberg.maintenance.removal import check_registered_once
from floeberg.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.several import TableCommit

__all__ = ["Catalog"]


@says_keywords_of_methods
class Catalog(Backups, Reports):
    """Tables and views by name.

    Identifiers are tuples, `("sales", "orders")`, or dotted strings. For a catalog of your own, derive from
    `MetastoreCatalog` if it stores the locations of metadata files, and from this class if a server makes the metadata.
    Implement the methods that begin with `do_`, and `table_operations`.

    Args:
        name: The name of the catalog.
        properties: Properties of the catalog, and storage options. Reprs and errors do not show them.

    Examples:
        >>> catalog.create_namespace("sales")
        >>> catalog.list_namespaces()
        [('db',), ('sales',)]
        >>> catalog.drop_namespace("sales")
    """

    def close(self) -> None:
        """Releases what the catalog holds, such as connections to its database. A later call opens them again.

        Reports for its `metrics_reporter` are waited for, at most a few seconds.
        """
        self._finish_reports()

    # Tables.

    def table_exists(self, identifier: str | Iterable[str]) -> bool:
        """Whether a table exists. Its metadata is not read."""
        return self.do_table_exists(checked_identifier("identifier", identifier))

    def list_tables(self, namespace: str | Iterable[str]) -> list[Identifier]:
        """Lists the tables directly in a namespace, in order.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.

        Examples:
            >>> catalog.list_tables("db")
            [('db', 'refs')]
        """
        return sorted(self.do_list_tables(self._known_namespace(namespace)))

    def register_table(
        self,
        identifier: str | Iterable[str],
        metadata_location: str | os.PathLike[str],
        overwrite: bool = False,  # noqa: FBT001, FBT002 - as in Iceberg Java
    ) -> Table:
        """Adds an existing table to the catalog.

        Args:
            identifier: The namespace and the name.
            metadata_location: Its current metadata file.
            overwrite: Whether a table of that name is replaced. Its files are kept. It is swapped only if no other
                writer commits to it meanwhile.

        Returns:
            The table.

        Raises:
            TableAlreadyExistsError: A view of that name exists; or a table, and `overwrite` is not set.
            CommitConflictError: Another writer committed to the table of that name meanwhile.
            NoSuchNamespaceError: The namespace does not exist.
            NoSuchTableError: The metadata file does not exist.
            InvalidDataError: The metadata is damaged.
            UnsupportedError: The catalog cannot hold tables at other locations.
        """
        levels = checked_identifier("identifier", identifier)
        replaces = checked_bool("overwrite", overwrite) and self.do_table_exists(levels)
        if not replaces:
            self._new_identifier("identifier", levels)
        location = _native.location_from_user(checked_path("metadata_location", metadata_location))
        opened = open_metadata(location, storage_options=self.storage_options)
        if replaces:
            self.do_replace_registered_table(levels, opened.metadata_location)
        else:
            self.do_register_table(levels, opened.metadata_location)
        return self.load_table(levels)

    def new_table(
        self, name: str, identifier: str | Iterable[str], location: str | None = None
    ) -> tuple[TableOperations, str]:
        """The operations of a table that does not exist yet, and its location.

        Args:
            name: The name of the argument, for errors.
            identifier: The namespace and the name.
            location: Its folder. By default, that of `create_table`.

        Raises:
            TableAlreadyExistsError: A table or a view of that name exists.
            NoSuchNamespaceError: The namespace does not exist.
        """
        levels = self._new_identifier(name, identifier)
        return self.table_operations(levels), self._place(levels, location)

    def rename_table(self, from_identifier: str | Iterable[str], to_identifier: str | Iterable[str]) -> Table:
        """Renames a table, also into another namespace. Its files are not moved.

        Returns:
            The table by its new name.

        Raises:
            NoSuchTableError: The table does not exist.
            TableAlreadyExistsError: A table or a view of the new name exists.
            NoSuchNamespaceError: The new namespace does not exist.
            UnsupportedError: The catalog cannot rename tables.
        """
        before = checked_identifier("from_identifier", from_identifier)
        if not self.do_table_exists(before):
            raise self._instead_of_table(before, self.no_such_table(before))
        after = checked_identifier("to_identifier", to_identifier)
        if before != after:
            self.do_rename_table(before, self._new_identifier("to_identifier", after))
        return self.load_table(after)

    def drop_table(self, identifier: str | Iterable[str]) -> None:
        """Drops a table. The class of the catalog decides whether its files are kept.

        Raises:
            NoSuchTableError: The table does not exist.
        """
        levels = checked_identifier("identifier", identifier)
        if not self.do_table_exists(levels):
            raise self._instead_of_table(levels, self.no_such_table(levels))
        self.do_drop_table(levels)

    def unregister_table(self, identifier: str | Iterable[str]) -> str:
        """Removes a table from the catalog, and keeps all of its files, so that another catalog can register it.

        Commits after it fail.

        Args:
            identifier: The namespace and the name.

        Returns:
            The last metadata file.

        Raises:
            NoSuchTableError: The table does not exist.
            UnsupportedError: A table of the catalog is in the folder of its name, or the catalog cannot tell whether a
                commit came between.
        """
        levels = checked_identifier("identifier", identifier)
        while True:
            try:
                location = self.table_operations(levels).load(None).metadata_location
            except NoSuchTableError as error:
                raise self._instead_of_table(levels, error) from error
            # A commit may have come between.
            if self.do_unregister_table(levels, location):
                return location

    def purge_table(
        self, identifier: str | Iterable[str], *, outside: bool = False, registered_twice: bool = False
    ) -> list[str]:
        """Drops a table, and removes the files that its metadata names.

        Metadata may name any file. So files outside of the table's own locations are kept: outside of its location,
        `write.data.path` and `write.metadata.path`. If the property `gc.enabled` is `false`, data files are kept too,
        since other tables may share them.

        Args:
            identifier: The namespace and the name.
            outside: Whether files outside of the table's own locations are removed too.
            registered_twice: Whether the files are removed though the catalog has the same table by another name, which
                cannot be read then. SQL and memory catalogs know that; others do not ask.

        Returns:
            The files that were kept because they are outside. A warning logs them too.

        Raises:
            NoSuchTableError: The table does not exist.
            InvalidInputError: Its property `gc.enabled` is neither `true` nor `false`; or the catalog has the same
                table by another name, too. Nothing is removed.
            InvalidDataError: Its metadata cannot be read. Where a manifest is damaged, the table is dropped. The
                metadata file that the error names is kept, and can be registered again.
            StorageError: The store did not remove some files. The table is dropped, and what names these files is
                kept.
        """
        levels = checked_identifier("identifier", identifier)
        checked_bool("outside", outside)
        opened = self._load(levels, self.table_operations(levels))
        # Before the table is dropped: a wrong property must not leave it half purged.
        flag_of(opened.properties, "gc.enabled")
        if not checked_bool("registered_twice", registered_twice):
            others = {
                location: f"the table {dotted(each)!r}"
                for each, location in self.do_list_metadata_locations().items()
                if each != levels
            }
            check_registered_once(
                opened,
                others,
                "drop_table removes the name alone. With registered_twice=True the files go all the same",
            )
        return self.do_purge_table(levels, opened, outside=outside)

    def commit_table(self, identifier: str | Iterable[str], base: Table | None, attempt: Attempt) -> Table:
        """Makes an attempt the current metadata of a table, if its base is still current. Every commit ends here.

        Args:
            identifier: The namespace and the name.
            base: The table that the attempt was made on; `None` to create the table.
            attempt: The attempt.

        Returns:
            The new table.

        Raises:
            CommitConflictError: The base is no longer current. Nothing was changed.
            TableAlreadyExistsError: The attempt creates the table, and it exists.
            CommitStateUnknownError: The outcome is unknown. The context has the metadata file as `metadata`.
        """
        levels = checked_identifier("identifier", identifier)
        operations = self.table_operations(levels)
        made = operations.commit(None if base is None else base._inner, attempt)  # noqa: SLF001 - its catalog
        return self._table(levels, made, operations)

    # Several tables.

    def transaction(
        self,
        *,
        snapshot_properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> CatalogTransaction:
        """Begins a transaction on several tables: one commit, all or none.

        Args:
            snapshot_properties: Entries that the summary of each snapshot gets.
            idempotency_key: A key of your own for the commit. If the tables have a commit with it, nothing is done.

        Returns:
            The transaction. Its `table` and `create_table` give the transactions of its tables.

        Raises:
            UnsupportedError: The catalog has no commit of several tables.

        Examples:
            >>> import pyarrow as pa
            >>> for name in ("db.paid", "db.open"):
            ...     made = catalog.create_table(name, pa.table({"id": [1, 2]}))
            >>> with catalog.transaction() as transaction:
            ...     transaction.table("db.open").delete("id = 2")
            ...     transaction.table("db.paid").append(pa.table({"id": [3]}))
            >>> catalog.load_table("db.open").count(), catalog.load_table("db.paid").count()
            (1, 3)
            >>> catalog.drop_table("db.paid"), catalog.drop_table("db.open")
            (None, None)
        """
        self.check_transactions()
        return CatalogTransaction(
            self,
            lambda commits: self.do_commit_all(commits),  # noqa: PLW0108 - as it is at the commit
            snapshot_properties=snapshot_properties,
            idempotency_key=idempotency_key,
        )

    def check_transactions(self) -> None:
        """Raises `UnsupportedError` where the catalog has no commit of several tables."""
        raise self.no_transactions()

    # Whether it works.

    def check(
        self,
        *,
        table: str | Iterable[str] | None = None,
        location: str | os.PathLike[str] | None = None,
        read_only: bool = False,
        timeout: float = 10.0,
    ) -> CatalogCheck:
        """Does each step of reaching the catalog and its store, and names the one that fails, with what to do.

        The steps are `configuration`, `dns`, `tcp`, `tls`, `credentials`, `authentication`, `namespaces` and `table`;
        and of the store `region`, `store credentials`, `bucket`, `list`, `put`, `read`, `put-if-absent`, which 16
        writers try at once, and `delete`. A step that cannot be done is skipped, with the reason. Files are written
        below a folder of the check's own in the warehouse, never in that of a table, and removed afterwards.

        A catalog that cannot be loaded is checked by `floeberg.catalog.check_catalog`.

        Args:
            table: The table to load. By default, the first one.
            location: The folder in which files are written, where the catalog does not name one.
            read_only: Whether nothing is written.
            timeout: Seconds that each step may take. A step without an answer by then has failed.

        Returns:
            The steps.

        Raises:
            InvalidInputError: An argument is wrong. What the steps find is in the result.

        Examples:
            >>> catalog.check(read_only=True).step("put").detail
            'the check is read only'
            >>> catalog.check(table="db.refs").raise_for_failure().ok
            True
        """
        wanted = Check(
            name=self._name,
            kind=type(self).__name__,
            properties=self._properties,
            origins=self._property_origins(),
            table=None if table is None else checked_identifier("table", table),
            location=None if location is None else checked_path("location", location),
            read_only=checked_bool("read_only", read_only),
            seconds=checked_seconds("timeout", timeout),
        )
        return wanted.run(lambda: self._connection(self._properties, wanted.origins), lambda: self)

    _needs_put_if_absent: ClassVar[bool] = False
    """Whether commits need a store that gives a name to one writer alone."""

    @classmethod
    def _connection(cls, properties: Mapping[str, str], origins: Mapping[str, str]) -> ServerConnection:
        """What is between a process and a catalog of this class."""
        del properties, origins
        return ServerConnection(no_address=f"a {cls.__name__} has no server, or says nothing of it")

    @classmethod
    def _for_reading(cls, properties: Mapping[str, str]) -> dict[str, str]:
        """The properties with which a catalog is made without a change of what it keeps."""
        return dict(properties)

    def _access(self) -> str:
        """Asks the catalog who asks; what it found. Raises where the catalog cannot be reached."""
        raise SkipStepError(f"a {type(self).__name__} asks nobody who they are")

    def _store_root(self, namespaces: Sequence[Namespace]) -> str | None:
        """The folder in which the catalog keeps its tables, where it has one."""
        del namespaces
        return self._properties.get("warehouse")

    def _property_origins(self) -> dict[str, str]:
        """Where each property came from, where that is known."""
        return dict(self._origins)

    # What catalogs implement: `table_operations`, and methods that begin with `do_`. The methods of those names without
    # `do_` check the arguments first. Here identifiers are whole tuples. Errors are those of `floeberg.errors`.

    @abstractmethod
    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        """Adds a table with an existing metadata file. Raises `TableAlreadyExistsError`."""

    def do_replace_registered_table(self, identifier: Identifier, metadata_location: str) -> None:
        """Makes an existing metadata file current for an existing table. Raises `CommitConflictError`."""
        raise UnsupportedError(
            f"the catalog {self._name!r} cannot replace the table {dotted(identifier)!r} by another metadata file: "
            "drop it first",
            context={"path": metadata_location},
        )

    def do_list_metadata_locations(self) -> dict[Identifier, str]:
        """The metadata files of all tables, where the catalog knows them in one request; else none."""
        return {}

    @abstractmethod
    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        """Renames a table, atomically. Raises `NoSuchTableError`, `TableAlreadyExistsError`."""

    @abstractmethod
    def do_drop_table(self, identifier: Identifier) -> None:
        """Drops a table. Raises `NoSuchTableError`."""

    def do_unregister_table(self, identifier: Identifier, metadata_location: str) -> bool:
        """Removes a table from the catalog if it is still at a metadata file, and says whether it was. Files stay.

        Raises:
            UnsupportedError: The catalog cannot do it.
        """
        raise UnsupportedError(
            f"the catalog {self._name!r} cannot remove {dotted(identifier)!r} without its files: copy the table, or "
            f"register {metadata_location!r} in another catalog, and work with that one from then on"
        )

    def do_purge_table(self, identifier: Identifier, table: OpenedTable, *, outside: bool) -> list[str]:
        """Drops a table, and removes its files. Returns those that were kept."""
        self.do_drop_table(identifier)
        return remove_files_of(table, outside=outside)

    def do_commit_all(self, commits: Sequence[TableCommit]) -> list[OpenedTable]:
        """Makes the attempts of several tables current at once: all, or none.

        The rules of `TableOperations.commit` hold, for all tables together. A catalog that implements it overrides
        `check_transactions` too.

        Args:
            commits: The attempts, each with its base. No table is there twice.

        Returns:
            The new tables, in the same order.

        Raises:
            CommitConflictError: A base is no longer current. Nothing was changed.
            TableAlreadyExistsError: A table that an attempt creates exists. Nothing was changed.
            PartialCommitError: Some tables have it, and others can never get it. The context has the state of each.
            CommitStateUnknownError: The outcome is unknown.
        """
        del commits
        raise self.no_transactions()

    # Errors that these raise.

    def no_transactions(self) -> UnsupportedError:
        """The error for a commit of several tables where the catalog has none."""
        return UnsupportedError(
            f"the catalog {self._name!r} is a {type(self).__name__}, which has no commit of several tables: commit to "
            "each table by its own transaction"
        )

    def commit_conflict(self, identifier: Identifier) -> CommitConflictError:
        """The error for a commit whose base is no longer current."""
        return CommitConflictError(
            f"another writer changed or dropped the table {dotted(identifier)!r}", retryable=True
        )

    # What they share.

    def _table(
        self,
        identifier: Identifier,
        opened: OpenedTable,
        operations: TableOperations,
        *,
        is_whole: bool = True,
    ) -> Table:
        return Table(opened, operations=operations, listed=(self, identifier), is_whole=is_whole)
