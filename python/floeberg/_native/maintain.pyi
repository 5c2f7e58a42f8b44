"""Which files of a table may go, which are written again, and what statistics say."""

from typing import Any, final

from floeberg._native.arrow import Batch
from floeberg._native.scan import BatchReader, Plan, TaskGroup
from floeberg._native.table import Table
from floeberg._native.write import Receipt, WriteRecipe

def unneeded_files(before: Table, after: Table) -> list[tuple[str, str]]:
    """The files that a table needed before and does not need now: what each is, and where. Metadata files stay.

    Raises:
        InvalidDataError: A manifest is damaged.
        NotFoundError: A manifest is missing.
    """

@final
class ExpiredFiles:
    """The files that expired snapshots needed, until it is known which of them others need."""

    @staticmethod
    def of(before: Table, after: Table) -> ExpiredFiles:
        """Of a table before and after snapshots expired.

        Raises:
            InvalidDataError: A manifest is damaged.
            NotFoundError: A manifest is missing.
        """

    def places(self) -> Batch:
        """The places of the data files and delete files: the columns `number`, `prefix` and `path`."""

    def tasks(self, most_tasks: int) -> list[bytes]:
        """Tasks that read the manifests of the snapshots that stay, for `named_places`. None where no file may go."""

    def unneeded(self, needed: list[int] | None = None) -> list[tuple[str, str]]:
        """The files that nothing needs any more, without those of these numbers: what each is, and where.

        Args:
            needed: Numbers of the files that are needed. `None` reads the manifests here.

        Raises:
            InvalidInputError: No file has a number.
            InvalidDataError: A manifest is damaged.
            NotFoundError: A manifest is missing.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

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
        """The time that it was at least by the clock of the store; none for a list that somebody else made.

        It is that of the newest file or, where times do not come with names, of the newest folder.
        """

    @staticmethod
    def of_folder(
        folder: str, files: list[tuple[str, int]] | None, *, storage_options: dict[str, str]
    ) -> ListedFiles:
        """Lists a folder; or takes a list: locations, and when they were written, in milliseconds since 1970.

        Raises:
            UnsupportedError: The store cannot list its files.
        """

    @staticmethod
    def of_compared(
        folder: str, files: list[tuple[str, int, int, list[str]]], *, is_known: bool
    ) -> ListedFiles:
        """The files of a folder that a table does not name just as they are, as workers compared them.

        Args:
            folder: The folder.
            files: Locations, sizes, when they were written, and the schemes and authorities with which the table names
                their paths. Files that say that a table of another format is there are among them.
            is_known: Whether the table names any file of the folder, with any scheme and authority.
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

def copy_group(
    group: TaskGroup, recipe: WriteRecipe, *, task: str, partition: int, threads: int | None
) -> Receipt:
    """Writes the rows of a group again, for a commit of another process.

    Args:
        group: The files, as `Commit.groups_to_copy` gives them, or a part of them.
        recipe: How, as it gives it.
        task: A part of the file names, different for each call.
        partition: The number that the file names begin with.
        threads: Threads that read, at most; `None` is the budget of the process.

    Raises:
        InvalidDataError: A file is damaged.
        NotFoundError: A file is missing.
        StorageError: The store failed. No file stays.
    """

def group_parts(group: TaskGroup, share: int) -> list[TaskGroup]:
    """A group in parts of about `share` bytes, whose rows, one part after the other, are those of the group."""

def sample_keys(
    group: TaskGroup, recipe: WriteRecipe, *, most: int, threads: int | None
) -> tuple[list[bytes], int]:
    """Keys of some rows, at most `most`, by which the recipe sorts them, and the number of rows.

    Raises:
        InvalidInputError: The recipe does not sort rows.
    """

def range_ends(samples: list[tuple[list[bytes], int]], ranges: int) -> list[bytes]:
    """The first keys of ranges of about equal numbers of rows, after the first range. Equal keys are in one range."""

def spread_rows(
    group: TaskGroup,
    recipe: WriteRecipe,
    ends: list[bytes],
    *,
    first: int,
    threads: int | None,
) -> BatchReader:
    """The rows of a group in pieces of one range each: the columns `range`, `number` and `rows`, as bytes.

    Args:
        group: The files.
        recipe: How its rows are sorted.
        ends: The first keys of the ranges after the first one.
        first: The number of the first piece.
        threads: Threads that read, at most; `None` is the budget of the process.

    Raises:
        InvalidInputError: The recipe does not sort rows, or the ends do not ascend.
    """

def gather_rows(reader: object, recipe: WriteRecipe, *, task: str, partition: int) -> Receipt:
    """Writes such pieces, each range to files of its own, with sorted rows. A write that fails leaves no file.

    Args:
        reader: A `pyarrow.RecordBatchReader`, in which the pieces of a range follow one another.
        recipe: How rows are written.
        task: A part of the file names, different for each call.
        partition: The number that the file names begin with.

    Raises:
        InvalidInputError: The batches have another form, or ranges come in another order.
        StorageError: The store failed.
    """

def listed_places(
    folder: str,
    *,
    all_levels: bool,
    may_be_gone: bool,
    storage_options: dict[str, str],
    equal_schemes: dict[str, str],
    equal_authorities: dict[str, str],
) -> Batch:
    """The files in a folder, each with the spelling in which files are compared.

    Args:
        folder: The folder.
        all_levels: Whether the files of folders in it are there too, and not these folders.
        may_be_gone: Whether a folder that does not exist is empty.
        storage_options: The options of the store.
        equal_schemes: Schemes that mean others.
        equal_authorities: Authorities that mean others.

    Returns:
        `prefix`, `path`, `location`, `size`, `modified`, `is_other`, which says that a table of another format is
        there, and `is_folder`.

    Raises:
        NotFoundError: The folder does not exist, and the store knows folders.
        UnsupportedError: The store does not say when files were written.
    """

def named_parts(
    table: Table, *, most_tasks: int, equal_schemes: dict[str, str], equal_authorities: dict[str, str]
) -> tuple[Batch, list[bytes]]:
    """The files that a table names outside of its manifests, as `prefix` and `path`, and tasks that read the manifests.

    Raises:
        InvalidDataError: A manifest list is damaged, or was cut off.
    """

def named_places(
    task: bytes,
    *,
    threads: int | None,
    storage_options: dict[str, str],
    equal_schemes: dict[str, str],
    equal_authorities: dict[str, str],
) -> Batch:
    """The files that the manifests of a task name, as `prefix` and `path`.

    Raises:
        InvalidInputError: The bytes are no task.
        InvalidDataError: A manifest is damaged, or was cut off.
    """
