"""How does a Lance table stay small?"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, TypeVar

from floeberg import _native
from floeberg._arguments import checked_bool, checked_share, checked_size
from floeberg._keywords import says_keywords_of_methods
from floeberg._timestamps import milliseconds
from floeberg.errors import InvalidInputError
from floeberg.lance.committing import Made
from floeberg.lance.new_files import ROWS_PER_FILE
from floeberg.lance.pages import pages_of
from floeberg.lance.result import CleanupResult, CompactionResult
from floeberg.maintenance.options import ProcedureOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg._timestamps import Moment
    from floeberg.lance._writes import LanceTableWrites

__all__ = ["LanceMaintenance"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_WEEK = timedelta(days=7)
_SHARE = 0.1

Number = TypeVar("Number", int, float)


@says_keywords_of_methods
class LanceMaintenance:
    """What keeps a Lance table small."""

    def __init__(self, table: LanceTableWrites) -> None:
        """Use `LanceTable.maintenance`."""
        self._table = table

    def compact(  # noqa: PLR0913 - keywords
        self,
        *,
        target_rows: int | None = None,
        delete_ratio_threshold: float | None = None,
        drop_indices: bool = False,
        dry_run: bool = False,
        target_rows_per_fragment: int | None = None,
        materialize_deletions_threshold: float | None = None,
    ) -> CompactionResult:
        """Writes small neighbouring fragments, and those with many deleted rows, as larger ones.

        Rows stay in their order and keep their stable ids. Deleted rows are left out.

        Args:
            target_rows: Fragments with fewer rows are too small; no new one has more. By default, 1,048,576.
            delete_ratio_threshold: The share of deleted rows, from 0 to 1, from which on a fragment is written again.
                By default, 0.1. The name is that of an option of Spark's `rewrite_data_files`.
            drop_indices: Whether indices are dropped, which would name rows that are elsewhere.
            dry_run: Whether to say only what would be done.
            target_rows_per_fragment: `target_rows`, by the name that Lance has for it.
            materialize_deletions_threshold: `delete_ratio_threshold`, by the name that Lance has for it.

        Returns:
            What was done.

        Raises:
            InvalidInputError: The table has indices, and `drop_indices` is not given; or an option has two values.
            CommitConflictError: Another writer changed the same fragments, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/compacted", pa.table({"id": [1, 2]}))
            >>> _ = made.append(pa.table({"id": [3]}))
            >>> done = made.maintenance.compact()
            >>> done.fragments_before, done.fragments_after, made.scan().count()
            (2, 1, 3)
        """
        name, rows = _one_of(
            ROWS_PER_FILE, target_rows=target_rows, target_rows_per_fragment=target_rows_per_fragment
        )
        rows = checked_size(name, rows, 1)
        name, share = _one_of(
            _SHARE,
            delete_ratio_threshold=delete_ratio_threshold,
            materialize_deletions_threshold=materialize_deletions_threshold,
        )
        share = checked_share(name, share)
        native = self._table._inner  # noqa: SLF001 - its own room
        groups = _native.plan_lance_compaction(native, target_rows=rows, deletions=share)
        before, of_rows = sum(len(ids) for _, ids, _ in groups), sum(count for *_, count in groups)
        if checked_bool("dry_run", dry_run) or not groups:
            return CompactionResult(None, before, 0, of_rows, dry_run=dry_run)
        indices = _native.LanceOperation.drop_indices(native)
        if indices is not None:
            if not checked_bool("drop_indices", drop_indices):
                raise InvalidInputError(
                    "the table has indices, which name rows by where they are: pass drop_indices=True"
                )
            self._table._commit(lambda _: Made(_native.LanceOperation.drop_indices(_)))  # noqa: SLF001
        counts = {"before": 0, "after": 0, "rows": 0}

        def make(table: _native.LanceTable) -> Made:
            return _compacted(table, rows, share, counts)

        result = self._table._commit(make)  # noqa: SLF001
        return CompactionResult(result.version, counts["before"], counts["after"], counts["rows"])

    def cleanup(
        self,
        *,
        older_than: timedelta | datetime = _WEEK,
        retain_last: int | None = None,
        dry_run: bool = False,
        retain_versions: int | None = None,
    ) -> CleanupResult:
        """Removes old versions of the branch, and the files that only they name.

        Versions that a tag names, or that a branch came from, stay, and the files of all branches. Files that were
        never committed stay too, since a commit that is under way may need them. Shallow clones in other folders are
        not known here: tag the version that a clone begins with.

        Args:
            older_than: The age from which on versions go; or a moment with a time zone, and versions before it go, as
                in Spark's `expire_snapshots`. By default, seven days.
            retain_last: The number of newest versions that stay in any case; at least one, which is the default. The
                name is that of an option of Spark's `expire_snapshots`.
            dry_run: Whether to say only what would be removed.
            retain_versions: `retain_last`, by the name that Lance has for it.

        Returns:
            What was removed.

        Raises:
            InvalidDataError: A manifest is damaged. Nothing was removed.
            InvalidInputError: An option has two values, or a moment is in the future or has no time zone.

        Examples:
            >>> from datetime import timedelta
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/cleaned", pa.table({"id": [1]}))
            >>> _ = made.overwrite(pa.table({"id": [2]}))
            >>> made.maintenance.cleanup(older_than=timedelta(0)).versions, made.version_numbers()
            ([1], [2])
        """
        name, kept = _one_of(1, retain_last=retain_last, retain_versions=retain_versions)
        moment = _moment(older_than)
        versions, files, size = _native.clean_up_lance_table(
            self._table._inner,  # noqa: SLF001
            kept_versions=checked_size(name, kept, 1),
            older_than_us=(moment - _EPOCH) // timedelta(microseconds=1),
            dry_run=checked_bool("dry_run", dry_run),
        )
        return CleanupResult(versions, files, size, dry_run=dry_run)

    def rewrite_data_files(
        self, *, options: Mapping[str, str] | None = None, dry_run: bool = False
    ) -> CompactionResult:
        """`compact`, by the name that Iceberg has for it. Indices are kept: a table that has some is an error.

        Args:
            options: As texts: `delete-ratio-threshold`, by default 0.1, and `target-rows`, by default 1,048,576. Sizes
                in bytes are not known: fragments are counted in rows.
            dry_run: Whether to say only what would be done.

        Returns:
            What was done.

        Raises:
            InvalidInputError: An option does not exist, or has another type; or the table has indices.
            CommitConflictError: Another writer changed the same fragments, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/rewritten", pa.table({"id": [1, 2]}))
            >>> _ = made.append(pa.table({"id": [3]}))
            >>> done = made.maintenance.rewrite_data_files()
            >>> done.rewritten_data_files_count, done.added_data_files_count
            (2, 1)
        """
        given = ProcedureOptions("rewrite_data_files of a Lance table", options)
        rows = given.size("target-rows", ROWS_PER_FILE, 1)
        share = given.number("delete-ratio-threshold", _SHARE, 1)
        given.end()
        return self.compact(target_rows=rows, delete_ratio_threshold=share, dry_run=dry_run)

    def expire_snapshots(
        self,
        *,
        older_than: Moment | None = None,
        retain_last: int | None = None,
        dry_run: bool | None = None,
    ) -> CleanupResult:
        """`cleanup`, by the name that Iceberg has for it: versions are what snapshots are there.

        Args:
            older_than: Versions of before then go: a datetime with a zone, milliseconds from 1970-01-01 UTC, or an
                ISO 8601 string with a zone. A time of the future is now. By default, seven days ago.
            retain_last: The number of newest versions that stay in any case; at least one, which is the default.
            dry_run: Whether to say only what would be removed.

        Returns:
            What was removed.

        Raises:
            InvalidDataError: A manifest is damaged. Nothing was removed.
            InvalidInputError: `older_than` is no such time.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/expired", pa.table({"id": [1]}))
            >>> _ = made.overwrite(pa.table({"id": [2]}))
            >>> made.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z").snapshot_ids
            [1]
        """
        moment: timedelta | datetime = _WEEK
        if older_than is not None:
            last = datetime.now(timezone.utc)
            wanted = milliseconds(older_than, "older_than")
            moment = min(last, _EPOCH + timedelta(milliseconds=max(0, min(wanted, _milliseconds_of(last)))))
        return self.cleanup(older_than=moment, retain_last=retain_last, dry_run=bool(dry_run))


def _milliseconds_of(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _one_of(default: Number, **given: Number | None) -> tuple[str, Number]:
    """The option that was given under one of its names, and the name.

    Raises:
        InvalidInputError: It was given under several.
    """
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) > 1:
        raise InvalidInputError(f"{' and '.join(named)} are names of one option: expected one of them")
    return next(iter(named.items()), (next(iter(given)), default))


def _moment(older_than: timedelta | datetime) -> datetime:
    """The moment before which versions go.

    Raises:
        InvalidInputError: It is in the future, or has no time zone.
    """
    now = datetime.now(timezone.utc)
    if isinstance(older_than, datetime) and older_than.tzinfo is not None and older_than <= now:
        return max(older_than, _EPOCH)
    if isinstance(older_than, timedelta) and older_than >= timedelta(0):
        # Before the first year there are no versions.
        return now - min(older_than, now - _EPOCH)
    raise InvalidInputError(
        "older_than: expected a timedelta that is not negative, or a moment of the past with a time zone, found "
        f"{older_than!r}"
    )


def _compacted(table: _native.LanceTable, rows: int, deletions: float, counts: dict[str, int]) -> Made:
    done = _native.compact_lance_fragments(
        table, pages_of(table.storage_options), target_rows=rows, deletions=deletions
    )
    if done is None:
        counts.update(before=0, after=0, rows=0)
        return Made(None)
    operation, files, before, after, live = done
    counts.update(before=before, after=after, rows=live)
    return Made(operation, files)
