"""What do tables of all formats have?

Invariant: names, parameters and errors are those of `floeberg.Table` and `floeberg.LanceTable`, where both have them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from floeberg.expressions import ALWAYS_TRUE

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import pyarrow as pa
    from typing_extensions import Self

    from floeberg._timestamps import Moment
    from floeberg.checking import Level
    from floeberg.commit import MergeBuilder
    from floeberg.commit.join_options import NullKeys, OnConflict
    from floeberg.commit.new_values import NewValue
    from floeberg.expressions import AnyFilter, ValueExpression
    from floeberg.progress import ProgressCallback
    from floeberg.report import Report

__all__ = [
    "CommitLike",
    "CompactionLike",
    "ExpiryLike",
    "InspectLike",
    "MaintenanceLike",
    "ScanLike",
    "TableLike",
    "UpsertLike",
    "VersionLike",
]


@runtime_checkable
class CommitLike(Protocol):
    """What a commit to a table of any format did: a `CommitResult` or a `LanceCommitResult`."""

    @property
    def operation(self) -> str | None:
        """The operation, in the words of the format; `None` where nothing changed."""
        ...

    @property
    def already_committed(self) -> bool:
        """Whether an earlier commit with the same idempotency key did it."""
        ...

    @property
    def added_rows(self) -> int:
        """The rows that were added, or written with new values."""
        ...

    @property
    def deleted_rows(self) -> int:
        """The rows that were deleted or replaced."""
        ...

    @property
    def updated_rows(self) -> int:
        """The rows that got new values."""
        ...

    @property
    def inserted_rows(self) -> int:
        """The rows that an upsert or a merge inserted."""
        ...

    @property
    def dry_run(self) -> bool:
        """Whether nothing was done: the counts say what would be."""
        ...


@runtime_checkable
class UpsertLike(Protocol):
    """What an upsert did: an `UpsertResult` or a `LanceCommitResult`."""

    @property
    def rows_updated(self) -> int:
        """The rows that got new values."""
        ...

    @property
    def rows_inserted(self) -> int:
        """The rows that were inserted."""
        ...


@runtime_checkable
class VersionLike(Protocol):
    """A state of a table of any format."""

    @property
    def version(self) -> int:
        """Its number: of a Lance table that of the version, of an Iceberg table the id of the snapshot."""
        ...

    @property
    def timestamp(self) -> datetime | None:
        """When it was committed, in UTC; `None` if nothing says it."""
        ...


@runtime_checkable
class ScanLike(Protocol):
    """Rows to read of a table of any format: a `Scan` or a `LanceScan`."""

    def filter(self, row_filter: AnyFilter) -> Self:
        """Keeps only rows that match this filter and the earlier ones."""
        ...

    def select(self, *field_names: str) -> Self:
        """Reads only these columns."""
        ...

    def projection(self) -> Any:  # noqa: ANN401 - a schema of the format
        """The columns that are read."""
        ...

    def plan_files(self) -> Any:  # noqa: ANN401 - a plan of the format
        """Finds what is read. The length of the plan is the number of tasks."""
        ...

    def explain(self, *, analyze: bool = False) -> Any:  # noqa: ANN401 - of the format
        """What the scan reads, and why; with `analyze`, how long reading takes."""
        ...

    def count(self) -> int:
        """Counts the rows."""
        ...

    def to_arrow(self, *, progress: ProgressCallback | bool | None = None) -> pa.Table:
        """Reads all rows into memory."""
        ...

    def to_arrow_batch_reader(
        self, *, progress: ProgressCallback | bool | None = None
    ) -> pa.RecordBatchReader:
        """Reads rows batch by batch."""
        ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class InspectLike(Protocol):
    """The metadata tables that tables of all formats have."""

    def refs(self) -> pa.Table:
        """Branches and tags."""
        ...

    def data_files(self) -> pa.Table:
        """The data files."""
        ...


@runtime_checkable
class CompactionLike(Protocol):
    """What a compaction of a table of any format did: a `RewriteDataFilesResult` or a `CompactionResult`."""

    @property
    def rewritten_data_files_count(self) -> int:
        """The data files, or fragments, that were replaced."""
        ...

    @property
    def added_data_files_count(self) -> int:
        """The data files, or fragments, that replace them; 0 with `dry_run`."""
        ...

    @property
    def dry_run(self) -> bool:
        """Whether nothing was done."""
        ...


@runtime_checkable
class ExpiryLike(Protocol):
    """What an expiry of a table of any format did: an `ExpireSnapshotsResult` or a `CleanupResult`."""

    @property
    def snapshot_ids(self) -> Sequence[int]:
        """The snapshots, or versions, that went."""
        ...

    @property
    def deleted_files(self) -> Sequence[str]:
        """The files that went with them."""
        ...

    @property
    def dry_run(self) -> bool:
        """Whether nothing was removed."""
        ...


@runtime_checkable
class MaintenanceLike(Protocol):
    """What keeps a table of any format small."""

    def rewrite_data_files(
        self, *, options: Mapping[str, str] | None = None, dry_run: bool = False
    ) -> CompactionLike:
        """Writes small data files, and those with many deleted rows, again as larger ones."""
        ...

    def expire_snapshots(
        self, *, older_than: Moment | None = None, retain_last: int | None = None, dry_run: bool | None = None
    ) -> Any:  # noqa: ANN401 - an `ExpiryLike`, or without arguments the changes of an Iceberg table
        """Removes old snapshots, or versions, and the files that only they name: an `ExpiryLike`."""
        ...


@runtime_checkable
class TableLike(Protocol):
    """A table of any format: a `Table` or a `LanceTable`.

    These methods have the same names and meanings, take the same arguments and raise the same errors. Tables of one
    format have more of both.

    Examples:
        >>> isinstance(table, fb.TableLike), isinstance(lance_table, fb.TableLike)
        (True, True)
    """

    @property
    def inspect(self) -> InspectLike:
        """The metadata tables."""
        ...

    @property
    def maintenance(self) -> MaintenanceLike:
        """What keeps the table small."""
        ...

    def schema(self) -> Any:  # noqa: ANN401 - of the format
        """The columns: a `floeberg.types.Schema`, or of a Lance table a `pyarrow.Schema`."""
        ...

    def scan(
        self,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        *,
        limit: int | None = None,
    ) -> ScanLike:
        """Describes rows to read."""
        ...

    def head(self, n: int = 10) -> pa.Table:
        """Reads the first rows."""
        ...

    def count(self) -> int:
        """Counts the rows."""
        ...

    def to_arrow(self, *, progress: ProgressCallback | bool | None = None) -> pa.Table:
        """Reads all rows into memory."""
        ...

    def append(self, data: object, *, idempotency_key: str | None = None) -> CommitLike:
        """Adds rows."""
        ...

    def overwrite(self, data: object, *, idempotency_key: str | None = None) -> CommitLike:
        """Replaces all rows."""
        ...

    def delete(  # noqa: PLR0913 - all but the first are keywords
        self,
        delete_filter: AnyFilter | None = None,
        *,
        delete_all: bool = False,
        case_sensitive: bool = True,
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
    ) -> CommitLike:
        """Deletes the rows that match a filter."""
        ...

    def update(  # noqa: PLR0913 - all but the first two are keywords
        self,
        updates: Mapping[str, NewValue],
        filter: AnyFilter = ALWAYS_TRUE,  # noqa: A002 - the word of DataFrames
        *,
        case_sensitive: bool = True,
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
    ) -> CommitLike:
        """Sets columns of the rows that match a filter."""
        ...

    def upsert(  # noqa: PLR0913 - all but the first two are keywords
        self,
        df: object,
        join_cols: Sequence[str],
        *,
        when_matched_update_all: bool = True,
        when_not_matched_insert_all: bool = True,
        case_sensitive: bool = True,
        null_keys: NullKeys = "error",
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
    ) -> UpsertLike:
        """Updates rows by their keys, and inserts the others."""
        ...

    def merge(  # noqa: PLR0913 - keywords
        self,
        source: object,
        *,
        on: Sequence[str] | str | None = None,
        predicate: str | ValueExpression | None = None,
        case_sensitive: bool = True,
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
    ) -> MergeBuilder[Any]:
        """Joins a source to the table, and changes rows by clauses."""
        ...

    def apply_changes(  # noqa: PLR0913 - keywords
        self,
        changes: object,
        *,
        keys: Sequence[str],
        operation: str,
        order_by: str | Sequence[str],
        null_keys: NullKeys = "error",
        idempotency_key: str | None = None,
        on_conflict: OnConflict = "retry",
        dry_run: bool = False,
    ) -> CommitLike:
        """Applies a feed of changes, of which the last of each key wins."""
        ...

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        row_filter: AnyFilter | None = None,
        snapshots: tuple[int | str | datetime, int | str | datetime | None] | None = None,
        check: Level | None = "manifests",
        overwrite: bool = False,
    ) -> Report:
        """Makes a report: one HTML file."""
        ...

    def versions(self) -> Sequence[VersionLike]:
        """The states of the table, oldest first."""
        ...

    def refs(self) -> Mapping[str, Any]:
        """Branches and tags by name."""
        ...

    def refresh(self) -> Self:
        """Opens the newest state of the table."""
        ...

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
