"""Lance tables: versions, scans, plans, and rows of fragments, whose data files Python decodes.

Rust: `rust/floeberg-python/src/lance/`.
"""

from typing import Any, TypeAlias, final

from typing_extensions import CapsuleType

from floeberg._native.arrow import Batch, Column
from floeberg._native.values import _Tree
from floeberg.lance.pages import PageBatches

_VersionParts: TypeAlias = tuple[int, int | None, tuple[str, str] | None, str | None]
"""A version: its number, its time in microseconds since 1970, the writer's name and version, and the branch."""

_FileToRead: TypeAlias = tuple[str, list[str], tuple[int, int], list[int] | None]
"""A data file: its location, the columns to read, the first row and the number of rows, or single rows."""

@final
class LanceTable:
    """A version of a Lance table."""

    @staticmethod
    def open(
        location: str,
        *,
        relocate: list[tuple[str, str]],
        storage_options: dict[str, str],
        version: int | None,
        tag: str | None,
        branch: str | None,
        as_of_us: int | None,
    ) -> LanceTable:
        """Opens a version.

        Raises:
            NoSuchTableError: There is no table.
            NotFoundError: There is no such version, tag or branch.
            InvalidDataError: The manifest is damaged.
            UnsupportedError: The table uses features that are not known.
        """

    @staticmethod
    def exists(location: str, *, storage_options: dict[str, str]) -> bool:
        """Whether a Lance table is in a folder."""

    def newest(self) -> LanceTable:
        """The newest version of the branch."""

    def at_version(self, version: int) -> LanceTable:
        """Another version of the branch.

        Raises:
            NotFoundError: It is gone, or never was.
        """

    def with_columns_of(self, other: LanceTable) -> LanceTable:
        """The rows with the columns of another version."""

    def differences(self, before: LanceTable) -> tuple[list[int], list[int], list[int], list[int]]:
        """The fragments that differ from those of an earlier version.

        Those of the earlier one, and of this one; those of both with the same rows, and of these those with other files
        of columns that both have.
        """

    def incomparable_columns(self, before: LanceTable) -> list[str]:
        """The columns that have another type or identity in an earlier version."""

    def made_by(self) -> tuple[str, bool] | None:
        """The operation that made the version, and whether it may have replaced values where they were.

        `None` where nothing says it.
        """

    def find_commit(self, key: str) -> tuple[LanceTable, str] | None:
        """The version that a commit with a key made, and its operation."""

    @property
    def location(self) -> str:
        """The folder."""

    @property
    def folder(self) -> str:
        """The folder of its branch."""

    def fragment_rows(self) -> list[tuple[int, int]]:
        """The ids of all fragments with their rows, deleted ones included."""

    @property
    def branch(self) -> str | None:
        """The branch; `None` is the main one."""

    @property
    def version(self) -> int:
        """The version."""

    @property
    def manifest_location(self) -> str:
        """Where its manifest is."""

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options that it was opened with, with secrets."""

    def facts(self) -> dict[str, Any]:
        """What the manifest says beside its fragments.

        Keys are `config`, `table_metadata`, `data_storage_version`, `has_stable_row_ids`, `transaction_file`,
        `fragments` and `features`.
        """

    def version_parts(self) -> _VersionParts:
        """What the manifest says of its version."""

    def version_numbers(self) -> list[int]:
        """The versions of the branch, ascending."""

    def versions(self) -> list[_VersionParts]:
        """What the manifests of the branch say of their versions.

        Raises:
            InvalidDataError: A manifest is damaged.
        """

    def tags(self) -> list[tuple[str, int, str | None]]:
        """Name, version and branch of each tag."""

    def branches(self) -> list[tuple[str, str | None, int, int]]:
        """Name, parent branch, parent version, and time in seconds since 1970 of each branch."""

    def data_files(self) -> list[tuple[int, str, str, list[int], int]]:
        """Fragment, location, version, fields and size of each data file."""

    def scan(
        self, *, row_filter: _Tree, selected_fields: list[str], case_sensitive: bool, limit: int | None
    ) -> LanceScan:
        """A scan.

        Raises:
            InvalidInputError: A column is unknown, or a literal has a wrong type.
        """

    def appended_since(self, version: int) -> tuple[list[int], list[int], tuple[int, str] | None]:
        """The fragments of rows that were appended after a version.

        First those of such rows alone, then those with other rows too; or the version that did more, and its operation.

        Raises:
            NotFoundError: A version in between is gone.
        """

    def take(
        self,
        *,
        row_ids: list[int] | None,
        addresses: list[int] | None,
        selected_fields: list[str],
        case_sensitive: bool,
    ) -> LanceTaken:
        """Rows by their ids or addresses.

        Raises:
            NotFoundError: There is no such row.
        """

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """A recipe: the version, and which manifest of it."""

@final
class LanceScan:
    """Rows and columns of a version. Names and literals have been checked."""

    def filter(self, row_filter: _Tree) -> LanceScan:
        """Adds a filter."""

    def select(self, field_names: list[str]) -> LanceScan:
        """Reads these columns."""

    def row_filter(self) -> _Tree:
        """The filter, with literals of the columns' types."""

    @property
    def limit(self) -> int | None:
        """The most rows that are read."""

    @property
    def folder(self) -> str:
        """The folder of the table, or of its branch."""

    @property
    def version(self) -> int:
        """The version."""

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options of the table, with secrets."""

    def plan(self) -> LancePlan:
        """Finds the fragments."""

    def count_without_rows(self) -> int | None:
        """The number of rows, if the metadata tell it."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """A recipe: the version, the filter and the columns."""

    @staticmethod
    def _from_recipe(recipe: bytes) -> LanceScan:
        """The scan of a recipe. The manifest of its version is read."""

@final
class LancePlan:
    """The fragments of a scan."""

    def __len__(self) -> int:
        """The number of fragments."""

    @property
    def weight(self) -> int:
        """What all fragments count for when the plan is split, in bytes."""

    def to_batch(self) -> Batch:
        """The plan as columns."""

    def task(self, place: int) -> dict[str, Any]:
        """The fields of a `LanceTask`."""

    def split(self, target_size: int) -> list[LanceTaskGroup]:
        """Groups of about so many bytes."""

    def of_fragments(self, ids: set[int]) -> LanceTaskGroup:
        """The fragments of some ids, as one group."""

    def whole(self) -> LanceTaskGroup:
        """All fragments, as one group."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the groups of a plan, or the scan."""

@final
class LanceTaskGroup:
    """Some fragments of a scan."""

    def __len__(self) -> int:
        """The number of fragments."""

    @property
    def physical_rows(self) -> int:
        """Their rows, with deleted ones."""

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options of the table, with secrets."""

    def open(self, number: int) -> LanceRows:
        """Begins to read a fragment.

        Raises:
            InvalidDataError: A file is damaged, or is not what the manifest says.
            UnsupportedError: A data file has version 0.1, or a column has blobs of version 2.
        """

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """A recipe, with a manifest of its fragments alone."""

@final
class LanceTaken:
    """Rows by their ids or addresses."""

    def __len__(self) -> int:
        """The number of fragments to read."""

    def order(self) -> Column:
        """For each row asked, its place among the rows of all fragments."""

    def open(self, number: int) -> LanceRows:
        """Begins to read a fragment."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the table."""

@final
class LanceRows:
    """Rows of a fragment, being read."""

    def files(self) -> list[_FileToRead]:
        """The data files to read."""

    def start(self, readers: list[PageBatches]) -> None:
        """Begins to read, with a reader for each of `files()`."""

    def next_batch(self) -> Batch | None:
        """The next batch, which may have no rows; `None` after the last one.

        Raises:
            InvalidDataError: A data file gives other rows or types than it should.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the scan or the group."""

@final
class LanceKeys:
    """The keys of a source, in memory."""

    @staticmethod
    def of(reader: object, *, nulls_are_equal: bool) -> LanceKeys:
        """The keys of a `pyarrow.RecordBatchReader` of key columns.

        Raises:
            UnsupportedError: A column has a type that keys cannot have.
            LimitExceededError: The keys take too much memory.
        """

    @property
    def repeated(self) -> tuple[int, int] | None:
        """The first row whose key an earlier row has, and that row."""

    def find(self, reader: object, *, lists_all: bool) -> tuple[Column, Column]:
        """The rows of one batch with these keys, and the rows of the source that have them.

        With `lists_all` rows without a key of the source are there too.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the source."""

_NewFile: TypeAlias = tuple[str, int, int, bytes]
"""A data file that was written: its name, rows, bytes, and the stable ids of its first rows, eight bytes for each."""

@final
class LanceOperation:
    """What is to be committed to a Lance table."""

    @property
    def name(self) -> str:
        """Its name in the words of the format."""

    @staticmethod
    def append(table: LanceTable, files: list[_NewFile]) -> LanceOperation:
        """Adds rows.

        Raises:
            UnsupportedError: A column cannot be written.
        """

    @staticmethod
    def overwrite(
        table: LanceTable, schema: object, files: list[_NewFile], *, config: list[tuple[str, str]]
    ) -> LanceOperation:
        """Replaces all rows and the schema.

        Raises:
            UnsupportedError: A column has a type that cannot be written.
        """

    @staticmethod
    def delete(predicate: str, *, addresses: bytes) -> LanceOperation:
        """Deletes rows by their addresses, eight bytes for each."""

    @staticmethod
    def update(
        table: LanceTable, files: list[_NewFile], *, columns: list[str], addresses: bytes
    ) -> LanceOperation:
        """Deletes rows by their addresses, and adds rows."""

    @staticmethod
    def add_columns(
        table: LanceTable,
        schema: object,
        *,
        replaces: list[str | None],
        files: list[tuple[int, _NewFile]],
    ) -> LanceOperation:
        """Adds columns, with a file for each fragment or without any, maybe in place of others.

        Raises:
            InvalidInputError: A column is there, or a file does not have the rows of its fragment.
            UnsupportedError: A column has a type that cannot be written.
        """

    @staticmethod
    def drop_columns(table: LanceTable, names: list[str]) -> LanceOperation:
        """Drops columns.

        Raises:
            InvalidInputError: A column is unknown, or none would be left.
        """

    @staticmethod
    def alter_columns(
        table: LanceTable, changes: list[tuple[str, str | None, bool | None]]
    ) -> LanceOperation:
        """Renames columns, or lets them be null.

        Raises:
            InvalidInputError: A column is unknown, or a name would be there twice.
            UnsupportedError: A column should be required.
        """

    @staticmethod
    def update_config(changes: list[tuple[str, str | None]]) -> LanceOperation:
        """Changes settings."""

    @staticmethod
    def update_metadata(changes: list[tuple[str, str | None]], *, replace: bool) -> LanceOperation:
        """Changes metadata of the schema."""

    @staticmethod
    def restore(version: int) -> LanceOperation:
        """Makes an old version the newest."""

    @staticmethod
    def compact(table: LanceTable, groups: list[tuple[list[int], int, list[_NewFile]]]) -> LanceOperation:
        """Replaces fragments, by their places, with as many rows as they have, by files with these."""

    @staticmethod
    def drop_indices(table: LanceTable) -> LanceOperation | None:
        """Removes all indices that users built."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the rows."""

@final
class LanceCommit:
    """An operation that is tried until it is a version."""

    @staticmethod
    def begin(
        table: LanceTable,
        operation: LanceOperation,
        *,
        properties: list[tuple[str, str]],
        key: str | None,
        inserts_missing_keys: bool,
        expected: list[tuple[str, str | None]] = ...,
        settings: list[tuple[str, str | None]] = ...,
        keeps_rows: bool = False,
    ) -> LanceCommit:
        """Begins a commit. Nothing is read or written.

        `expected` are settings that the version before must have, `settings` those that the new one gets. With
        `keeps_rows` nobody may have changed rows meanwhile.

        Raises:
            UnsupportedError: The table cannot be written.
        """

    def find_earlier(self) -> LanceTable | None:
        """The version that an earlier commit with the same key made."""

    def attempt(self) -> tuple[LanceTable, bool]:
        """Tries to make the next version. Says whether it was made here.

        Raises:
            CommitConflictError: Another commit was faster.
            CommitStateUnknownError: Nobody knows whether it was made.
        """

    def stage(self) -> tuple[tuple[int, str] | None, tuple[LanceTable, bool] | None]:
        """Writes the next version where another store is to decide about it.

        The version and where its manifest is; or the version that is there already, and whether it was made here.
        """

    def settle(self, *, is_taken: bool) -> LanceTable:
        """Takes what the other store decided.

        Raises:
            CommitConflictError: Another commit was faster.
        """

    def abandon(self) -> bool:
        """Removes what attempts wrote, where it is certain that no version names it. Says whether it is."""

    @property
    def is_raced(self) -> bool:
        """Whether the last attempt was too late, and nothing else was in the way."""

    @property
    def adds_rows(self) -> int | None:
        """The version because of which the last attempt failed: its rows may have the keys of inserted ones."""

    def allow_added_rows(self, version: int) -> None:
        """Says that rows that were added until a version have other keys."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the rows."""

def create_lance_table(
    location: str,
    schema: object,
    files: list[_NewFile],
    *,
    storage_options: dict[str, str],
    data_storage_version: str,
    stable_row_ids: bool,
    config: list[tuple[str, str]],
    properties: list[tuple[str, str]],
    key: str | None,
) -> LanceTable:
    """Creates a table of files that were written."""

def check_lance_files(table: LanceTable, files: list[tuple[str, int]]) -> None:
    """Checks that data files are there: their names and bytes.

    Raises:
        NotFoundError: One is missing.
        InvalidDataError: One has another size.
    """

def stage_lance_table(
    location: str,
    schema: object,
    files: list[_NewFile],
    *,
    storage_options: dict[str, str],
    data_storage_version: str,
    stable_row_ids: bool,
    config: list[tuple[str, str]],
    properties: list[tuple[str, str]],
    key: str | None,
) -> list[str]:
    """Writes the first version of a table for another store to decide about it: the manifest, and its transaction."""

def plan_lance_compaction(
    table: LanceTable, *, target_rows: int, deletions: float
) -> list[tuple[list[int], list[int], int]]:
    """Fragments that are better written as one: their places, their ids, and their rows that are not deleted."""

def change_lance_ref(table: LanceTable, change: str, name: str) -> None:
    """Creates, updates or removes a tag, or creates or removes a branch."""

def shallow_clone_lance_table(table: LanceTable, target: str) -> None:
    """Begins a table in another folder with the version."""

def lance_data_file_name() -> str:
    """A name for a new data file."""

def finalize_lance_version(folder: str, version: int, path: str, *, storage_options: dict[str, str]) -> str:
    """Gives a version that another store decided for its own name, and returns where it is then."""

def remove_lance_files(locations: list[str], *, storage_options: dict[str, str]) -> None:
    """Removes data files that were written and not committed."""

def clean_up_lance_table(
    table: LanceTable, *, kept_versions: int, older_than_us: int, dry_run: bool
) -> tuple[list[int], list[str], int]:
    """Removes old versions and the files that only they name: the versions, the files, and their bytes."""
