"""Opened tables and views, their metadata, and the files of their storage.

Rust: `rust/floeberg-python/src/table/`.
"""

from collections.abc import Callable
from typing import Any, final

from floeberg._native.arrow import ArrowSchema, Batch, Batches
from floeberg._native.scan import Scan, _Fields, _Snapshot
from floeberg._native.values import _Tree

@final
class Table:
    """An Iceberg table, opened at one of its snapshots."""

    @staticmethod
    def open(
        location: str,
        *,
        relocate: list[tuple[str, str]],
        storage_options: dict[str, str],
        snapshot_id: int | None,
        reference: str | None,
        as_of_ms: int | None,
        manifest_cache: int | None,
        key_management: object | None = None,
    ) -> Table:
        """Opens a table by its directory or a metadata file.

        Args:
            location: A path or a URI, as a user gives it. Relative paths become absolute.
            relocate: Written prefixes and the current ones.
            storage_options: Options of the storage.
            snapshot_id: Opens the table at a snapshot.
            reference: Opens the table at a branch or a tag.
            as_of_ms: Opens the table at a time, in milliseconds from 1970-01-01 UTC.
            manifest_cache: Bytes of decoded manifests that are kept. `None` takes `FLOEBERG_MANIFEST_CACHE`, or
                256 MiB; 0 keeps none.
            key_management: Wraps the keys of an encrypted table. By default, what `encryption.kms-impl` or
                `encryption.kms-type` of the storage options names.

        Raises:
            NoSuchTableError: The location has no table.
            NotFoundError: The table has no such snapshot or ref.
            InvalidDataError: The metadata is damaged. The error names the file.
            UnsupportedError: The format version, or the scheme of the location, is not supported.
        """

    @staticmethod
    def open_metadata(
        metadata_location: str, *, storage_options: dict[str, str], key_management: object | None = None
    ) -> Table:
        """Opens a metadata file. Its location is used as written. Raises as `open`."""

    @staticmethod
    def from_metadata(
        metadata_json: str,
        metadata_location: str,
        *,
        storage_options: dict[str, str],
        earlier: Table | None,
        planner: Callable[[str], tuple[list[str], dict[str, str] | None]] | None = None,
        key_management: object | None = None,
    ) -> Table:
        """Opens metadata that is in memory. Reads no file.

        Args:
            metadata_json: The metadata. Spec: Appendix C.
            metadata_location: The metadata file, for processes that the table is sent to.
            storage_options: Options of the storage.
            earlier: An earlier state of the table. Its decoded manifests are taken over.
            planner: Takes the JSON text of a `PlanTableScanRequest`. Returns those of the answers with tasks, and the
                options of the storage that read their files. By default, scans are planned here.
            key_management: Wraps the keys of an encrypted table. By default, that of `earlier`.

        Raises:
            InvalidDataError: The metadata is damaged.
        """

    @property
    def storage_options(self) -> dict[str, str]:
        """The options of the storage, with secrets."""

    @property
    def key_management(self) -> object | None:
        """What wraps the keys of an encrypted table."""

    @property
    def identity(self) -> tuple[str | None, int]:
        """The UUID of the table, and when it was last changed: milliseconds from 1970-01-01 UTC."""

    def newest_number(self, branch: str, key: str, value: str, wanted: str) -> int | None:
        """Finds the newest snapshot of a branch whose summary has a value by a key, and a whole number by another.

        Args:
            branch: The branch, which may not be there yet.
            key: The key of the value.
            value: The value.
            wanted: The key of the number.
        """

    def find_commit(self, key: str, *, branch: str, operations: list[str] | None) -> int | None:
        """Finds the snapshot of a commit by its idempotency key.

        Args:
            key: The key.
            branch: The branch whose ancestors are searched.
            operations: The names of the commit's operations. `None` finds any commit with the key.

        Raises:
            InvalidInputError: The key belongs to other operations.
        """

    def operation_of(self, snapshot_id: int) -> str | None:
        """The `operation` in the summary of a snapshot, or `None`."""

    def check_same_table(self, later: Table) -> None:
        """Checks that `later` has the UUID of this table.

        Raises:
            NoSuchTableError: It is another table.
        """

    def means_the_same_in(self, later: Table, *, branch: str, with_new_columns: bool = False) -> bool:
        """Whether names of columns, and the name of a branch, mean the same in a later state of the table.

        Args:
            later: The later state.
            branch: The branch.
            with_new_columns: Whether there may be more columns.
        """

    @property
    def location(self) -> str:
        """The base location, as written."""

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties."""

    @property
    def metadata_location(self) -> str:
        """The metadata file that was opened."""

    @property
    def format_version(self) -> int:
        """The format version: 1, 2 or 3."""

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot that scans read; `None` for an empty table."""

    def metadata_json(self) -> str:
        """The metadata, as canonical JSON. Spec: Appendix C."""

    def snapshots(
        self, summary_class: type[dict[str, str]], snapshot_id: int | None = None
    ) -> list[_Snapshot]:
        """The snapshots, in the order of the metadata; with an id, the one that has it, if there is one."""

    def has_in_summary(self, key: str, value: str) -> bool:
        """Whether the summary of a snapshot has a value by a key."""

    def history(self, wap_branch: str | None = None) -> list[tuple[int, int, int | None, bool]]:
        """The snapshot log, oldest first.

        Args:
            wap_branch: The branch that is read in the place of the current snapshot, with its snapshots.

        Returns:
            For each entry: the snapshot, its time in milliseconds from 1970-01-01 UTC, its parent, and whether it is an
            ancestor of the current snapshot.
        """

    def scan(
        self,
        *,
        row_filter: _Tree,
        selected_fields: list[str],
        case_sensitive: bool,
        snapshot_id: int | None,
        limit: int | None,
        appends_after: tuple[int | None] | None = None,
        wap_branch: str | None = None,
        reference: str | None = None,
    ) -> Scan:
        """Describes rows to read.

        Args:
            row_filter: The filter.
            selected_fields: Names of columns. `*` is all but metadata columns.
            case_sensitive: Whether the case of names counts.
            snapshot_id: Reads this snapshot.
            limit: The most rows to read.
            appends_after: `(snapshot_id,)` reads only rows that appends added after that snapshot, `(None,)` those of
                all appends.
            wap_branch: Reads this branch where no snapshot is chosen, here or later.
            reference: Reads this branch or tag.

        Raises:
            InvalidInputError: A column is unknown, or a literal has a wrong type. Or both a snapshot and a
                reference are chosen, here or when the table was opened.
            NotFoundError: The table has no such snapshot or reference.
        """

    def inspect(
        self, name: str, snapshot_id: int | None, reference: str | None, wap_branch: str | None = None
    ) -> MetadataReader:
        """Reads a metadata table, of a snapshot, a branch or a tag, or of the table's own snapshot.

        Args:
            name: The metadata table.
            snapshot_id: The snapshot.
            reference: The branch or tag.
            wap_branch: The branch that is read in the place of the current snapshot.

        Raises:
            InvalidInputError: The metadata table does not exist, or covers all snapshots and one was chosen.
            NotFoundError: The table has no such snapshot or ref.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Table:
        """Opens a pickled table by its metadata file."""

@final
class View:
    """An Iceberg view, opened."""

    @staticmethod
    def open(location: str, *, relocate: list[tuple[str, str]], storage_options: dict[str, str]) -> View:
        """Opens a view by its directory or a metadata file. Spec: View Spec.

        Raises:
            NoSuchViewError: The location has no view.
            InvalidDataError: The metadata is damaged. The error names the file.
        """

    @staticmethod
    def open_metadata(metadata_location: str, *, storage_options: dict[str, str]) -> View:
        """Opens the metadata file of a catalog. Its location is used as written.

        Raises:
            NoSuchViewError: The file does not exist.
            InvalidDataError: The metadata is damaged. The error names the file.
        """

    @staticmethod
    def from_metadata(metadata_json: str, metadata_location: str, *, storage_options: dict[str, str]) -> View:
        """Opens metadata that is in memory. No file is read.

        Raises:
            InvalidDataError: The metadata is damaged.
        """

    @property
    def metadata_location(self) -> str:
        """The metadata file that was opened."""

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options, including secrets."""

    def check_same_view(self, later: View) -> None:
        """Checks that other metadata is of the same view.

        Raises:
            NoSuchViewError: It has another UUID: the view was dropped and created again.
        """

    def metadata_json(self) -> str:
        """The metadata, as canonical JSON."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> View:
        """Opens a pickled view by its metadata file."""

@final
class MetadataReader:
    """The rows of a metadata table, read on demand."""

    def arrow_schema(self) -> ArrowSchema:
        """The columns."""

    def next_batch(self) -> Batch | None:
        """The next batch; `None` after the last one.

        Raises:
            InvalidDataError: A file is damaged. The error names it.
        """

    def read_all(self) -> Batches:
        """All rows that were not read yet."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the `Table`."""

# Schemas.

def checked_type(name: str) -> str:
    """The name of a primitive type or of `variant`, as the specification spells it.

    Raises:
        InvalidInputError: The type does not exist. The error names near matches.
    """

def schema_from_arrow(schema: object, format_version: int) -> str:
    """The schema of a new table for rows of a `pyarrow.Schema`, with fresh field ids, as JSON.

    Raises:
        InvalidInputError: The format version has no equivalent of an Arrow type. The error names the column.
    """

def evolved_schema(table: Table, changes_json: str) -> str:
    """The schema of a table after changes, as JSON. The table stays as it is.

    Raises:
        InvalidInputError: A change cannot be made. Spec: Schema Evolution.
    """

def columns_to_add(table: Table, schema: object) -> str | None:
    """The schema changes that a table needs for rows of a `pyarrow.Schema`, as JSON; `None` if it needs none.

    Raises:
        InvalidInputError: A column of the table cannot be promoted to the type of the rows.
    """

# Properties.

def table_property(properties: dict[str, str], name: str) -> bool | int | str | None:
    """The value of a known table property, or its default.

    Raises:
        InvalidInputError: The value cannot be parsed.
    """

def table_properties() -> list[tuple[str, str, str, str]]:
    """All known table properties.

    Returns:
        For each property: its key, which is a prefix if it ends with a dot; its default; `followed`, `kept` or
        `refused`; and its meaning, or why it is refused.
    """

# Statistics.

def statistics_files(table: Table) -> str:
    """The statistics files, as JSON. Spec: Table Statistics."""

def partition_statistics_files(table: Table) -> str:
    """The partition statistics files, as JSON. Spec: Partition Statistics."""

def statistics_blobs(table: Table, path: str) -> list[_Fields]:
    """The blobs in the footer of a statistics file: the fields of `floeberg.statistics.PuffinBlob`. Spec: Puffin.

    Raises:
        InvalidDataError: The file is damaged, or lacks a blob of the metadata.
        UnsupportedError: The file is encrypted.
    """

def statistics_blob(table: Table, path: str, number: int) -> bytes:
    """The content of a blob by its number in the footer, decompressed. Raises as `statistics_blobs`."""

def partition_statistics_rows(table: Table, path: str) -> Batches:
    """The rows of a partition statistics file.

    Raises:
        InvalidDataError: The file is damaged.
        UnsupportedError: The file has an unknown format.
    """

# Files and locations.

def location_from_user(location: str) -> str:
    """The location to write for a user's location: relative paths become absolute, `file:` URIs are decoded."""

def local_path(location: str) -> str | None:
    """The path of a local location; `None` for an object store.

    Raises:
        InvalidInputError: The path is not UTF-8.
    """

def files_below(locations: list[str], *, folders: list[str]) -> list[str]:
    """The locations that lie below one of the folders, links followed."""

def request_budget(is_task: bool) -> int:
    """How many requests may wait for a store that is far away, in a task of Spark or elsewhere.

    Raises:
        InvalidInputError: `FLOEBERG_REQUESTS` is not a number of at least 1.
    """

def canonical_location(location: str) -> str:
    """The canonical spelling of a location, in which two are compared."""

def list_folder(location: str, *, storage_options: dict[str, str]) -> list[tuple[str, bool]]:
    """The names in a folder, and whether each is a folder. Not recursive. A missing folder is empty."""

def file_exists(location: str, *, storage_options: dict[str, str]) -> bool:
    """Whether a file exists."""

def read_file(location: str, *, storage_options: dict[str, str]) -> bytes:
    """The bytes of a file.

    Raises:
        NotFoundError: The file does not exist.
    """

def put_file(location: str, content: bytes, *, storage_options: dict[str, str]) -> None:
    """Writes a file durably, and replaces one that exists."""

def put_file_if_absent(location: str, content: bytes, *, storage_options: dict[str, str]) -> None:
    """Writes a file durably and atomically, if none is there.

    Raises:
        AlreadyExistsError: A file is there.
        UnsupportedError: The store cannot write a file only where none is.
    """

def remove_files(locations: list[str], *, storage_options: dict[str, str]) -> None:
    """Removes files. Missing ones are ignored."""

def remove_files_below(
    locations: list[str], *, folders: list[str], storage_options: dict[str, str]
) -> list[str]:
    """Removes the files that are below one of the folders. Missing ones are ignored.

    Returns:
        The locations of the files that were kept: those outside of all folders.
    """

def without_passwords(text: str) -> str:
    """A text without the users and passwords in its URIs."""
