"""What is wrong with a table, what mends it, and what differs from another one."""

from typing import Any, final

from typing_extensions import CapsuleType

from floeberg._native.arrow import Batch, Batches
from floeberg._native.commit import Operation
from floeberg._native.lance import LanceRows, LanceScan, LanceTable
from floeberg._native.scan import BatchReader, Scan
from floeberg._native.table import Table, View

def plan_repair(
    table: Table,
    findings: list[tuple[str, str, str, str, int | None]],
    *,
    branch: str,
    drop_missing_data_files: bool,
    drop_missing_delete_files: bool,
    drop_missing_manifests: bool,
    allow_changed_rows: bool,
    writes_metadata: bool,
    owns_folder: bool,
) -> tuple[
    Operation | None,
    list[tuple[tuple[str, str, str, str, int | None], str]],
    list[tuple[tuple[str, str, str, str, int | None], str]],
    list[tuple[str, str, int, int, int | None]],
    bool,
]:
    """Plans to mend what findings say of a table. Nothing is written.

    Returns:
        What is to be committed, if anything; the findings that it mends, and what is done; those that it does not mend,
        and why; the files that are given up: location, content, files, lost rows and returned rows; and whether
        `version-hint.text` is to be written.

    Raises:
        InvalidInputError: A finding has an unknown rule, or properties of the table are invalid, or `branch` is a tag.
        NotFoundError: The table has no such branch.
        StorageError: The store failed.
    """

def repair_folder(
    location: str, *, drop_damaged_versions: bool, dry_run: bool, storage_options: dict[str, str]
) -> tuple[
    int,
    str,
    int,
    list[tuple[int, str, str, str | None]],
    int | None,
    list[tuple[str, int | None, int | None]],
]:
    """Moves damaged versions of a table in a folder aside, if that is asked for.

    Returns:
        The newest whole version, its location and sequence number; damaged versions: number, location, what is wrong
        and where they are moved to; the version that the hint says and that is not there; and snapshots that may be
        lost: manifest list, id and sequence number.

    Raises:
        InvalidDataError: Versions are damaged or missing, and are not to be dropped; or none is whole; or a folder has
            the name of a version.
        InvalidInputError: A catalog knows the current metadata file.
        NotFoundError: No table is in the folder.
    """

def plan_rebuild(
    location: str,
    target: str,
    *,
    files: list[str] | None,
    snapshot_id: int | None,
    schema_json: str | None,
    name_mapping: str | None,
    drop_missing_data_files: bool,
    drop_missing_delete_files: bool,
    storage_options: dict[str, str],
) -> tuple[
    Operation,
    tuple[str, list[str], int | None],
    list[tuple[str, str]],
    tuple[int, int, int],
    list[tuple[str, str, int, str]],
    list[tuple[str, str, int, str]],
    str | None,
]:
    """Plans a new table of the files of an old one. Nothing is written.

    Returns:
        What is to be committed; what says which files are live, the files that say it, and the snapshot; the files that
        were passed over, and why; how many data files, delete files and rows are live; the files that nothing proves,
        and those that are gone: location, content, rows and why; and what is advised.

    Raises:
        InvalidInputError: Nothing proves which files are live, or a folder has no table, or is not new.
        NotFoundError: The folder does not exist, or live files are gone.
        InvalidDataError: The chosen snapshot cannot be read whole.
        UnsupportedError: The table is encrypted.
    """

def rebuild_candidates(location: str, *, storage_options: dict[str, str]) -> Batches:
    """The files in the folder of a table that may hold rows or deletes, described.

    Raises:
        InvalidInputError: The folder has no table.
        NotFoundError: The folder does not exist.
    """

def check_rules() -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """All rules that tables and views are checked by: name, level, severity, section, text, engines and repair."""

@final
class Check:
    """A check of a table or a view, once through."""

    @staticmethod
    def of_location(
        location: str,
        *,
        relocate: list[tuple[str, str]],
        storage_options: dict[str, str],
        level: str,
        snapshot_id: int | None,
        since: int | None,
        all_snapshots: bool,
        sample: float | None,
    ) -> Check:
        """Of a metadata file, or of a folder. Nothing is read yet.

        Raises:
            InvalidInputError: The level is unknown, or the sample is no part.
            UnsupportedError: No store has the scheme.
        """

    @staticmethod
    def of_table(
        table: Table,
        *,
        level: str,
        snapshot_id: int | None,
        since: int | None,
        all_snapshots: bool,
        sample: float | None,
        leaves_files: bool = False,
    ) -> Check:
        """Of a table, whose files are read again, or are left to `file_tasks`.

        Raises:
            InvalidInputError: The level is unknown, or the sample is no part.
        """

    @staticmethod
    def of_lance_table(
        table: LanceTable,
        *,
        level: str,
        version: int | None,
        since: int | None,
        all_versions: bool,
        sample: float | None,
    ) -> Check:
        """Of a Lance table, at the version that is open where no other one is given. Its files are read again.

        Raises:
            InvalidInputError: The level is unknown, the sample is no part, or versions contradict each other.
        """

    @staticmethod
    def of_view(view: View) -> Check:
        """Of a view, whose file is read again."""

    def next_findings(self) -> list[tuple[str, str, str, str, int | None]]:
        """The next findings: rule, location, part, message and snapshot. Empty at the end.

        Raises:
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.
        """

    def read_all(self) -> Batches:
        """All findings that are left, as rows.

        Raises:
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.
        """

    def file_tasks(self, most_tasks: int) -> tuple[str, list[str]] | None:
        """The metadata, and tasks that check the files that were left; `None` where there are none.

        Raises:
            StorageError: The store failed.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

def check_files(table: Table, task: str, *, metadata: str, level: str, threads: int) -> Batches:
    """The findings of a task of a check, in the store of a table.

    Raises:
        InvalidInputError: The text is no task.
        StorageError: The store failed.
    """

@final
class TableDiff:
    """What differs between two snapshots. The snapshots and the columns have been checked."""

    @staticmethod
    def of(scan: Scan, start: int | None, key: list[str] | None) -> TableDiff:
        """Between a snapshot and that of a scan, in its schema. `None` is an empty table.

        Raises:
            InvalidInputError: A column is unknown, or cannot be compared.
            NotFoundError: The table does not have a snapshot.
        """

    def scan(self) -> Scan:
        """The scan of the second snapshot."""

    def compared(self) -> Scan:
        """The same in the schema in which rows are compared. It cannot be sent to another process."""

    @property
    def start(self) -> int | None:
        """The first snapshot."""

    @property
    def key(self) -> list[str] | None:
        """The columns of the key, as they were named."""

    def proof(self) -> str | None:
        """What proves, without reading rows, that none differs."""

    def counts(self) -> tuple[int, int, int, dict[str, int]]:
        """The rows that were inserted, deleted and updated, and in how many updates each column changed."""

    def tasks(
        self, most_tasks: int
    ) -> tuple[list[bytes], bytes, bool, int, tuple[int, int, int, dict[str, int]] | None] | None:
        """At most so many tasks that find the rows that differ; `None` where the history proves that none does.

        Returns:
            Tasks, with the storage options; the columns, as a task without files; whether rows are matched; the bytes
            of files; and counts as of `counts`, if manifests say them.
        """

    def files(self) -> Batch:
        """The files that differ."""

    def preview(self) -> Batch:
        """How many rows of each partition differ at most."""

    def metadata_then(self, snapshot_id: int) -> str | None:
        """The metadata with which a snapshot was committed; `None` where it is not known any more."""

    def metadata_now(self) -> str:
        """The metadata of the table as it is."""

    def read_all(self) -> Batches:
        """All rows that differ."""

    def stream(self) -> BatchReader:
        """The rows that differ, batch by batch."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def changes_of_task(task: bytes, *, engine: str | None, threads: int | None) -> BatchReader:
    """The rows of a task of a difference that is not matched with others, in the form of an engine.

    Raises:
        InvalidInputError: The bytes are no task.
        UnsupportedError: The engine has no type for a column.
    """

def counts_of_task(task: bytes, *, threads: int | None) -> tuple[int, int, int, dict[str, int]]:
    """How many rows of such a task differ, as `TableDiff.counts` says it.

    Raises:
        InvalidInputError: The bytes are no task.
    """

def spread_changes(task: bytes, *, buckets: int, threads: int | None) -> BatchReader:
    """The rows of a task that came or went, in pieces: `bucket`, `side` (0 came, 1 went) and `rows` as bytes.

    Rows that can be one row are in one bucket.

    Raises:
        InvalidInputError: The bytes are no task, or there is no bucket.
    """

def matched_changes(reader: object, columns: bytes, *, engine: str | None) -> BatchReader:
    """The rows of a difference that all pieces of some buckets have, those of rows that came first.

    Raises:
        InvalidInputError: The batches are no such pieces.
        StorageError: A temporary file cannot be written.
    """

def counts_of_matched(reader: object, columns: bytes) -> tuple[int, int, int, dict[str, int]]:
    """How many rows of such pieces differ, as `TableDiff.counts` says it.

    Raises:
        InvalidInputError: The batches are no such pieces.
        StorageError: A temporary file cannot be written.
    """

@final
class TwoTables:
    """What differs between two tables. The columns have been checked."""

    @staticmethod
    def of(
        before: Scan | LanceScan,
        after: Scan | LanceScan,
        selected_fields: list[str],
        key: list[str] | None,
        own_key: list[str],
    ) -> TwoTables:
        """Between the rows of two scans of all columns. `own_key` counts where both have its columns.

        Raises:
            InvalidInputError: A column is unknown, or has a type of another meaning in the first table.
        """

    def counts(self, pages: tuple[object | None, object | None]) -> tuple[int, int, int, dict[str, int]]:
        """The rows that were inserted, deleted and updated, and in how many updates each column changed."""

    def rows(self, pages: tuple[object | None, object | None]) -> LanceRows:
        """Begins to read the rows that differ."""

    def files(self) -> Batch:
        """The files that one of two tables of one format has alone: those of the first one are removed."""

    def columns(self) -> list[tuple[str, str]]:
        """The columns that differ by their names, and how."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the difference."""
