"""How are rows of a source joined to a Lance table: upserts, merges and feeds of changes?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_names
from floeberg.commit.change_feed import ChangeFeed
from floeberg.commit.join_options import checked_null_keys
from floeberg.commit.merge_builder import MergeBuilder, join_keys
from floeberg.commit.merge_rows import merge_of
from floeberg.commit.source_rows import SourceRows
from floeberg.errors import InvalidInputError
from floeberg.lance._writes import LanceTableWrites
from floeberg.lance.joins import joined
from floeberg.lance.options import LanceCommitOptions  # noqa: TC001 - `_keywords` reads the name
from floeberg.lance.row_changes import schema_of_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from floeberg.commit.join_options import NullKeys, OnConflict
    from floeberg.commit.merge_builder import Clauses
    from floeberg.expressions import ValueExpression
    from floeberg.lance.committing import Made
    from floeberg.lance.result import LanceCommitResult

__all__ = ["LanceTableJoins"]


class LanceTableJoins(LanceTableWrites):
    """The methods of `floeberg.lance.LanceTable` that join a source to it. Each is one version."""

    def upsert(  # noqa: PLR0913 - all but the first two are keywords
        self,
        df: object,
        join_cols: Sequence[str],
        *,
        when_matched_update_all: bool = True,
        when_not_matched_insert_all: bool = True,
        case_sensitive: bool = True,
        null_keys: NullKeys = "error",
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Updates the rows that have a key of the source, and inserts the other rows of the source.

        Rows that would not change are not written. Columns that the source lacks keep their values, and are null in new
        rows.

        Keys are compared as values: NaN equals NaN, and -0.0 equals 0.0. No key is inserted twice: rows that others
        added meanwhile are looked at before the commit. The keys of the source are kept in memory, within
        `FLOEBERG_MEMORY`. A source that is larger waits in a temporary file.

        Args:
            df: Rows from any library, each key once.
            join_cols: The key columns, of primitive types.
            when_matched_update_all: Whether rows are updated.
            when_not_matched_insert_all: Whether rows are inserted.
            case_sensitive: Whether the case of names counts.
            null_keys: Whether a null in a key is an error, or equals null (`equal`).
            on_conflict: What to do if another writer changed the same rows, or added one of the keys: look for the rows
                again, or raise.
            dry_run: Whether rows are only counted. Nothing is written.
            **commit: As `LanceCommitOptions` says.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: A key is null or there twice, a column is unknown, or a value does not fit.
            LimitExceededError: The keys do not fit into memory.
            CommitConflictError: Another writer changed the same rows, or added the same keys, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/upserted", pa.table({"id": [1, 2], "n": [10, 20]}))
            >>> done = made.upsert(pa.table({"id": [2, 3], "n": [21, 30]}), ["id"])
            >>> done.updated_rows, done.inserted_rows, made.scan().to_arrow().sort_by("id")["n"].to_pylist()
            (1, 1, [10, 21, 30])
        """
        keys = checked_names("join_cols", join_cols)
        updates = checked_bool("when_matched_update_all", when_matched_update_all)
        inserts = checked_bool("when_not_matched_insert_all", when_not_matched_insert_all)
        sensitive, nulls = checked_bool("case_sensitive", case_sensitive), checked_null_keys(null_keys)
        if not keys:
            raise InvalidInputError("join_cols: expected at least one column")
        if not updates and not inserts:
            raise InvalidInputError("an upsert updates, inserts, or does both: found neither")
        source, counts_only = self._source(df), checked_bool("dry_run", dry_run)

        def make(table: _native.LanceTable) -> Made:
            upsert = _native.RowChange.upsert(
                source.rows(),
                keys=list(keys),
                updates=updates,
                inserts=inserts,
                null_keys=nulls,
                case_sensitive=sensitive,
            )
            return joined(table, upsert, dry_run=counts_only)

        return self._commit(make, operation="Update", on_conflict=on_conflict, dry_run=counts_only, **commit)

    def merge(  # noqa: PLR0913 - keywords
        self,
        source: object,
        *,
        on: Sequence[str] | str | None = None,
        predicate: str | ValueExpression | None = None,
        case_sensitive: bool = True,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[LanceCommitOptions],
    ) -> MergeBuilder[LanceCommitResult]:
        """Joins a source to the table: rows that match are updated or deleted, others inserted, as its clauses say.

        It is as `floeberg.Table.merge`. Nothing is done before `execute`. Rows that are updated keep their `_rowid`
        with stable row ids; without, it changes, and `keeps_row_ids` of the result says so.

        Args:
            source: Rows from any library, with any columns. They are read once. The keys are kept in memory, and other
                columns as with `upsert`.
            on: Columns that both have, and that are equal where rows match. Null equals nothing, as in SQL. NaN equals
                NaN, as with `upsert`; in a predicate it equals nothing.
            predicate: Instead, a condition in SQL or a comparison of `fb.col`, with at least one term such as
                `target.id = source.id`.
            case_sensitive: Whether the case of names counts.
            on_conflict: As with `upsert`.
            dry_run: As with `upsert`.
            **commit: As `LanceCommitOptions` says.

        Returns:
            What the clauses are added to.

        Raises:
            InvalidInputError: Neither `on` nor `predicate` is given, or a name is unknown.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/merged", pa.table({"id": [1, 2]}))
            >>> merge = made.merge(pa.table({"id": [2, 3]}), on=["id"])
            >>> done = merge.when_matched_delete().when_not_matched_insert_all().execute()
            >>> sorted(made.scan().to_arrow()["id"].to_pylist())
            [1, 3]
        """
        sensitive = checked_bool("case_sensitive", case_sensitive)
        keys = join_keys(on, predicate, case_sensitive=sensitive)
        rows, counts_only = self._source(source), checked_bool("dry_run", dry_run)

        def run(clauses: Clauses) -> LanceCommitResult:
            def make(table: _native.LanceTable) -> Made:
                merge = merge_of(rows, keys, clauses, schema_of_table(table), case_sensitive=sensitive)
                return joined(table, merge, functions=clauses.functions, dry_run=counts_only)

            return self._commit(
                make, operation="Update", on_conflict=on_conflict, dry_run=counts_only, **commit
            )

        return MergeBuilder(run)

    def apply_changes(  # noqa: PLR0913 - keywords
        self,
        changes: object,
        *,
        keys: Sequence[str],
        operation: str,
        order_by: str | Sequence[str],
        null_keys: NullKeys = "error",
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Applies a feed of changes, of which the last of each key wins.

        It is as `floeberg.Table.apply_changes` without `mode`: rows are looked up by their keys. An insert or an update
        makes the row of its key what it says, whether it was there or not. A delete removes the rows of its key. Rows
        that would not change are not written.

        Args:
            changes: The changes, from any library. Keys, operations and `order_by` are kept in memory.
            keys: The key columns, of primitive types.
            operation: The column with `insert`, `update` or `delete`, in any case. It is not written. A changelog's
                `UPDATE_AFTER` is an update, and its `UPDATE_BEFORE` a delete before it.
            order_by: The columns by which the last change of a key is found, such as a log position. They are written
                where the table has them.
            null_keys: As with `upsert`.
            on_conflict: As with `upsert`.
            dry_run: As with `upsert`.
            **commit: As `LanceCommitOptions` says.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: Two changes of a key have the same place in the order: the error shows their keys. Or a
                key is null, an operation is unknown, or a column is missing or does not fit. Nothing was changed.
            CommitConflictError: As with `upsert`.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/applied", pa.table({"id": [1, 2]}))
            >>> changes = pa.table({"id": [2, 3, 3], "op": ["delete", "insert", "update"], "at": [5, 6, 7]})
            >>> done = made.apply_changes(changes, keys=["id"], operation="op", order_by="at")
            >>> done.deleted_rows, done.inserted_rows, sorted(made.scan().to_arrow()["id"].to_pylist())
            (1, 1, [1, 3])
        """
        order = [order_by] if isinstance(order_by, str) else checked_names("order_by", order_by)
        feed = ChangeFeed(checked_names("keys", keys), operation, order, checked_null_keys(null_keys))
        source, counts_only = self._source(changes), checked_bool("dry_run", dry_run)
        feed.check(source.schema)

        def make(table: _native.LanceTable) -> Made:
            return joined(table, feed.of(source), dry_run=counts_only)

        return self._commit(make, operation="Update", on_conflict=on_conflict, dry_run=counts_only, **commit)

    def _source(self, rows: object) -> SourceRows:
        return SourceRows(rows, lambda: schema_of_table(self._inner))
