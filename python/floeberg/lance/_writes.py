"""How are rows of a Lance table added, changed and deleted?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from floeberg._arguments import checked_bool, checked_names, checked_properties
from floeberg.commit.source_rows import SourceRows
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.lance._base import LanceTableBase
from floeberg.lance.committing import commit
from floeberg.lance.new_files import ROWS_PER_FILE
from floeberg.lance.row_changes import (
    AppendedRows,
    deleted,
    overwritten,
    schema_of_table,
    updated,
    upserted,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from floeberg import _native
    from floeberg.commit.new_values import NewValue
    from floeberg.expressions import AnyFilter
    from floeberg.lance.committing import Made
    from floeberg.lance.result import LanceCommitResult

__all__ = ["LanceTableWrites"]

OnConflict: TypeAlias = Literal["retry", "error"]


class LanceTableWrites(LanceTableBase):
    """The methods of `floeberg.lance.LanceTable` that change rows. Each is one version, and the table moves to it."""

    _is_pinned: bool

    def append(
        self,
        data: object,
        *,
        properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        max_rows_per_file: int = ROWS_PER_FILE,
    ) -> LanceCommitResult:
        """Adds rows.

        Args:
            data: Rows from any library. Columns are matched by name; those that the rows lack are null.
            properties: What is said of the transaction.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.
            max_rows_per_file: The most rows of a fragment.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: A column is unknown, or a value does not fit.
            CommitConflictError: Another writer replaced the table.
            UnsupportedError: The table is at a fixed version, or has features or columns that cannot be written.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/appended", pa.table({"id": [1, 2]}))
            >>> made.append(pa.table({"id": [3]})).added_rows, made.version
            (1, 2)
        """
        rows = AppendedRows(data, max_rows_per_file)
        return self._commit(rows.make, properties, idempotency_key)

    def overwrite(
        self,
        data: object,
        *,
        config: Mapping[str, str] | None = None,
        properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        max_rows_per_file: int = ROWS_PER_FILE,
    ) -> LanceCommitResult:
        """Replaces all rows and the columns. Older versions stay, and indices go.

        Args:
            data: Rows from any library.
            config: Settings to set.
            properties: What is said of the transaction.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.
            max_rows_per_file: The most rows of a fragment.

        Returns:
            What the commit did.

        Raises:
            CommitConflictError: Another writer replaced the table.
            UnsupportedError: A column has a type that cannot be written.
        """
        settings = checked_properties("config", config or {})

        def make(table: _native.LanceTable) -> Made:
            return overwritten(table, data, settings, max_rows_per_file)

        return self._commit(make, properties, idempotency_key, on_conflict="error")

    def delete(
        self,
        delete_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        *,
        case_sensitive: bool = True,
        properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
    ) -> LanceCommitResult:
        """Deletes the rows that match a filter.

        Args:
            delete_filter: SQL text, a filter of `floeberg.expressions`, or a bool.
            case_sensitive: Whether the case of column names counts.
            properties: What is said of the transaction.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.
            on_conflict: What to do if another writer changed the same rows: look for the rows again, or raise.

        Returns:
            What the commit did.

        Raises:
            CommitConflictError: Another writer changed the same rows, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/deleted", pa.table({"id": [1, 2, 3]}))
            >>> made.delete("id > 1").deleted_rows, made.scan().count()
            (2, 1)
        """
        checked_bool("case_sensitive", case_sensitive)

        def make(table: _native.LanceTable) -> Made:
            return deleted(table, delete_filter, case_sensitive=case_sensitive)

        return self._commit(make, properties, idempotency_key, on_conflict=on_conflict)

    def update(  # noqa: PLR0913 - all but the first two are keywords
        self,
        updates: Mapping[str, NewValue],
        filter: AnyFilter = True,  # noqa: A002, FBT002 - as for Iceberg; a filter may be a bool
        *,
        case_sensitive: bool = True,
        properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
    ) -> LanceCommitResult:
        """Sets columns of the rows that match a filter.

        The rows are written to new files. With stable row ids they keep their `_rowid`; without, it changes.

        Args:
            updates: New values by the names of columns, as with `floeberg.Table.update`.
            filter: SQL text, a filter of `floeberg.expressions`, or a bool.
            case_sensitive: Whether the case of column names counts.
            properties: What is said of the transaction.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.
            on_conflict: What to do if another writer changed the same rows: look for the rows again, or raise.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: A column is unknown, or a value does not fit.
            CommitConflictError: Another writer changed the same rows, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/updated", pa.table({"id": [1, 2], "n": [10, 20]}))
            >>> made.update({"n": fb.sql_expr("n + 1")}, "id = 2").keeps_row_ids
            True
            >>> made.scan().select("_rowid", "n").to_arrow().sort_by("_rowid").to_pydict()
            {'n': [10, 21], '_rowid': [0, 1]}
        """
        checked_bool("case_sensitive", case_sensitive)

        def make(table: _native.LanceTable) -> Made:
            return updated(table, updates, filter, case_sensitive=case_sensitive)

        return self._commit(make, properties, idempotency_key, on_conflict=on_conflict)

    def upsert(  # noqa: PLR0913 - all but the first two are keywords
        self,
        df: object,
        join_cols: Sequence[str],
        *,
        when_matched_update_all: bool = True,
        when_not_matched_insert_all: bool = True,
        properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
    ) -> LanceCommitResult:
        """Updates rows by their keys, and inserts the others.

        No key is inserted twice: if rows were added since the table was read, it is read again.

        Args:
            df: Rows from any library, each key once. Rows that are updated keep the columns that these lack.
            join_cols: The key columns.
            when_matched_update_all: Whether rows with known keys are updated.
            when_not_matched_insert_all: Whether rows with new keys are inserted.
            properties: What is said of the transaction.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.
            on_conflict: What to do if another writer changed the table: read it again, or raise.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: A key is null or there twice, a column is unknown, or a value does not fit.
            CommitConflictError: Another writer changed the same rows, or added rows, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/upserted", pa.table({"id": [1, 2], "n": [10, 20]}))
            >>> done = made.upsert(pa.table({"id": [2, 3], "n": [21, 30]}), ["id"])
            >>> done.updated_rows, done.inserted_rows, made.scan().to_arrow().sort_by("id")["n"].to_pylist()
            (1, 1, [10, 21, 30])
        """
        keys = checked_names("join_cols", join_cols)
        if not keys:
            raise InvalidInputError("join_cols: expected at least one column")
        updates = checked_bool("when_matched_update_all", when_matched_update_all)
        inserts = checked_bool("when_not_matched_insert_all", when_not_matched_insert_all)
        if not updates and not inserts:
            raise InvalidInputError("an upsert updates, inserts, or does both: found neither")
        source = SourceRows(df, lambda: schema_of_table(self._inner))

        def make(table: _native.LanceTable) -> Made:
            return upserted(table, source, keys, updates=updates, inserts=inserts)

        return self._commit(make, properties, idempotency_key, on_conflict=on_conflict)

    def _commit(
        self,
        make: Callable[[_native.LanceTable], Made],
        properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        *,
        on_conflict: str = "retry",
    ) -> LanceCommitResult:
        """Commits an operation, and moves to its version."""
        if self._is_pinned:
            raise UnsupportedError(
                "the table was opened at a fixed version: open it without version, tag and as_of to change it"
            )
        said: Any = checked_properties("properties", properties or {})
        table, result = commit(
            self._inner,
            make,
            idempotency_key=idempotency_key,
            properties=said,
            on_conflict=on_conflict,
            manifest_store=self._manifest_store,
        )
        self._become(table)
        return result
