"""How are rows of a source joined to a table: upserts, merges and feeds of changes?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.commit.merge_builder import MergeBuilder, join_keys
from floeberg.commit.options import CommitOptions, SnapshotOptions  # noqa: TC001 - `_keywords` reads the names
from floeberg.commit.result import UpsertResult
from floeberg.table._write import TableWrites

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from floeberg.commit.merge_builder import Clauses
    from floeberg.commit.result import CommitResult
    from floeberg.commit.row_operations import ChangeMode, DeleteMode, NullKeys, OnConflict
    from floeberg.commit.staging import SchemaMode
    from floeberg.expressions import ValueExpression

__all__ = ["TableJoins"]


class TableJoins(TableWrites):
    """The methods of `floeberg.Table` that change rows, by the keys of a source too."""

    def upsert(  # noqa: PLR0913, PLR0917 - PyIceberg's order, then keywords
        self,
        df: object,
        join_cols: Sequence[str] | None = None,
        when_matched_update_all: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        when_not_matched_insert_all: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = None,
        snapshot_properties: Mapping[str, str] | None = None,
        *,
        null_keys: NullKeys = "error",
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[CommitOptions],
    ) -> UpsertResult:
        """Updates the rows that have a key of the source, and inserts the other rows of the source.

        Rows that would not change are not written. Columns that the source lacks keep their values, and get their
        default, or null, in new rows. Only key columns are read of rows without a key of the source.

        Keys are compared as values: NaN equals NaN, and -0.0 equals 0.0. No key is inserted twice, whatever other
        writers do. The keys of the source are kept in memory, within `FLOEBERG_MEMORY`. A source that is larger waits
        in a temporary file.

        Args:
            df: The rows, as `append` takes them. Each key is there once.
            join_cols: The key columns, of primitive types; by default, the identifier fields of the schema.
            when_matched_update_all: Whether rows are updated.
            when_not_matched_insert_all: Whether rows are inserted.
            case_sensitive: Whether the case of names counts.
            branch: As with `append`.
            snapshot_properties: As with `append`.
            null_keys: Whether a null in a key is an error, or equals null (`equal`).
            schema_mode: As with `append`.
            mode: How old rows go, as with `delete`. By default, the table's property `write.merge.mode`, or
                `copy-on-write`.
            options: Table properties for this write alone; and `isolation-level`, by default the table's
                `write.merge.isolation-level`.
            on_conflict: As with `update`.
            dry_run: Whether rows and files are only counted. Nothing is written.
            **commit: As `CommitOptions` says.

        Returns:
            How many rows were updated and inserted, and what the commit did.

        Raises:
            InvalidInputError: A key is null, or there twice; a column is unknown, or does not fit; or `merge-on-read`
                was asked for in format version 1. Nothing was changed.
            LimitExceededError: The source does not fit into memory.
            CommitConflictError: As with `update`.
            FloebergError: The errors of reading and writing files.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> done = orders.upsert(pa.table({"id": [2, 3]}), join_cols=["id"])
            >>> done.rows_updated, done.rows_inserted
            (0, 1)
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, dry_run=dry_run, **commit
        ) as transaction:
            transaction.upsert(
                df,
                join_cols,
                when_matched_update_all,
                when_not_matched_insert_all,
                case_sensitive,
                null_keys=null_keys,
                schema_mode=schema_mode,
                mode=mode,
                options=options,
                on_conflict=on_conflict,
            )
            result = transaction.commit_transaction()
        return UpsertResult(result.updated_rows, result.inserted_rows, result)

    def merge(  # noqa: PLR0913 - keywords
        self,
        source: object,
        *,
        on: Sequence[str] | str | None = None,
        predicate: str | ValueExpression | None = None,
        case_sensitive: bool = True,
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[SnapshotOptions],
    ) -> MergeBuilder[CommitResult]:
        """Joins a source to the table: rows that match are updated or deleted, others inserted, as its clauses say.

        The names of the clauses are those of delta-rs. Nothing is done before `execute`.

        Args:
            source: The rows, as `append` takes them, with any columns. They are read once. The keys are kept in
                memory, and other columns as with `upsert`.
            on: Columns that both have, and that are equal where rows match. Null equals nothing, as in SQL. NaN equals
                NaN, as with `upsert`; in a predicate it equals nothing.
            predicate: Instead, a condition in SQL or a comparison of `fb.col`, with at least one term such as
                `target.id = source.id`.
            case_sensitive: Whether the case of names counts.
            schema_mode: As with `append`.
            mode: As with `upsert`.
            options: As with `upsert`.
            on_conflict: As with `update`.
            dry_run: Whether rows and files are only counted. Nothing is written.
            **commit: As `SnapshotOptions` says.

        Returns:
            What the clauses are added to.

        Raises:
            InvalidInputError: Neither `on` nor `predicate` is given, or a name is unknown.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> merge = orders.merge(pa.table({"id": [2, 3]}), on=["id"])
            >>> done = merge.when_matched_delete().when_not_matched_insert_all().execute()
            >>> sorted(orders.scan().to_arrow()["id"].to_pylist())
            [1, 3]
        """
        join_keys(on, predicate, case_sensitive=case_sensitive)

        def run(clauses: Clauses) -> CommitResult:
            with self.transaction(dry_run=dry_run, **commit) as transaction:
                builder = transaction.merge(
                    source,
                    on=on,
                    predicate=predicate,
                    case_sensitive=case_sensitive,
                    schema_mode=schema_mode,
                    mode=mode,
                    options=options,
                    on_conflict=on_conflict,
                )
                builder.run(clauses)
                return transaction.commit_transaction()

        return MergeBuilder(run)

    def apply_changes(  # noqa: PLR0913 - keywords
        self,
        changes: object,
        *,
        keys: Sequence[str],
        operation: str,
        order_by: str | Sequence[str],
        null_keys: NullKeys = "error",
        schema_mode: SchemaMode | None = None,
        mode: ChangeMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[SnapshotOptions],
    ) -> CommitResult:
        """Applies a feed of changes, of which the last of each key wins.

        An insert or an update makes the row of its key what it says, whether it was there or not. A delete removes the
        rows of its key. Rows that would not change are not written.

        Args:
            changes: The changes, as `append` takes rows. Keys, operations and `order_by` are kept in memory, and other
                columns as with `upsert`.
            keys: The key columns, of primitive types.
            operation: The column with `insert`, `update` or `delete`, in any case. It is not written. A changelog's
                `UPDATE_AFTER` is an update, and its `UPDATE_BEFORE` a delete before it.
            order_by: The columns by which the last change of a key is found, such as a log position. They are written
                where the table has them.
            null_keys: As with `upsert`.
            schema_mode: As with `append`.
            mode: As with `upsert`; or `"equality"`, which does not read the table: equality delete files name the keys
                of all changes, and rows that stay are written, whether they change or not. The changes need every
                column of the table. Keys are not floating-point numbers. In a partitioned table, the columns that
                partitions depend on are keys, or the table has an unpartitioned spec. Where a key is in several rows,
                one is left.
            options: As with `upsert`.
            on_conflict: As with `update`.
            dry_run: Whether rows and files are only counted. Nothing is written.
            **commit: As `SnapshotOptions` says.

        Returns:
            What the commit did, or which earlier commit did it; of a dry run, what it would do.

        Raises:
            InvalidInputError: Two changes of a key have the same place in the order: the error shows their keys. Or a
                key is null, an operation is unknown, or a column is missing or does not fit. Nothing was changed.
            CommitConflictError: As with `update`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> changes = pa.table({"id": [2, 3, 3], "op": ["delete", "insert", "update"], "at": [5, 6, 7]})
            >>> done = orders.apply_changes(changes, keys=["id"], operation="op", order_by="at")
            >>> done.deleted_rows, done.inserted_rows, sorted(orders.scan().to_arrow()["id"].to_pylist())
            (1, 1, [1, 3])
        """
        with self.transaction(dry_run=dry_run, **commit) as transaction:
            transaction.apply_changes(
                changes,
                keys=keys,
                operation=operation,
                order_by=order_by,
                null_keys=null_keys,
                schema_mode=schema_mode,
                mode=mode,
                options=options,
                on_conflict=on_conflict,
            )
            return transaction.commit_transaction()
