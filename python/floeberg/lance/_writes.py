"""How are rows of a Lance table added, changed and deleted?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_properties, checked_size
from floeberg.commit.new_values import Assignments, Functions, aliases_of_target
from floeberg.errors import UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.expressions._reading import as_delete_filter
from floeberg.lance._base import LanceTableBase
from floeberg.lance.committing import commit as commit_operation
from floeberg.lance.new_files import ROWS_PER_FILE
from floeberg.lance.options import LanceCommitOptions  # noqa: TC001 - `_keywords` reads the name
from floeberg.lance.row_changes import (
    AppendedRows,
    deleted,
    overwritten,
    updated,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Unpack

    from floeberg import _native
    from floeberg.commit.join_options import OnConflict
    from floeberg.commit.new_values import NewValue
    from floeberg.expressions import AnyFilter
    from floeberg.lance.committing import Made
    from floeberg.lance.result import LanceCommitResult

__all__ = ["LanceTableWrites"]

_DETACHED = 1 << 63
"""Versions from here on are in no line of versions."""


class LanceTableWrites(LanceTableBase):
    """The methods of `floeberg.lance.LanceTable` that change rows. Each is one version, and the table moves to it."""

    _is_pinned: bool

    def append(
        self,
        data: object,
        *,
        max_rows_per_file: int = ROWS_PER_FILE,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Adds rows.

        Args:
            data: Rows from any library. Columns are matched by name; those that the rows lack are null.
            max_rows_per_file: The most rows of a fragment.
            **commit: As `LanceCommitOptions` says.

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
        rows = AppendedRows(data, checked_size("max_rows_per_file", max_rows_per_file, 1))
        return self._commit(rows.make, operation="Append", **commit)

    def overwrite(
        self,
        data: object,
        *,
        config: Mapping[str, str] | None = None,
        max_rows_per_file: int = ROWS_PER_FILE,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Replaces all rows and the columns. Older versions stay, and indices go.

        Args:
            data: Rows from any library.
            config: Settings to set.
            max_rows_per_file: The most rows of a fragment.
            **commit: As `LanceCommitOptions` says.

        Returns:
            What the commit did.

        Raises:
            CommitConflictError: Another writer replaced the table.
            UnsupportedError: A column has a type that cannot be written.
        """
        settings = checked_properties("config", config or {})
        most = checked_size("max_rows_per_file", max_rows_per_file, 1)

        def make(table: _native.LanceTable) -> Made:
            return overwritten(table, data, settings, most)

        return self._commit(make, operation="Overwrite", on_conflict="raise", **commit)

    def delete(
        self,
        delete_filter: AnyFilter | None = None,
        *,
        delete_all: bool = False,
        case_sensitive: bool = True,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Deletes the rows that match a filter.

        Args:
            delete_filter: SQL text, a comparison of `fb.col`, or another filter.
            delete_all: Deletes all rows, without a filter.
            case_sensitive: Whether the case of column names counts.
            on_conflict: What to do if another writer changed the same rows: look for the rows again, or raise.
            dry_run: Whether rows are only counted. Nothing is written.
            **commit: As `LanceCommitOptions` says.

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
        checked_bool("dry_run", dry_run)
        row_filter = as_delete_filter(delete_filter, delete_all=delete_all)

        def make(table: _native.LanceTable) -> Made:
            return deleted(table, row_filter, case_sensitive=case_sensitive, dry_run=dry_run)

        return self._commit(make, operation="Delete", on_conflict=on_conflict, dry_run=dry_run, **commit)

    def update(
        self,
        updates: Mapping[str, NewValue],
        filter: AnyFilter = ALWAYS_TRUE,  # noqa: A002 - as for Iceberg
        *,
        case_sensitive: bool = True,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Sets columns of the rows that match a filter.

        The rows are written to new files. With stable row ids they keep their `_rowid`; without, it changes.

        Args:
            updates: New values by the names of columns, as with `floeberg.Table.update`.
            filter: SQL text, a comparison of `fb.col`, or another filter; all rows unless given.
            case_sensitive: Whether the case of column names counts.
            on_conflict: What to do if another writer changed the same rows: look for the rows again, or raise.
            dry_run: Whether rows are only counted. Nothing is written.
            **commit: As `LanceCommitOptions` says.

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
        checked_bool("dry_run", dry_run)

        functions = Functions(aliases_of_target)
        assignments = Assignments(updates, functions)

        def make(table: _native.LanceTable) -> Made:
            return updated(
                table,
                assignments,
                filter,
                functions=functions,
                case_sensitive=case_sensitive,
                dry_run=dry_run,
            )

        return self._commit(make, operation="Update", on_conflict=on_conflict, dry_run=dry_run, **commit)

    def _check_follows(self) -> None:
        """Raises where the table does not follow its newest version."""
        if self._inner.version >= _DETACHED:
            raise UnsupportedError(
                "nothing can be committed to a detached version, which no version follows: open the table without "
                "version to change it"
            )
        if self._is_pinned:
            raise UnsupportedError(
                "the table was opened at a fixed version: open it without version, tag and as_of to change it"
            )

    def _commit(
        self,
        make: Callable[[_native.LanceTable], Made],
        *,
        operation: str | None = None,
        on_conflict: str = "retry",
        dry_run: bool = False,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Commits an operation, and moves to its version."""
        self._check_follows()
        said: Any = checked_properties("transaction_properties", commit.get("transaction_properties") or {})
        table, result = commit_operation(
            self._inner,
            make,
            operation=operation,
            idempotency_key=commit.get("idempotency_key"),
            transaction_properties=said,
            on_conflict=on_conflict,
            manifest_store=self._manifest_store,
        )
        if dry_run:
            return replace(result, dry_run=True)
        self._become(table)
        return result
