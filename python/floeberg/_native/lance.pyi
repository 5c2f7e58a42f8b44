"""Lance tables: versions, scans, plans, and rows of fragments, whose data files Python decodes.

Rust: `rust/floeberg-python/src/lance/`.
"""

from typing import Any, TypeAlias, final

from typing_extensions import CapsuleType

from floeberg._native.arrow import Batch, Batches
from floeberg._native.values import _Tree
from floeberg.lance.pages import Pages

_VersionParts: TypeAlias = tuple[int, int | None, tuple[str, str] | None, str | None]
"""A version: its number, its time in microseconds since 1970, the writer's name and version, and the branch."""

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
        """The newest version of the branch.

        Raises:
            NoSuchTableError: The table was removed, or made anew.
        """

    def check_same(self) -> None:
        """Checks that the table, or its branch, was not removed and made anew since it was opened.

        Raises:
            NotFoundError: It was.
        """

    def at_version(self, version: int) -> LanceTable:
        """Another version of the branch.

        Raises:
            NotFoundError: It is gone, or never was, or the table was made anew.
        """

    def incomparable_columns(self, before: LanceTable) -> list[str]:
        """The columns that have another type or identity in an earlier version."""

    def find_commit(self, key: str, operation: str | None) -> tuple[LanceTable, str] | None:
        """The version that a commit with a key made, and its operation."""

    @property
    def location(self) -> str:
        """The folder."""

    @property
    def folder(self) -> str:
        """The folder of its branch."""

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

    def primary_key(self) -> list[str]:
        """The columns of the unenforced primary key, in its order."""

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
        pages: Pages,
        *,
        row_ids: bytes | None,
        addresses: bytes | None,
        selected_fields: list[str],
        case_sensitive: bool,
    ) -> Batches:
        """Rows by their ids or addresses, which are eight bytes each, little endian.

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

    def rows(self, pages: Pages, *, limit: int | None = None) -> LanceRows:
        """Begins to read the rows."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """A recipe, with a manifest of its fragments alone."""

@final
class LanceRows:
    """Batches of rows, being read."""

    def next_batch(self) -> Batch | None:
        """The next batch, which has rows; `None` after the last one.

        Raises:
            InvalidDataError: A file is damaged, or gives other rows or types than the manifest says.
            UnsupportedError: A data file has version 0.1, or a column has blobs of version 2.
        """

    def count(self) -> int:
        """The number of rows of all batches."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the scan or the group."""

@final
class LanceKeys:
    """The keys of a source, in memory."""

    def may_have_come(self, read: LanceTable, newest: LanceTable, pages: Pages) -> bool:
        """Whether a row that came since a version was read may have one of the keys."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the source."""

@final
class LanceDiff:
    """What differs between two versions."""

    @staticmethod
    def of(
        before: LanceTable,
        after: LanceTable,
        key: list[str] | None,
        selected_fields: list[str],
        row_filter: _Tree | None = None,
    ) -> LanceDiff:
        """Between two versions of a branch.

        Raises:
            InvalidInputError: A column is unknown, or only a part of it is selected.
            UnsupportedError: A column is another one in the first version, or has a reserved name.
        """

    def proof(self) -> str | None:
        """What proves that no row differs.

        Raises:
            InvalidDataError: A manifest, or a transaction, is damaged.
        """

    def counts(self, pages: Pages) -> tuple[int, int, int, dict[str, int]]:
        """How many rows were inserted, deleted and updated, and how often each column was.

        Raises:
            UnsupportedError: Rows have addresses alone, and may have been moved.
        """

    def rows(self, pages: Pages) -> LanceRows:
        """Begins to read the rows that differ.

        Raises:
            UnsupportedError: Rows have addresses alone, and may have been moved. It is raised when batches are read.
        """

    def files(self) -> Batch:
        """The files that differ.

        Raises:
            InvalidDataError: A manifest is damaged.
        """

    def preview(self) -> Batch:
        """How many rows of each fragment differ at most.

        Raises:
            InvalidDataError: A manifest, or a transaction, is damaged.
        """

    def fields(self) -> tuple[list[tuple[int, str, str, bool]], list[tuple[int, str, str, bool]]]:
        """The fields of both versions: id, dotted name, type and whether it may be null."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`."""

@final
class LanceChangelog:
    """Changes of a range of versions."""

    @staticmethod
    def of(
        start: LanceTable | None,
        end: LanceTable,
        *,
        row_filter: _Tree,
        selected_fields: list[str],
        case_sensitive: bool,
        net: bool,
    ) -> LanceChangelog:
        """Changes after `start`, or from the first version on, up to `end`.

        Raises:
            InvalidInputError: A column is unknown, or only a part of it is selected.
            UnsupportedError: The table has a column of a reserved name.
        """

    def rows(self, pages: Pages) -> LanceRows:
        """Begins to read the changes.

        Raises:
            UnsupportedError: Nothing says which rows only moved. It is raised when batches are read.
        """

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the scan."""
