"""Changes of Lance tables: operations, and commits.

Rust: `rust/floeberg-python/src/lance/`.
"""

from typing import Any, TypeAlias, final

from floeberg._native.lance import LanceScan, LanceTable
from floeberg.lance.pages import Pages

_NewFile: TypeAlias = tuple[str, int, int]
"""A data file that was written: its name, rows and bytes."""

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
    def delete(predicate: str, scan: LanceScan, pages: Pages) -> tuple[LanceOperation, int]:
        """Deletes the rows of a scan; and their number. `predicate` says which, for people."""

    @staticmethod
    def add_columns(table: LanceTable, schema: object) -> LanceOperation:
        """Adds columns that are null.

        Raises:
            InvalidInputError: A column is there.
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

def rename_lance_manifests(location: str, branch: str | None, *, storage_options: dict[str, str]) -> int:
    """Gives the manifests of a branch the names of the newer scheme, and says how many had others."""

def shallow_clone_lance_table(table: LanceTable, target: str) -> None:
    """Begins a table in another folder with the version."""

def finalize_lance_version(folder: str, version: int, path: str, *, storage_options: dict[str, str]) -> str:
    """Gives a version that another store decided for its own name, and returns where it is then."""

def remove_lance_files(locations: list[str], *, storage_options: dict[str, str]) -> None:
    """Removes data files that were written and not committed."""

def clean_up_lance_table(
    table: LanceTable, *, kept_versions: int, older_than_us: int, dry_run: bool
) -> tuple[list[int], list[str], int]:
    """Removes old versions and the files that only they name: the versions, the files, and their bytes."""
