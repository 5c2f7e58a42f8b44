"""Which files of a table may go, which are written again, and what statistics say."""

from typing import Any, final

from floeberg._native.scan import Plan
from floeberg._native.table import Table

def unneeded_files(before: Table, after: Table) -> list[tuple[str, str]]:
    """The files that a table needed before and does not need now: what each is, and where. Metadata files stay.

    Raises:
        InvalidDataError: A manifest is damaged.
        NotFoundError: A manifest is missing.
    """

def files_of_dropped_table(table: Table) -> list[tuple[str, str]]:
    """All files of a table that was dropped, in the order in which they may be removed: what each is, and where.

    Raises:
        InvalidInputError: The table is in a file system, and has a later version.
        InvalidDataError: A metadata file, a manifest list or a manifest is damaged.
        NotFoundError: A manifest list or a manifest is missing; or the metadata log names another table.
    """

def remove_unneeded_files(
    locations: list[str], *, folders: list[str] | None, storage_options: dict[str, str]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Removes the files that lie below one of the folders, or all of them without folders, some at a time.

    Returns:
        Those that lie elsewhere, and those that could not be removed, with the reason.
    """

def store_time_ms(folder: str, *, storage_options: dict[str, str]) -> int:
    """The time by the clock of a store, in milliseconds since 1970: a small file is written to the folder, and removed.

    Raises:
        UnsupportedError: The store does not say when its files were written.
        StorageError: The file cannot be written or removed.
    """

def check_no_other_table(
    folder: str, *, metadata_locations: list[str], storage_options: dict[str, str]
) -> None:
    """Raises where one of the metadata files is of a table whose location is the folder, is in it, or has it.

    Raises:
        InvalidInputError: One is.
        InvalidDataError: A metadata file that has to be opened cannot be read.
    """

def rewrite_groups(
    plan: Plan,
    *,
    sizes: dict[str, int],
    delete_ratio: float,
    all_files: bool,
    output_spec_id: int | None,
    job_order: str,
) -> list[tuple[list[str], int]]:
    """Groups of files of a plan that are worth writing again: paths, and bytes. `sizes` has a number of each.

    Raises:
        InvalidDataError: A manifest is damaged.
    """

def check_rewrite(table: Table, rewrite_json: str, *, job_order: str) -> None:
    """Checks that files of a table can be written again so, by the JSON of the operation, and in this order of groups.

    Raises:
        InvalidInputError: A column, a partition spec, a sort order or the order of groups does not exist.
        UnsupportedError: Rows cannot be sorted by a column, or not be written by this version.
    """

def delete_file_groups(
    plan: Plan,
    chosen: Plan | None,
    *,
    kind: str,
    sizes: dict[str, int],
    all_files: bool,
    to_vectors: bool,
) -> list[tuple[list[str], int]]:
    """Groups of delete files of a plan, each of one partition: paths, and bytes.

    Args:
        plan: A plan of all rows.
        chosen: Only delete files count that apply to a data file of this plan. `None` is all.
        kind: `positions`, those that are worth writing again; or `equality`, all.
        sizes: `target`, `least`, `most` and `most_of_group` in bytes, and `least_files` of a group.
        all_files: Whether all files are written again.
        to_vectors: Whether files of position deletes become vectors, whatever their size.
    """

def rewrite_table_path(
    table: Table,
    *,
    source_prefix: str,
    target_prefix: str,
    start_version: str | None,
    end_version: str | None,
    staging_location: str | None,
    create_file_list: bool,
    dry_run: bool,
) -> tuple[str, str | None, str | None, int, int, int]:
    """Stages the files of a table that name others, with other paths, and lists all files to copy.

    Returns:
        The name of the last metadata file, the staging folder, the list of files, and how many manifests, delete files
        and files there are.

    Raises:
        InvalidInputError: A prefix or a version does not fit, or a file is not below the source prefix.
        InvalidDataError: A file is damaged.
        UnsupportedError: Position deletes are in ORC, or the table is encrypted.
    """

def compute_table_stats(
    table: Table, *, snapshot_id: int | None, columns: list[str] | None, dry_run: bool
) -> tuple[int, list[tuple[str, int]], str | None] | None:
    """Sketches the columns of a snapshot, and writes a statistics file, which the metadata does not name yet.

    Returns:
        The snapshot, the estimated number of distinct values by column, and the file as JSON text; `None` for a table
        without a snapshot.

    Raises:
        NotFoundError: The table does not have the snapshot.
        InvalidInputError: A column does not exist, or cannot be sketched.
    """

def compute_partition_stats(
    table: Table, *, snapshot_id: int | None, force_refresh: bool, dry_run: bool
) -> tuple[int, int | None, int | None, str | None] | None:
    """Counts the partitions of a snapshot, and writes a statistics file, which the metadata does not name yet.

    Returns:
        The snapshot, the number of its partitions (`None` if it had a file already), the snapshot whose file the counts
        stand on, and the file as JSON text; `None` without a snapshot, or without a file in it.

    Raises:
        NotFoundError: The table does not have the snapshot.
        InvalidInputError: The table is not partitioned.
        InvalidDataError: A manifest is damaged.
    """

@final
class ListedFiles:
    """The files below a folder, before they are compared with a table."""

    @property
    def newest_ms(self) -> int | None:
        """When the newest of them was written, by the clock of the store; none for a list that somebody else made."""

    @staticmethod
    def of_folder(
        folder: str, files: list[tuple[str, int]] | None, *, storage_options: dict[str, str]
    ) -> ListedFiles:
        """Lists a folder; or takes a list: locations, and when they were written, in milliseconds since 1970.

        Raises:
            UnsupportedError: The store cannot list its files.
        """

    def orphans(
        self,
        table: Table,
        *,
        older_than_ms: int,
        equal_schemes: dict[str, str],
        equal_authorities: dict[str, str],
        prefix_mismatch: str,
    ) -> list[tuple[str, int]]:
        """The orphans among them: locations and sizes. The table must have been loaded after the list was made.

        Raises:
            InvalidInputError: The folder holds another table, or none of the files that the table names.
            InvalidDataError: A manifest is damaged.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
