"""How does a Lance table stay small?"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_share, checked_size
from floeberg._keywords import says_keywords_of_methods
from floeberg.errors import InvalidInputError
from floeberg.lance.column_changes import live_batches
from floeberg.lance.committing import Made
from floeberg.lance.new_files import ROWS_PER_FILE
from floeberg.lance.result import CleanupResult, CompactionResult
from floeberg.lance.row_changes import files_of, schema_of_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.lance._writes import LanceTableWrites

__all__ = ["LanceMaintenance"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_WEEK = timedelta(days=7)


@says_keywords_of_methods
class LanceMaintenance:
    """What keeps a Lance table small."""

    def __init__(self, table: LanceTableWrites) -> None:
        """Use `LanceTable.maintenance`."""
        self._table = table

    def compact(
        self,
        *,
        target_rows: int = ROWS_PER_FILE,
        deletions: float = 0.1,
        drop_indices: bool = False,
        dry_run: bool = False,
    ) -> CompactionResult:
        """Writes small neighbouring fragments, and those with many deleted rows, as larger ones.

        Rows stay in their order and keep their stable ids. Deleted rows are left out.

        Args:
            target_rows: Fragments with fewer rows are too small; no new one has more.
            deletions: The share of deleted rows from which on a fragment is written again.
            drop_indices: Whether indices are dropped, which would name rows that are elsewhere.
            dry_run: Whether to say only what would be done.

        Returns:
            What was done.

        Raises:
            InvalidInputError: The table has indices, and `drop_indices` is not given.
            CommitConflictError: Another writer changed the same fragments, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/compacted", pa.table({"id": [1, 2]}))
            >>> _ = made.append(pa.table({"id": [3]}))
            >>> done = made.maintenance.compact()
            >>> done.fragments_before, done.fragments_after, made.scan().count()
            (2, 1, 3)
        """
        rows = checked_size("target_rows", target_rows, 1)
        share = checked_share("deletions", deletions)
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
        older_than: timedelta = _WEEK,
        retain: int = 1,
        dry_run: bool = False,
    ) -> CleanupResult:
        """Removes old versions of the branch, and the files that only they name.

        Versions that a tag names, or that a branch came from, stay, and the files of all branches. Files that were
        never committed stay too, since a commit that is under way may need them. Shallow clones in other folders are
        not known here: tag the version that a clone begins with.

        Args:
            older_than: The age from which on versions go.
            retain: The number of newest versions that stay in any case; at least one.
            dry_run: Whether to say only what would be removed.

        Returns:
            What was removed.

        Raises:
            InvalidDataError: A manifest is damaged. Nothing was removed.

        Examples:
            >>> from datetime import timedelta
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/cleaned", pa.table({"id": [1]}))
            >>> _ = made.overwrite(pa.table({"id": [2]}))
            >>> made.maintenance.cleanup(older_than=timedelta(0)).versions, made.version_numbers()
            ([1], [2])
        """
        if not isinstance(older_than, timedelta) or older_than < timedelta(0):
            raise InvalidInputError(
                f"older_than: expected a timedelta that is not negative, found {older_than!r}"
            )
        now = datetime.now(timezone.utc)
        # Before the first year there are no versions.
        moment = now - min(older_than, now - _EPOCH)
        versions, files, size = _native.clean_up_lance_table(
            self._table._inner,  # noqa: SLF001
            kept_versions=checked_size("retain", retain, 1),
            older_than_us=(moment - _EPOCH) // timedelta(microseconds=1),
            dry_run=checked_bool("dry_run", dry_run),
        )
        return CleanupResult(versions, files, size, dry_run=dry_run)


def _compacted(table: _native.LanceTable, rows: int, deletions: float, counts: dict[str, int]) -> Made:
    groups = _native.plan_lance_compaction(table, target_rows=rows, deletions=deletions)
    counts.update(before=0, after=0, rows=0)
    if not groups:
        return Made(None)
    schema, new = schema_of_table(table), files_of(table)
    plan = table.scan(row_filter=("true",), selected_fields=["*"], case_sensitive=True, limit=None).plan()
    whole, made = plan.whole(), []

    def batches(places: list[int]) -> Iterator[pa.RecordBatch]:
        for place in places:
            yield from live_batches(table, whole, place)

    try:
        for places, _ids, live in groups:
            files = new.write(batches(places), schema, rows_per_file=rows)
            made.append((places, live, files))
            counts["before"] += len(places)
            counts["after"] += len(files)
            counts["rows"] += live
        operation = _native.LanceOperation.compact(table, made)
    except BaseException:
        new.remove()
        raise
    return Made(operation, new)
