"""How do files of other writers become part of a table?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.table._base import TableBase

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from floeberg.commit.progress_report import ProgressCallback
    from floeberg.commit.result import CommitResult

__all__ = ["TableAddFiles"]


class TableAddFiles(TableBase):
    """The method of `floeberg.Table` that adds files."""

    def add_files(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        file_paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        snapshot_properties: Mapping[str, str] | None = None,
        check_duplicate_files: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        branch: str | None = None,
        *,
        trust_field_ids: bool = False,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        progress: ProgressCallback | bool | None = None,
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
            idempotency_key: As with `append`.
            stage_only: As with `append`.
            progress: As with `append`: its steps are `reading` and `committing`.

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
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
            stage_only=stage_only,
            progress=progress,
        ) as transaction:
            transaction.add_files(
                file_paths, check_duplicate_files=check_duplicate_files, trust_field_ids=trust_field_ids
            )
            return transaction.commit_transaction()
