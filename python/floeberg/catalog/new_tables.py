"""How are tables made by name: empty ones, ones with rows, and ones that replace others?"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

from floeberg import _native
from floeberg._arguments import checked_path, checked_properties
from floeberg.catalog.names import Identifier, checked_identifier, dotted
from floeberg.catalog.new_table_arguments import FORMAT_VERSION, columns_and_rows, new_table_of
from floeberg.catalog.views import Views
from floeberg.commit.create_table import CreateTableTransaction
from floeberg.commit.transaction import Transaction
from floeberg.errors import FloebergError, InvalidInputError, NoSuchTableError, TableAlreadyExistsError
from floeberg.write.input_rows import has_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from floeberg._new_table import AnyPartitionSpec, AnySchema, AnySortOrder
    from floeberg.commit.new_table import NewTable
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.table import Table

__all__ = ["NewTables"]

Made = TypeVar("Made", bound=Transaction)


class NewTables(Views):
    """The methods of `floeberg.catalog.Catalog` that make tables, and what they need."""

    def create_table(  # noqa: PLR0913, PLR0917 - PyIceberg's order
        self,
        identifier: str | Iterable[str],
        schema: AnySchema | None = None,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
        as_select: object = None,
    ) -> Table:
        """Creates a table: an empty one, or with its first rows.

        Args:
            identifier: The namespace and the name.
            schema: Its columns: a `pyarrow.Schema`, a `floeberg.types.Schema`, one of PyIceberg, or anything with
                `__arrow_c_schema__`. Or its first rows, as with `as_select`: a frame of pandas or polars, a
                `pyarrow.Table`, or anything with `__arrow_c_stream__`. By default, the columns of `as_select`.
            location: Its folder. By default, a folder in the location of its namespace, or in the warehouse.
            partition_spec: Its partition spec: a `floeberg.types.PartitionSpec`, or strings such as `["day(ts)"]`.
            sort_order: Its sort order: a `floeberg.types.SortOrder`, or strings such as `["id desc"]`.
            properties: Its properties. Numbers and bools become strings.
            format_version: Its format version: 1, 2 or 3. By default, the property `format-version`, or 2.
            as_select: Its first rows, as with `Table.append`. The table and the rows come in one commit: other readers
                never see it without them.

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
            >>> copy = catalog.create_table("db.copy", pa.table({"id": [1, 2]}))
            >>> copy.scan().count(), len(copy.snapshots())
            (2, 1)
            >>> catalog.drop_table("db.copy")
        """
        levels = self._new_identifier("identifier", identifier)
        columns, rows = columns_and_rows(schema, as_select)
        place = self._place(levels, None if location is None else checked_path("location", location))
        new = new_table_of(
            columns,
            place,
            partition_spec,
            sort_order,
            checked_properties("properties", properties),
            format_version,
        )
        operations = self.table_operations(levels)
        if rows is None and (opened := operations.create(new)) is not None:
            return self._table(levels, opened, operations)
        made: list[OpenedTable] = []
        transaction = CreateTableTransaction(operations, operations.stage(new), become=made.append)
        with transaction:
            if rows is not None:
                transaction.append(rows)
        return self._table(levels, made[-1], operations)

    def create_table_transaction(  # noqa: PLR0913, PLR0917 - as `create_table`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
    ) -> Transaction:
        """Begins a transaction whose commit creates a table, with all that its operations do.

        Args:
            identifier: As with `create_table`, and so are the others.
            schema: Its columns.
            location: Its folder.
            partition_spec: Its partition spec.
            sort_order: Its sort order.
            properties: Its properties.
            format_version: Its format version.

        Returns:
            The transaction. Its commit raises `TableAlreadyExistsError` where another writer was faster.

        Examples:
            >>> import pyarrow as pa
            >>> with catalog.create_table_transaction("db.made", pa.schema({"id": pa.int64()})) as transaction:
            ...     transaction.append(pa.table({"id": [1]}))
            >>> catalog.load_table("db.made").scan().count()
            1
            >>> catalog.drop_table("db.made")
        """
        return self._new_transaction(
            CreateTableTransaction,
            identifier,
            schema,
            location,
            partition_spec,
            sort_order,
            properties,
            format_version,
        )

    def _new_transaction(  # noqa: PLR0913, PLR0917 - as `create_table`
        self,
        kind: Callable[[TableOperations, NewTable], Made],
        identifier: str | Iterable[str],
        schema: AnySchema,
        location: str | os.PathLike[str] | None,
        partition_spec: AnyPartitionSpec,
        sort_order: AnySortOrder,
        properties: Mapping[str, str | float] | None,
        format_version: int | None,
    ) -> Made:
        """A transaction of a kind, whose commit creates a table."""
        levels = self._new_identifier("identifier", identifier)
        place = self._place(levels, None if location is None else checked_path("location", location))
        wanted = checked_properties("properties", properties)
        columns, rows = columns_and_rows(schema, None)
        new = new_table_of(columns, place, partition_spec, sort_order, wanted, format_version)
        operations = self.table_operations(levels)
        return _with_rows(kind(operations, operations.stage(new)), rows)

    def replace_table(  # noqa: PLR0913, PLR0917 - as `create_table`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema | None = None,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
        as_select: object = None,
    ) -> Table:
        """Replaces a table by another of its name, and keeps its history, as Iceberg Java does.

        The uuid, the snapshots, other branches, tags and properties stay, so that older snapshots can still be read,
        and `manage_snapshots().set_current_snapshot(...)` brings their rows back, unless the replacement changed the
        type of a column. The current state has the new columns, partitions and order, and only the rows of `as_select`.
        Columns of the same name and type keep their field ids.

        Args:
            identifier: As with `create_table`, and so are the others.
            schema: Its columns.
            location: Where its new files go. By default, where they went before.
            partition_spec: Its partition spec; `None` is unpartitioned.
            sort_order: Its sort order; `None` is unsorted.
            properties: Properties that are added to those of the table.
            format_version: Its format version. By default, that of the table. It cannot be lower.
            as_select: Its new rows.

        Returns:
            The table.

        Raises:
            NoSuchTableError: The table does not exist.
            CommitConflictError: Another writer changed its columns or partitions meanwhile.
            FloebergError: Those of `create_table`. With any error the table is as it was.

        Examples:
            >>> import pyarrow as pa
            >>> made = catalog.create_table("db.daily", as_select=pa.table({"id": [1, 2]}))
            >>> new = catalog.replace_table("db.daily", as_select=pa.table({"id": [3], "note": ["new"]}))
            >>> new.scan().to_arrow()["id"].to_pylist(), len(new.snapshots())
            ([3], 2)
            >>> catalog.drop_table("db.daily")
        """
        columns, rows = columns_and_rows(schema, as_select)
        levels = checked_identifier("identifier", identifier)
        table = self.load_table(levels)
        with self._replacement(
            levels, table, columns, location, partition_spec, sort_order, properties, format_version
        ) as transaction:
            if rows is not None:
                transaction.append(rows)
        return table

    def replace_table_transaction(  # noqa: PLR0913, PLR0917 - as `create_table`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
    ) -> Transaction:
        """Begins a transaction whose commit replaces a table, with the rows that the transaction adds.

        Args:
            identifier: As with `replace_table`, and so are the others.
            schema: Its columns.
            location: Where its new files go.
            partition_spec: Its partition spec.
            sort_order: Its sort order.
            properties: Properties that are added to those of the table.
            format_version: Its format version.

        Returns:
            The transaction.

        Raises:
            NoSuchTableError: The table does not exist.
            FloebergError: Those of `replace_table`.

        Examples:
            >>> import pyarrow as pa
            >>> made = catalog.create_table("db.daily", as_select=pa.table({"id": [1, 2]}))
            >>> with catalog.replace_table_transaction("db.daily", pa.schema({"day": pa.date32()})) as transaction:
            ...     _ = transaction.set_properties(owner="jo")
            >>> made.refresh().schema().column_names, made.scan().count()
            (['day'], 0)
            >>> catalog.drop_table("db.daily")
        """
        levels = checked_identifier("identifier", identifier)
        columns, rows = columns_and_rows(schema, None)
        transaction = self._replacement(
            levels,
            self.load_table(levels),
            columns,
            location,
            partition_spec,
            sort_order,
            properties,
            format_version,
        )
        return _with_rows(transaction, rows)

    def create_or_replace_table(  # noqa: PLR0913, PLR0917 - as `create_table`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema | None = None,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
        as_select: object = None,
    ) -> Table:
        """Replaces a table as `replace_table` does, or creates it as `create_table` does where there is none."""
        levels = checked_identifier("identifier", identifier)
        make = self.replace_table if self.do_table_exists(levels) else self.create_table
        return make(
            levels,
            schema,
            location,
            partition_spec,
            sort_order,
            properties,
            format_version=format_version,
            as_select=as_select,
        )

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
        """Creates a table as `create_table` does, or loads the existing table of that name, whatever its schema.

        Raises:
            InvalidInputError: Rows are given as the schema. They would not be written where the table exists.
        """
        levels = checked_identifier("identifier", identifier)
        if has_rows(schema):
            raise InvalidInputError(
                "schema: expected a schema, found rows, which would not be written to a table that exists: give their "
                "schema, and append them"
            )
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
        try:
            opened, is_whole = self._load_to_read(levels, operations)
            return self._table(levels, opened, operations, is_whole=is_whole)
        except NoSuchTableError as error:
            way_out = self._near_tables(levels)
            if not way_out:
                raise
            raise NoSuchTableError(error.message + way_out, context=error.context) from error

    def _near_tables(self, levels: Identifier) -> str:
        """What is there instead of a table, for its error: the namespace is not, or names that are alike."""
        from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

        try:
            if not self.do_namespace_exists(levels[:-1]):
                return f": there is no namespace {dotted(levels[:-1])!r}"
            listed = [dotted(each) for each in self.do_list_tables(levels[:-1])]
        except FloebergError:
            return ""
        if dotted(levels) in listed:
            # It is there: the error says what of it is not.
            return ""
        near = get_close_matches(dotted(levels), listed)
        return f"; near matches: {', '.join(map(repr, near))}" if near else ""

    # What catalogs implement.

    @abstractmethod
    def table_operations(self, identifier: Identifier) -> TableOperations:
        """Returns the operations that load a table and commit to it. The catalog is not asked yet."""

    # Errors that these raise.

    def no_such_table(self, identifier: Identifier) -> NoSuchTableError:
        """The error for a table that does not exist."""
        return NoSuchTableError(f"the catalog {self._name!r} has no table {dotted(identifier)!r}")

    def table_already_exists(self, identifier: Identifier) -> TableAlreadyExistsError:
        """The error for a new table whose name is taken."""
        return TableAlreadyExistsError(f"the table {dotted(identifier)!r} already exists")

    # What they share.

    @abstractmethod
    def _table(
        self,
        identifier: Identifier,
        opened: OpenedTable,
        operations: TableOperations,
        *,
        is_whole: bool = True,
    ) -> Table:
        """A table of this catalog."""

    def _load_to_read(self, identifier: Identifier, operations: TableOperations) -> tuple[OpenedTable, bool]:
        try:
            return operations.load_to_read(None)
        except NoSuchTableError as error:
            raise self._instead_of_table(identifier, error) from error

    def _load(self, identifier: Identifier, operations: TableOperations) -> OpenedTable:
        try:
            return operations.load(None)
        except NoSuchTableError as error:
            raise self._instead_of_table(identifier, error) from error

    def _replacement(  # noqa: PLR0913, PLR0917 - the parts of a table
        self,
        levels: Identifier,
        table: Table,
        columns: AnySchema,
        location: str | os.PathLike[str] | None,
        partition_spec: AnyPartitionSpec,
        sort_order: AnySortOrder,
        properties: Mapping[str, str | float] | None,
        format_version: int | None,
    ) -> Transaction:
        """The transaction that makes a table another one."""
        wanted = checked_properties("properties", properties)
        version = format_version
        if version is None and FORMAT_VERSION not in wanted:
            version = table.format_version
        place = table.location()
        if location is not None:
            place = self._place(levels, checked_path("location", location))
        new = new_table_of(columns, place, partition_spec, sort_order, wanted, version)
        # It takes the place of what is published.
        transaction = table._begin(None)  # noqa: SLF001 - its own
        transaction.change_structure([_native.Operation.create_table(**new, replaces=True)])
        return transaction

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


def _with_rows(transaction: Made, rows: object) -> Made:
    """A transaction that makes a table, with the first rows if there are any."""
    if rows is not None:
        transaction.append(rows)
    return transaction
