"""What can be done to a table?

Each method is a transaction of one operation. Afterwards the table is what it became.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_options, checked_text
from floeberg.commit.transaction import Transaction
from floeberg.commit.update_schema import UpdateSchema
from floeberg.write.recipe import WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.result import CommitResult
    from floeberg.commit.transaction import SchemaMode, WriteMode
    from floeberg.expressions import AnyFilter
    from floeberg.write.recipe import Receipt

__all__ = ["TableWrites"]


class TableWrites:
    """The methods of `floeberg.Table` that change the table."""

    _inner: _native.Table
    _json: dict[str, Any] | None
    _operations: TableOperations

    def append(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = "main",
        *,
        idempotency_key: str | None = None,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Adds rows to the table.

        Columns are matched by field id where all have one, else by name. Missing optional ones get their default.

        Args:
            data: The rows: a `pyarrow.Table`, a reader, a data frame of pandas or polars, anything else with
                `__arrow_c_stream__`, or a list of dicts. They are read once, in bounded memory, on this thread. What a
                generator raises comes out as it is.
            snapshot_properties: What the summary of the snapshot says beside what it must.
            branch: The branch that gets them; `None` is `main`.
            idempotency_key: A key of the write: of this operation, on this branch. Where the branch has a snapshot
                with it, the write was done before, and nothing is done. Another operation with it is an error.
            schema_mode: `merge` adds the columns that the table lacks, and promotes those that are too narrow.
            options: Properties of the table that count for this write alone: `write.parquet.compression-codec` and
                such.

        Returns:
            What was done, or that it was done before, and by which snapshot.

        Raises:
            InvalidInputError: The rows do not fit the schema; the error lists every mismatch. Or a value does not fit
                its column, or is damaged; the error names column and row. Nothing was changed, as with every error but
                `CommitStateUnknownError`.
            CommitConflictError: Other writers were faster each time, or changed columns so that the rows do not fit.
            CommitStateUnknownError: Whether the rows are in the table is not known, and may not be for a while.
                Repeat the write with the same `idempotency_key`, or look for the snapshot.
            UnsupportedError: The table cannot be written where it was opened; the error says what to do.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}), snapshot_properties={"by": "doc"})
            >>> orders.scan().count(), orders.current_snapshot().summary["by"]
            (2, 'doc')
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.append(data, schema_mode=schema_mode, options=options)
            return transaction.commit_transaction()

    def overwrite(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        overwrite_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        snapshot_properties: Mapping[str, str] | None = None,
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = "main",
        *,
        idempotency_key: str | None = None,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Puts rows in the place of those that match a filter.

        Files go as a whole: one of which only some rows match would have to be rewritten, which is an error that names
        it.

        Args:
            data: The rows, as `append` takes them.
            overwrite_filter: SQL text, a filter of `floeberg.expressions`, or a bool; all rows unless given.
            snapshot_properties: As with `append`.
            case_sensitive: Whether the case of names in the filter counts.
            branch: As with `append`.
            idempotency_key: As with `append`.
            schema_mode: As with `append`.
            options: As with `append`; and `isolation-level`, `serializable` or `snapshot`.

        Returns:
            What was done, or that it was done before, and by which snapshot.

        Raises:
            UnsupportedError: A file would have to be rewritten.
            CommitConflictError: Another writer added or deleted rows that the filter matches, or dropped its columns.
            FloebergError: The others of `append`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> _ = orders.overwrite(pa.table({"id": [7]}))
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [7]
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.overwrite(
                data,
                overwrite_filter=overwrite_filter,
                case_sensitive=case_sensitive,
                schema_mode=schema_mode,
                options=options,
            )
            return transaction.commit_transaction()

    def dynamic_partition_overwrite(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = "main",
        *,
        idempotency_key: str | None = None,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Puts rows in the place of all rows of the partitions that they are in.

        Args:
            data: The rows, as `append` takes them.
            snapshot_properties: As with `append`.
            branch: As with `append`.
            idempotency_key: As with `append`.
            schema_mode: As with `append`.
            options: As with `overwrite`.

        Returns:
            What was done, or that it was done before, and by which snapshot.

        Raises:
            FloebergError: Those of `overwrite`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> _ = orders.dynamic_partition_overwrite(pa.table({"id": [3]}))
            >>> orders.scan().count()
            1
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.dynamic_partition_overwrite(data, schema_mode=schema_mode, options=options)
            return transaction.commit_transaction()

    def delete(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        delete_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        snapshot_properties: Mapping[str, str] | None = None,
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = "main",
        *,
        idempotency_key: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Deletes the rows that match a filter. Files go as a whole, as with `overwrite`.

        Args:
            delete_filter: SQL text, a filter of `floeberg.expressions`, or a bool; all rows unless given.
            snapshot_properties: As with `append`.
            case_sensitive: Whether the case of names in the filter counts.
            branch: As with `append`.
            idempotency_key: As with `append`.
            options: `isolation-level`, as with `overwrite`.

        Returns:
            What was done, or that it was done before, and by which snapshot.

        Raises:
            FloebergError: Those of `overwrite`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> _ = orders.append(pa.table({"id": [3]}))
            >>> _ = orders.delete("id < 3")
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [3]
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.delete(delete_filter, case_sensitive=case_sensitive, options=options)
            return transaction.commit_transaction()

    def update_schema(
        self,
        allow_incompatible_changes: bool = False,  # noqa: FBT001, FBT002 - PyIceberg's order
        case_sensitive: bool = True,  # noqa: FBT001, FBT002
    ) -> UpdateSchema:
        """Adds, drops, renames, moves and promotes columns, nested ones too.

        Args:
            allow_incompatible_changes: Whether columns may become required although rows may hold null.
            case_sensitive: Whether the case of names counts.

        Returns:
            The changes, which are made at the end of a `with` block, or by `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> with orders.update_schema() as update:
            ...     _ = update.add_column("note", "string").rename_column("id", "number")
            >>> orders.schema().column_names
            ['number', 'note']
        """
        self._operations.check_writable()

        def change(changes_json: str) -> None:
            with self.transaction() as transaction:
                transaction.change_columns(changes_json)

        return UpdateSchema(
            change,
            format_version=self._inner.format_version,
            allow_incompatible_changes=allow_incompatible_changes,
            case_sensitive=case_sensitive,
        )

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> None:
        """Sets properties of the table.

        Args:
            properties: The properties by key. Numbers and bools become texts.
            **more: Properties whose keys are names of Python.

        Raises:
            InvalidInputError: A key is reserved, a value is no text, or a property that is known cannot have it.
            UnsupportedError: The key of an encrypted table is to be set: what is written here is not encrypted.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.set_properties({"write.metadata.compression-codec": "gzip"}, owner="jo")
            >>> orders.properties["owner"]
            'jo'
        """
        with self.transaction() as transaction:
            transaction.set_properties(properties, **more)

    def remove_properties(self, *removals: str) -> None:
        """Removes properties of the table. A key that is not there is no error.

        Args:
            *removals: The keys.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.set_properties({"owner": "jo"})
            >>> orders.remove_properties("owner")
            >>> "owner" in orders.properties
            False
        """
        with self.transaction() as transaction:
            transaction.remove_properties(*removals)

    def upgrade_table_version(self, format_version: int) -> None:
        """Upgrades the table to a later version of the specification. Nothing else does, and there is no way back.

        Args:
            format_version: The version: 2 or 3.

        Raises:
            InvalidInputError: The table is of a later version.
            UnsupportedError: There is no such version.

        Examples:
            >>> orders.upgrade_table_version(3)
            >>> orders.format_version
            3
        """
        with self.transaction() as transaction:
            transaction.upgrade_table_version(format_version)

    def transaction(
        self,
        *,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = "main",
        idempotency_key: str | None = None,
    ) -> Transaction:
        """Begins a commit of several operations.

        Args:
            snapshot_properties: What the summaries of its snapshots say beside what they must.
            branch: The branch that its snapshots go to; `None` is `main`.
            idempotency_key: As with `append`. It is kept by snapshots: a commit of properties alone has none.

        Returns:
            The transaction.

        Raises:
            UnsupportedError: The table cannot be written where it was opened; the error says what to do.
        """
        self._operations.check_writable()
        return Transaction(
            self._operations,
            self._inner,
            become=self._become,
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
        )

    def write_recipe(
        self, *, options: Mapping[str, str] | None = None, write_id: str | None = None
    ) -> WriteRecipe:
        """What workers need to write rows of this table, for `commit_receipts`.

        Args:
            options: As with `append`.
            write_id: What tells the files of this write from those of others; a random one unless given.

        Returns:
            The recipe.

        Raises:
            UnsupportedError: The table cannot be written where it was opened; the error says what to do.

        Examples:
            >>> orders.write_recipe(write_id="job-7")
            WriteRecipe(write_id="job-7")
        """
        self._operations.check_writable()
        given = checked_text("write_id", str(uuid.uuid4()) if write_id is None else write_id)
        return WriteRecipe(
            _native.WriteRecipe.of(self._inner, options=checked_options("options", options), write_id=given)
        )

    def commit_receipts(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipts: Sequence[Receipt],
        *,
        mode: WriteMode = "append",
        overwrite_filter: AnyFilter = True,
        case_sensitive: bool = True,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str = "main",
        idempotency_key: str | None = None,
        made_from: Sequence[int | None] = (),
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Takes files that workers wrote into the table, all or none.

        The files stay where they are, whatever becomes of the commit. Remove them with `WriteRecipe.remove` after an
        error, but never after `CommitStateUnknownError`, when they may be in the table, nor after `AlreadyExistsError`,
        when they are.

        Args:
            receipts: What `WriteRecipe.write` gave, once for each part of the rows.
            mode: `append`; `overwrite`, in the place of the rows that match the filter; or `dynamic-overwrite`, in the
                place of all rows of their partitions.
            overwrite_filter: The filter of `overwrite`.
            case_sensitive: Whether the case of names in the filter counts.
            snapshot_properties: As with `append`.
            branch: As with `append`.
            idempotency_key: As with `append`: a repeated commit with the same key is a success and adds nothing.
            made_from: The snapshots of the branch that the rows were made from, where that was before this table: what
                others did since the oldest of them can be a conflict of an overwrite. `None` is a branch without any.
            options: `isolation-level`, as with `overwrite`.

        Returns:
            What was done, or that it was done before, and by which snapshot.

        Raises:
            InvalidInputError: A receipt is of another table.
            AlreadyExistsError: A file is in the table already. All manifests of the branch are read for this.
            NotFoundError: A file is gone.
            InvalidDataError: A file is not of the size that it was written with.
            CommitConflictError: Columns changed so that the files do not fit any more.
            FloebergError: The others of `append` and `overwrite`.

        Examples:
            >>> receipt = orders.write_recipe().write(pa.table({"id": [1]}), task="0-0")
            >>> for _ in range(2):
            ...     _ = orders.commit_receipts([receipt], idempotency_key="job-7")
            >>> orders.scan().count()
            1
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.commit_receipts(
                receipts,
                mode=mode,
                overwrite_filter=overwrite_filter,
                case_sensitive=case_sensitive,
                made_from=made_from,
                options=options,
            )
            return transaction.commit_transaction()

    def refresh(self) -> Self:
        """Makes this the table as it is now, after others wrote to it.

        Returns:
            The table itself.

        Raises:
            NoSuchTableError: It is gone, or another table, whose UUID tells, is in its place. This one stays as it was.
            UnsupportedError: It was opened in a way that keeps it as it was.

        Examples:
            >>> other = catalog.load_table("db.orders")
            >>> _ = orders.append(pa.table({"id": [1]}))
            >>> other.scan().count(), other.refresh().scan().count()
            (0, 1)
        """
        current = self._operations.load(self._inner)
        self._inner.check_same_table(current)
        self._become(current)
        return self

    def _become(self, native: OpenedTable) -> None:
        """Makes this the table of another metadata file. Scans that were made before stay as they are."""
        self._inner = native
        self._json = None
