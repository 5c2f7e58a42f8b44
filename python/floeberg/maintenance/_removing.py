"""Which methods of maintenance remove snapshots and files?"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from floeberg.maintenance._base import MaintainedTable
from floeberg.maintenance.expire_snapshots import ExpireSnapshots
from floeberg.maintenance.orphan_files import remove_orphan_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg._timestamps import Moment
    from floeberg.maintenance.orphan_files import PrefixMismatchMode
    from floeberg.maintenance.results.removing import ExpireSnapshotsResult, RemoveOrphanFilesResult
    from floeberg.progress.report import ProgressCallback

__all__ = ["RemovingMaintenance"]


class RemovingMaintenance(MaintainedTable):
    """The methods that remove snapshots and files."""

    @overload
    def expire_snapshots(self) -> ExpireSnapshots: ...

    @overload
    def expire_snapshots(
        self,
        *,
        older_than: Moment | None = ...,
        retain_last: int | None = ...,
        snapshot_ids: Sequence[int] | None = ...,
        clean_expired_metadata: bool | None = ...,
        delete_files: bool | None = ...,
        dry_run: bool | None = ...,
        progress: ProgressCallback | bool | None = ...,
    ) -> ExpireSnapshotsResult: ...

    def expire_snapshots(  # noqa: PLR0913 - keywords
        self,
        *,
        older_than: Moment | None = None,
        retain_last: int | None = None,
        snapshot_ids: Sequence[int] | None = None,
        clean_expired_metadata: bool | None = None,
        delete_files: bool | None = None,
        dry_run: bool | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> ExpireSnapshots | ExpireSnapshotsResult:
        """Expires snapshots, and removes the files that only they need.

        Branches and tags that are older than their own `max_ref_age_ms`, or than `history.expire.max-ref-age-ms`,
        expire too. What a branch or a tag names stays, and so do as many snapshots of a branch as its own retention
        says. A file goes only if no snapshot of the table needs it, as the table is after the commit. Files outside of
        the table's own locations are kept, and named in the result.

        Args:
            older_than: Expires snapshots that were made before then: a datetime with a zone, milliseconds from
                1970-01-01 UTC, or an ISO 8601 string with a zone. By default, the table's
                `history.expire.max-snapshot-age-ms` counts, which is 5 days if it is not set.
            retain_last: How many of the newest snapshots of each branch stay in any case. By default, the table's
                `history.expire.min-snapshots-to-keep` counts, which is 1 if it is not set.
            snapshot_ids: Snapshots that expire whatever their age: these alone, unless `older_than` or `retain_last` is
                given too.
            clean_expired_metadata: Whether schemas and partition specs go too that nothing uses any more. By default,
                they stay.
            delete_files: Whether the files are removed. By default, they are.
            dry_run: Whether to say only what would be done.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a bar.

        Returns:
            What was done. Without any argument, changes of which nothing happens before their `commit()`, as in
            PyIceberg.

        Raises:
            InvalidInputError: The property `gc.enabled` is `false`; a branch or a tag names one of `snapshot_ids`; or
                the catalog has the same table by another name, too, and files are to be removed.
            NotFoundError: The table does not have one of `snapshot_ids`.
            InvalidDataError: A manifest is damaged. The snapshots expired, and no file was removed.
            CommitStateUnknownError: The outcome is unknown. No file was removed.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1]}))
            >>> _ = orders.overwrite(pa.table({"id": [2]}))
            >>> done = orders.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z")
            >>> len(done.snapshot_ids), done.deleted_data_files_count, len(orders.snapshots())
            (1, 1, 1)
        """
        changes = ExpireSnapshots(self._operations, self._table, self._become, self._workers, self._reporter)
        given = (
            older_than,
            retain_last,
            snapshot_ids,
            clean_expired_metadata,
            delete_files,
            dry_run,
            progress,
        )
        if all(each is None for each in given):
            self._operations.check_writable()
            return changes
        if not dry_run:
            self._operations.check_writable()
        if older_than is not None:
            changes.older_than(older_than)
        if retain_last is not None:
            changes.retain_last(retain_last)
        if snapshot_ids is not None:
            changes.by_ids(snapshot_ids)
        if clean_expired_metadata is not None:
            changes.clean_expired_metadata(clean_expired_metadata)
        return changes.commit(
            dry_run=False if dry_run is None else dry_run,
            delete_files=True if delete_files is None else delete_files,
            progress=progress,
        )

    def remove_orphan_files(  # noqa: PLR0913 - keywords
        self,
        *,
        older_than: Moment | None = None,
        location: str | None = None,
        dry_run: bool = False,
        allow_recent: bool = False,
        file_list: Mapping[str, Moment] | None = None,
        prefix_mismatch_mode: PrefixMismatchMode = "error",
        equal_schemes: Mapping[str, str] | None = None,
        equal_authorities: Mapping[str, str] | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> RemoveOrphanFilesResult:
        """Removes files that no snapshot of the table names: of writes that failed, and of expiries that were cut off.

        A file counts as named in any spelling of its location. Files whose names, or folders, begin with `.` or `_` are
        kept, unless a partition field begins so. A folder that holds another table is an error.

        Args:
            older_than: Files that were written before then, by the clock of the store: as with `expire_snapshots`. By
                default, three days ago. Writes that are under way have files that nothing names yet.
            location: The folder. By default, the location of the table.
            dry_run: Whether to say only what would be removed.
            allow_recent: Whether `older_than` may be in the last 24 hours.
            file_list: Files below the folder, and when each was written, instead of a listing. Locations are compared
                as they are, without decoding `%` escapes. A location where no file is counts as one that was removed.
            prefix_mismatch_mode: What is done with a file whose path the table names with another scheme or authority:
                `error`, `ignore` or `delete`.
            equal_schemes: Schemes that mean the same, each to the one that it stands for. `s3a` and `s3n` are `s3`
                anyway.
            equal_authorities: The same for authorities, such as buckets.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a bar.

        Returns:
            What was removed.

        Raises:
            InvalidInputError: The property `gc.enabled` is `false`; the folder holds another table, is in that of
                another one, or has none of the files that the table names; `older_than` is too young; or a file is
                named with another scheme or authority.
            UnsupportedError: The store cannot list its files.
            InvalidDataError: A manifest is damaged. Nothing was removed.

        Examples:
            >>> lake = fb.load_catalog("orphans", type="filesystem", warehouse=str(folder))
            >>> lake.create_namespace("db")
            >>> visits = lake.create_table("db.visits", orders.schema())
            >>> visits.maintenance.remove_orphan_files(dry_run=True)
            RemoveOrphanFilesResult(dry_run=True)
        """
        if not dry_run:
            self._operations.check_writable()
        with self._reporting(progress):
            return remove_orphan_files(
                self._operations,
                self._table(),
                older_than=older_than,
                location=location,
                dry_run=dry_run,
                allow_recent=allow_recent,
                file_list=file_list,
                prefix_mismatch_mode=prefix_mismatch_mode,
                equal_schemes=equal_schemes,
                equal_authorities=equal_authorities,
                workers=self._workers,
                reporter=self._reporter,
            )
