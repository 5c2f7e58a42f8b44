"""What can every catalog do?

A catalog maps names to tables. It knows the current metadata of each table, and swaps it for new metadata unless
another writer did so first. This makes commits atomic.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_path, checked_properties
from floeberg._new_table import partition_spec_json, schema_json, sort_order_json
from floeberg._table_properties import flag_of, warn_of_misspelt
from floeberg.catalog.names import Identifier, checked_identifier, dotted
from floeberg.catalog.purging import remove_files_of
from floeberg.catalog.views import Views
from floeberg.commit.loop import commit
from floeberg.commit.operations import open_metadata
from floeberg.errors import (
    CommitConflictError,
    InvalidInputError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from floeberg.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from floeberg._new_table import AnyPartitionSpec, AnySchema, AnySortOrder
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["Catalog"]

_FORMAT_VERSION = "format-version"


class Catalog(Views):
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

    # Tables.

    def create_table(  # noqa: PLR0913, PLR0917 - PyIceberg's order
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
    ) -> Table:
        """Creates an empty table.

        Args:
            identifier: The namespace and the name.
            schema: Its columns: a `pyarrow.Schema`, a `floeberg.types.Schema`, or one of PyIceberg.
            location: Its folder. By default, a folder in the location of its namespace, or in the warehouse.
            partition_spec: Its partition spec: a `floeberg.types.PartitionSpec`, or strings such as `["day(ts)"]`.
            sort_order: Its sort order: a `floeberg.types.SortOrder`, or strings such as `["id desc"]`.
            properties: Its properties. Numbers and bools become strings.
            format_version: Its format version: 1, 2 or 3. By default, the property `format-version`, or 2.

        Returns:
            The table.

        Raises:
            TableAlreadyExistsError: A table or a view of that name exists.
            NoSuchNamespaceError: The namespace does not exist.
            InvalidInputError: The schema, the spec, the order or a property is wrong.
            UnsupportedError: The format version does not support them, or the table would be encrypted.

        Examples:
            >>> import pyarrow as pa
            >>> schema = pa.schema({"id": pa.int64(), "ts": pa.timestamp("us", "UTC")})
            >>> events = catalog.create_table("db.events", schema, partition_spec=["day(ts)"])
            >>> str(events.schema().find_field("id")), events.spec().fields[0].name
            ('1: id: optional long', 'ts_day')
            >>> catalog.purge_table("db.events")
            []
        """
        levels = self._new_identifier("identifier", identifier)
        wanted = checked_properties("properties", properties)
        version = _version_of(format_version, wanted.pop(_FORMAT_VERSION, "2"))
        warn_of_misspelt(wanted)
        operation = _native.Operation.create_table(
            schema_json=schema_json(schema, format_version=version),
            spec_json=partition_spec_json(partition_spec),
            sort_order_json=sort_order_json(sort_order),
            location=self._place(levels, None if location is None else checked_path("location", location)),
            properties=wanted,
            format_version=version,
        )
        operations = self.table_operations(levels)
        created = commit(operations, operations=[operation], starting=None)
        return self._table(levels, created.table, operations)

    def create_table_if_not_exists(  # noqa: PLR0913, PLR0917 - as `create_table`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
    ) -> Table:
        """Creates a table as `create_table` does, or loads the existing table of that name, whatever its schema."""
        levels = checked_identifier("identifier", identifier)
        try:
            return self.create_table(
                levels,
                schema,
                location=location,
                partition_spec=partition_spec,
                sort_order=sort_order,
                properties=properties,
                format_version=format_version,
            )
        except TableAlreadyExistsError:
            return self.load_table(levels)

    def load_table(self, identifier: str | Iterable[str]) -> Table:
        """Loads a table.

        Args:
            identifier: The namespace and the name.

        Returns:
            The table at its current metadata.

        Raises:
            NoSuchTableError: The table, or its metadata file, does not exist; or it is a view.
            InvalidDataError: The metadata is damaged. The error names the file.

        Examples:
            >>> len(catalog.load_table("db.refs").snapshots())
            5
        """
        levels = checked_identifier("identifier", identifier)
        operations = self.table_operations(levels)
        return self._table(levels, self._load(levels, operations), operations)

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
        self, identifier: str | Iterable[str], metadata_location: str | os.PathLike[str]
    ) -> Table:
        """Adds an existing table to the catalog.

        Args:
            identifier: The namespace and the name.
            metadata_location: Its current metadata file.

        Returns:
            The table.

        Raises:
            TableAlreadyExistsError: A table or a view of that name exists.
            NoSuchNamespaceError: The namespace does not exist.
            NoSuchTableError: The metadata file does not exist.
            InvalidDataError: The metadata is damaged.
            UnsupportedError: The catalog cannot hold tables at other locations.
        """
        levels = self._new_identifier("identifier", identifier)
        location = _native.location_from_user(checked_path("metadata_location", metadata_location))
        opened = open_metadata(location, storage_options=self.storage_options)
        self.do_register_table(levels, opened.metadata_location)
        return self.load_table(levels)

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

    def purge_table(self, identifier: str | Iterable[str], *, outside: bool = False) -> list[str]:
        """Drops a table, and removes the files that its metadata names.

        Metadata may name any file. So files outside of the table's own locations are kept: outside of its location,
        `write.data.path` and `write.metadata.path`. If the property `gc.enabled` is `false`, data files are kept too,
        since other tables may share them.

        Args:
            identifier: The namespace and the name.
            outside: Whether files outside of the table's own locations are removed too.

        Returns:
            The files that were kept because they are outside. A warning logs them too.

        Raises:
            NoSuchTableError: The table does not exist.
            InvalidInputError: Its property `gc.enabled` is neither `true` nor `false`. Nothing is removed.
            InvalidDataError: Its metadata cannot be read. Where a manifest is damaged, the table is dropped. The
                metadata file that the error names is kept, and can be registered again.
        """
        levels = checked_identifier("identifier", identifier)
        checked_bool("outside", outside)
        opened = self._load(levels, self.table_operations(levels))
        # Before the table is dropped: a wrong property must not leave it half purged.
        flag_of(opened.properties, "gc.enabled")
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

    # What catalogs implement: `table_operations`, and methods that begin with `do_`. The methods of those names without
    # `do_` check the arguments first. Here identifiers are whole tuples. Errors are those of `floeberg.errors`.

    @abstractmethod
    def table_operations(self, identifier: Identifier) -> TableOperations:
        """Returns the operations that load a table and commit to it. The catalog is not asked yet."""

    @abstractmethod
    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        """Adds a table with an existing metadata file. Raises `TableAlreadyExistsError`."""

    @abstractmethod
    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        """Renames a table, atomically. Raises `NoSuchTableError`, `TableAlreadyExistsError`."""

    @abstractmethod
    def do_drop_table(self, identifier: Identifier) -> None:
        """Drops a table. Raises `NoSuchTableError`."""

    def do_purge_table(self, identifier: Identifier, table: OpenedTable, *, outside: bool) -> list[str]:
        """Drops a table, and removes its files. Returns those that were kept."""
        self.do_drop_table(identifier)
        return remove_files_of(table, outside=outside)

    # Errors that these raise.

    def no_such_table(self, identifier: Identifier) -> NoSuchTableError:
        """The error for a table that does not exist."""
        return NoSuchTableError(f"the catalog {self._name!r} has no table {dotted(identifier)!r}")

    def table_already_exists(self, identifier: Identifier) -> TableAlreadyExistsError:
        """The error for a new table whose name is taken."""
        return TableAlreadyExistsError(f"the table {dotted(identifier)!r} already exists")

    def commit_conflict(self, identifier: Identifier) -> CommitConflictError:
        """The error for a commit whose base is no longer current."""
        return CommitConflictError(
            f"another writer changed or dropped the table {dotted(identifier)!r}", retryable=True
        )

    # What they share.

    def _table(self, identifier: Identifier, opened: OpenedTable, operations: TableOperations) -> Table:
        return Table(opened, operations=operations, listed=(self, identifier))

    def _load(self, identifier: Identifier, operations: TableOperations) -> OpenedTable:
        try:
            return operations.load(None)
        except NoSuchTableError as error:
            raise self._instead_of_table(identifier, error) from error

    def _new_identifier(self, name: str, identifier: str | Iterable[str]) -> Identifier:
        """The identifier of a new table."""
        levels = checked_identifier(name, identifier)
        self._known_namespace(levels[:-1])
        if self.do_table_exists(levels):
            raise self.table_already_exists(levels)
        if self._is_view(levels):
            raise TableAlreadyExistsError(f"{dotted(levels)!r} is a view: a table cannot have its name")
        return levels

    def _instead_of_table(self, identifier: Identifier, error: NoSuchTableError) -> NoSuchTableError:
        """The error for a table that does not exist, or is a view."""
        if not self._is_view(identifier):
            return error
        return NoSuchTableError(
            f"{dotted(identifier)!r} is a view, not a table: use load_view, drop_view and others"
        )


def _version_of(given: int | None, written: str) -> int:
    version = (
        given if given is not None else int(written) if written.isascii() and written.isdigit() else None
    )
    if version is None:
        raise InvalidInputError(f"the property {_FORMAT_VERSION!r} is {written!r}: expected 1, 2 or 3")
    if checked_int("format_version", version) not in (1, 2, 3):
        raise InvalidInputError(f"format_version: expected 1, 2 or 3, found {version}")
    return version
