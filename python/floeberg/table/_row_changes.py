"""How are rows of a table replaced, deleted or updated?

Each can change some of the rows of a file, by copies of the others or by delete files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.expressions import ALWAYS_TRUE
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.new_values import NewValue
    from floeberg.commit.progress_report import ProgressCallback
    from floeberg.commit.result import CommitResult
    from floeberg.commit.row_operations import DeleteMode, OnConflict
    from floeberg.commit.staging import SchemaMode
    from floeberg.expressions import AnyFilter

__all__ = ["TableRowChanges"]


class TableRowChanges(TableBase):
    """The methods of `floeberg.Table` that replace and delete rows."""

    def overwrite(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        overwrite_filter: AnyFilter = ALWAYS_TRUE,
        snapshot_properties: Mapping[str, str] | None = None,
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = None,
        *,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> CommitResult:
        """Replaces the rows that match a filter, in one snapshot.

        The rows are found as `delete` finds them. New rows that match the filter stay.

        Args:
            data: The rows, as `append` takes them.
            overwrite_filter: SQL text, a comparison of `fb.col`, or another filter; all rows unless given.
            snapshot_properties: As with `append`.
            case_sensitive: Whether the case of names in the filter counts.
            branch: As with `append`.
            idempotency_key: As with `append`.
            stage_only: As with `append`.
            schema_mode: As with `append`.
            mode: How rows go of files of which others stay, as with `delete`.
            options: As with `append`; and `isolation-level`, `serializable` or `snapshot`.
            dry_run: Whether rows and files are only counted. Data is read to its end, and nothing is written.
            progress: As with `append`.

        Returns:
            What the commit did, or which earlier commit did it; of a dry run, what it would do.

        Raises:
            InvalidInputError: The filter or the mode is invalid, or `merge-on-read` was asked for in format version 1.
            CommitConflictError: Another writer added or deleted rows that match the filter, or dropped its columns.
            FloebergError: The other errors of `append`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> _ = orders.overwrite(pa.table({"id": [7]}), "id = 2")
            >>> sorted(orders.scan().to_arrow()["id"].to_pylist())
            [1, 7]
        """
        with self.transaction(
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
            stage_only=stage_only,
            dry_run=dry_run,
            progress=progress,
        ) as transaction:
            transaction.overwrite(
                data,
                overwrite_filter=overwrite_filter,
                case_sensitive=case_sensitive,
                schema_mode=schema_mode,
                mode=mode,
                options=options,
            )
            return transaction.commit_transaction()

    def dynamic_partition_overwrite(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = None,
        *,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> CommitResult:
        """Replaces all rows of the partitions that the new rows are in.

        Args:
            data: The rows, as `append` takes them.
            snapshot_properties: As with `append`.
            branch: As with `append`.
            idempotency_key: As with `append`.
            stage_only: As with `append`.
            schema_mode: As with `append`.
            options: As with `overwrite`.
            progress: As with `append`.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            FloebergError: The errors of `overwrite`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}))
            >>> _ = orders.dynamic_partition_overwrite(pa.table({"id": [3]}))
            >>> orders.scan().count()
            1
        """
        with self.transaction(
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
            stage_only=stage_only,
            progress=progress,
        ) as transaction:
            transaction.dynamic_partition_overwrite(data, schema_mode=schema_mode, options=options)
            return transaction.commit_transaction()

    def delete(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        delete_filter: AnyFilter | None = None,
        snapshot_properties: Mapping[str, str] | None = None,
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = None,
        *,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        mode: DeleteMode | None = None,
        delete_all: bool = False,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> CommitResult:
        """Deletes the rows that match a filter.

        If metadata proves that all rows of a file match, the file is removed without reading it. For other files, the
        columns of the filter are read. A file without matching rows stays as it is, and a file with only matching rows
        is removed.

        Args:
            delete_filter: SQL text, a comparison of `fb.col`, or another filter.
            snapshot_properties: As with `append`.
            case_sensitive: Whether the case of names in the filter counts.
            branch: As with `append`.
            idempotency_key: As with `append`.
            stage_only: As with `append`.
            mode: How to delete some of the rows of a file (a row-level delete). `copy-on-write` rewrites the file with
                its other rows. `merge-on-read` writes deletion vectors, or position deletes in format version 2. By
                default, the table's property `write.delete.mode`, or `copy-on-write`.
            delete_all: Deletes all rows, without a filter.
            options: `isolation-level`, as with `overwrite`. It only matters with `on_conflict="raise"`.
            on_conflict: Rows that another writer adds meanwhile are deleted too, and a file that is rewritten meanwhile
                is looked into again; `raise` raises a conflict instead.
            dry_run: Whether rows and files are only counted. Nothing is written.
            progress: As with `append`.

        Returns:
            What the commit did, or which earlier commit did it; of a dry run, what it would do.

        Raises:
            InvalidInputError: The filter or the mode is invalid, or `merge-on-read` was asked for in format version 1.
            CommitConflictError: Another writer dropped a column of the filter, or with `on_conflict="raise"` as with
                `overwrite`; other writers were faster at every attempt.
            FloebergError: The errors of reading and writing files.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
            >>> orders.delete("id < 3", dry_run=True).deleted_rows
            2
            >>> _ = orders.delete("id < 3", mode="merge-on-read")
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [3]
        """
        with self.transaction(
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
            stage_only=stage_only,
            dry_run=dry_run,
            progress=progress,
        ) as transaction:
            transaction.delete(
                delete_filter,
                delete_all=delete_all,
                case_sensitive=case_sensitive,
                mode=mode,
                options=options,
                on_conflict=on_conflict,
            )
            return transaction.commit_transaction()

    def update(  # noqa: PLR0913 - all but the first two are keywords
        self,
        updates: Mapping[str, NewValue],
        filter: AnyFilter = ALWAYS_TRUE,  # noqa: A002 - the word of DataFrames
        *,
        case_sensitive: bool = True,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = None,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> CommitResult:
        """Sets columns of the rows that match a filter.

        Rows keep their row ids. A row whose partition changes moves there.

        Args:
            updates: New values by the names of columns. A Python value is a literal, and a string is one too.
                `fb.col(name)` is a column, of which operators compute other values, and `fb.sql_expr(text)` is SQL. An
                expression of `pyarrow.compute`, or a function from a `pyarrow.RecordBatch` to an array, computes
                values from the old columns. All see the old values.
            filter: SQL text, a comparison of `fb.col`, or another filter; all rows unless given.
            case_sensitive: Whether the case of names counts.
            mode: How old rows go, as with `delete`. By default, the table's property `write.update.mode`, or
                `copy-on-write`.
            options: Table properties for this write alone; and `isolation-level`, by default the table's
                `write.update.isolation-level`.
            snapshot_properties: As with `append`.
            branch: As with `append`.
            idempotency_key: As with `append`.
            stage_only: As with `append`.
            on_conflict: After a conflict with another writer the rows are looked for again on the newer table, within
                `commit.retry.*`; `raise` raises the conflict.
            dry_run: Whether rows and files are only counted. New values are computed, and nothing is written.
            progress: As with `append`.

        Returns:
            What the commit did, or which earlier commit did it; of a dry run, what it would do.

        Raises:
            InvalidInputError: A column is unknown, or a new value does not fit it; the filter or the mode is invalid,
                or `merge-on-read` was asked for in format version 1. Nothing was changed.
            CommitConflictError: Another writer changed the same rows, again and again, or dropped columns.
            FloebergError: The errors of reading and writing files. What a function of yours raises is raised unchanged.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
            >>> orders.update({"id": fb.sql_expr("id + 10")}, "id > 1").updated_rows
            2
            >>> sorted(orders.scan().to_arrow()["id"].to_pylist())
            [1, 12, 13]
        """
        with self.transaction(
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
            stage_only=stage_only,
            dry_run=dry_run,
            progress=progress,
        ) as transaction:
            transaction.update(
                updates,
                filter,
                case_sensitive=case_sensitive,
                mode=mode,
                options=options,
                on_conflict=on_conflict,
            )
            return transaction.commit_transaction()
