"""How are rows added to a table, replaced, deleted and updated?

A change of some rows of a file copies the others, or writes delete files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.commit.options import CommitOptions, SnapshotOptions  # noqa: TC001 - `_keywords` reads the names
from floeberg.expressions import ALWAYS_TRUE
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from typing_extensions import Unpack

    from floeberg.commit.new_values import NewValue
    from floeberg.commit.result import CommitResult
    from floeberg.commit.row_operations import DeleteMode, OnConflict
    from floeberg.commit.staging import SchemaMode
    from floeberg.expressions import AnyFilter

__all__ = ["TableWrites"]


class TableWrites(TableBase):
    """The methods of `floeberg.Table` that change rows."""

    def overwrite(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        overwrite_filter: AnyFilter = ALWAYS_TRUE,
        snapshot_properties: Mapping[str, str] | None = None,
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = None,
        *,
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        dry_run: bool = False,
        **commit: Unpack[CommitOptions],
    ) -> CommitResult:
        """Replaces the rows that match a filter, in one snapshot.

        The rows are found as `delete` finds them. New rows that match the filter stay.

        Args:
            data: The rows, as `append` takes them.
            overwrite_filter: SQL text, a comparison of `fb.col`, or another filter; all rows unless given.
            snapshot_properties: As with `append`.
            case_sensitive: Whether the case of names in the filter counts.
            branch: As with `append`.
            schema_mode: As with `append`.
            mode: How rows go of files of which others stay, as with `delete`.
            options: As with `append`; and `isolation-level`, `serializable` or `snapshot`.
            dry_run: Whether rows and files are only counted. Data is read to its end, and nothing is written.
            **commit: As `CommitOptions` says.

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
            snapshot_properties=snapshot_properties, branch=branch, dry_run=dry_run, **commit
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

    def dynamic_partition_overwrite(
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = None,
        *,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
        **commit: Unpack[CommitOptions],
    ) -> CommitResult:
        """Replaces all rows of the partitions that the new rows are in.

        Args:
            data: The rows, as `append` takes them.
            snapshot_properties: As with `append`.
            branch: As with `append`.
            schema_mode: As with `append`.
            options: As with `overwrite`.
            **commit: As `CommitOptions` says.

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
            snapshot_properties=snapshot_properties, branch=branch, **commit
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
        mode: DeleteMode | None = None,
        delete_all: bool = False,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[CommitOptions],
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
            mode: How to delete some of the rows of a file (a row-level delete). `copy-on-write` rewrites the file with
                its other rows. `merge-on-read` writes deletion vectors, or position deletes in format version 2. By
                default, the table's property `write.delete.mode`, or `copy-on-write`.
            delete_all: Deletes all rows, without a filter.
            options: `isolation-level`, as with `overwrite`. It only matters with `on_conflict="raise"`.
            on_conflict: Rows that another writer adds meanwhile are deleted too, and a file that is rewritten meanwhile
                is looked into again; `raise` raises a conflict instead.
            dry_run: Whether rows and files are only counted. Nothing is written.
            **commit: As `CommitOptions` says.

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
            snapshot_properties=snapshot_properties, branch=branch, dry_run=dry_run, **commit
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
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
        **commit: Unpack[SnapshotOptions],
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
            on_conflict: After a conflict with another writer the rows are looked for again on the newer table, within
                `commit.retry.*`; `raise` raises the conflict.
            dry_run: Whether rows and files are only counted. New values are computed, and nothing is written.
            **commit: As `SnapshotOptions` says.

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
        with self.transaction(dry_run=dry_run, **commit) as transaction:
            transaction.update(
                updates,
                filter,
                case_sensitive=case_sensitive,
                mode=mode,
                options=options,
                on_conflict=on_conflict,
            )
            return transaction.commit_transaction()

    def append(
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = None,
        *,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
        **commit: Unpack[CommitOptions],
    ) -> CommitResult:
        """Adds rows to the table.

        Columns are matched by field id if all of them have one, otherwise by name. Missing optional columns get their
        default.

        Args:
            data: The rows: a `pyarrow.Table`, a reader, a pandas or polars data frame, any other object with
                `__arrow_c_stream__`, or a list of dicts. They are read once, in bounded memory, on this thread. Errors
                of your own generator are raised unchanged.
            snapshot_properties: Entries to add to the summary of the snapshot. A `wap.id` stages the snapshot, as
                `stage_only` does, if the property `write.wap.enabled` of the table is true.
            branch: The branch to write to. By default `main`, or the `wap.branch` of the catalog, if the property
                `write.wap.enabled` of the table is true.
            schema_mode: `merge` adds missing columns to the table, and promotes columns that are too narrow.
            options: Table properties for this write alone, such as `write.parquet.compression-codec`.
            **commit: As `CommitOptions` says.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            InvalidInputError: The rows do not fit the schema: the error lists every mismatch. Or a value does not fit
                its column, or is damaged: the error names the column and the row. Nothing was changed. Only
                `CommitStateUnknownError` leaves that open.
            CommitConflictError: Other writers were faster at every attempt, or changed the columns so that the rows no
                longer fit.
            CommitStateUnknownError: The outcome is unknown: the rows may be in the table. Repeat the write with the
                same `idempotency_key`, or look for the snapshot.
            UnsupportedError: The table cannot be written where it was opened. The error says what to do.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}), snapshot_properties={"by": "doc"})
            >>> orders.scan().count(), orders.current_snapshot().summary["by"]
            (2, 'doc')
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, **commit
        ) as transaction:
            transaction.append(data, schema_mode=schema_mode, options=options)
            return transaction.commit_transaction()

    def add_files(
        self,
        file_paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        snapshot_properties: Mapping[str, str] | None = None,
        check_duplicate_files: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = None,
        *,
        trust_field_ids: bool = False,
        **commit: Unpack[CommitOptions],
    ) -> CommitResult:
        """Adds Parquet, ORC and Avro files that other programs wrote. They stay where they are.

        Only footers are read, several at a time, and all blocks of Avro files, to count their rows. Columns are found
        by their names, so that files without field ids are read rightly after a rename too: the table gets the
        property `schema.name-mapping.default`, unless it has one.

        From then on the table owns the files: `purge_table` and maintenance may remove those inside its location.

        Args:
            file_paths: Files, and folders, whose files are added with those of folders in them. In folders, files whose
                names begin with `_` or `.` are left out. Folders such as `region=eu` have the values of a column that
                the table is partitioned by with the transform `identity`. Other partition values are found by the
                bounds of a file, where all of its rows are in one partition.
            snapshot_properties: As with `append`.
            check_duplicate_files: Whether manifests are read to find out if the table has a file already, and whether
                files are still there. Without it, a file that is added twice has its rows twice.
            branch: As with `append`.
            trust_field_ids: Whether files may have field ids. All their columns must have the ids, names and types of
                the table.
            **commit: As `CommitOptions` says.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            InvalidInputError: A file does not fit the table: it has a column that the table has not, or of another
                type, lacks a required column, or may be in several partitions. Or a folder has no files, or a file is
                named twice. The error names the file and says what to do.
            InvalidDataError: A file is damaged.
            NotFoundError: There is no such file or folder.
            AlreadyExistsError: The table has a file already.
            UnsupportedError: A file has field ids, and `trust_field_ids` is not set. Or the table cannot be written
                where it was opened.
            CommitConflictError: Other writers changed the columns so that the files no longer fit.
            FloebergError: The others of `append`. With any error nothing was changed.

        Examples:
            >>> import pyarrow.parquet as pq, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     pq.write_table(pa.table({"id": [1, 2]}), f"{folder}/old.parquet")
            ...     done = orders.add_files(folder)
            ...     done.added_rows, orders.scan("id > 1").to_arrow()["id"].to_pylist()
            (2, [2])
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, **commit
        ) as transaction:
            transaction.add_files(
                file_paths, check_duplicate_files=check_duplicate_files, trust_field_ids=trust_field_ids
            )
            return transaction.commit_transaction()
