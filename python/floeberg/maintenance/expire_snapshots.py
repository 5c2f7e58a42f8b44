"""How do snapshots expire, and the files that only they need?

The metadata is committed first. Then the table is read again, and a file goes only if no snapshot needs it that the
table has by then. A commit whose outcome is unknown removes nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_size
from floeberg._keywords import says_keywords_of_methods
from floeberg._timestamps import milliseconds
from floeberg.commit.loop import commit
from floeberg.commit.table_changes import TableChanges, changes_shown
from floeberg.errors import InvalidInputError
from floeberg.maintenance.removal import check_place, check_registered_once, counts_by_role, remove
from floeberg.maintenance.results.removing import ExpireSnapshotsResult
from floeberg.progress.reporting import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from floeberg._timestamps import Moment
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.maintenance.workers import Workers
    from floeberg.progress.report import ProgressCallback

__all__ = ["ExpireSnapshots"]

_LAST = 2**31 - 1


@says_keywords_of_methods
class ExpireSnapshots(TableChanges):
    """Which snapshots expire. Nothing happens before `commit`, or the end of a `with` block.

    By default, the table's properties `history.expire.*` and the retention of its branches and tags count. The
    calls have the names that PyIceberg and Iceberg Java have for them.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1]}))
        >>> _ = orders.append(pa.table({"id": [2]}))
        >>> expiry = orders.maintenance.expire_snapshots()
        >>> expiry.older_than("2100-01-01T00:00Z").retain_last(1).commit().deleted_manifest_lists_count
        1
        >>> len(orders.snapshots())
        1
    """

    def __init__(
        self,
        operations: TableOperations,
        table: Callable[[], OpenedTable],
        become: Callable[[OpenedTable], None],
        workers: Workers | None = None,
        reporter: Reporter | None = None,
    ) -> None:
        """Use `Table.maintenance.expire_snapshots`."""
        self._reporter = reporter or Reporter(None)
        self._unneeded = _native.unneeded_files if workers is None else workers.unneeded_files
        self._table_operations = operations
        self._table = table
        self._become = become
        self._wanted: dict[str, Any] = {}
        # `None` where no id was asked for, not even an empty list.
        self._ids: list[int] | None = None

    def __repr__(self) -> str:
        said = [f"{name}={value!r}" for name, value in self._wanted.items()]
        return changes_shown(
            self, ["expire snapshots", *said, *(f"snapshot {each}" for each in self._ids or [])]
        )

    def older_than(self, older_than: Moment) -> Self:
        """Expires snapshots that were made before a time, unless a branch has retention of its own.

        Args:
            older_than: A datetime with a zone, milliseconds from 1970-01-01 UTC, or an ISO 8601 string with a zone.

        Returns:
            These changes.
        """
        self._wanted["older-than-ms"] = milliseconds(older_than, "older_than")
        return self

    def retain_last(self, retain_last: int) -> Self:
        """Keeps so many of the newest snapshots of each branch, unless the branch says how many.

        Args:
            retain_last: How many, at least 1.

        Returns:
            These changes.
        """
        last = checked_size("retain_last", retain_last, 1)
        self._wanted["retain-last"] = min(last, _LAST)
        return self

    def by_id(self, snapshot_id: int) -> Self:
        """Expires a snapshot whatever its age: it alone, unless an age or a number is given too.

        Args:
            snapshot_id: Its id. No branch or tag may name it.

        Returns:
            These changes.
        """
        self._ids = [*(self._ids or []), checked_int("snapshot_id", snapshot_id)]
        return self

    def by_ids(self, snapshot_ids: Sequence[int]) -> Self:
        """Expires snapshots whatever their age: these alone, unless an age or a number is given too.

        Args:
            snapshot_ids: Their ids. No branch or tag may name one.

        Returns:
            These changes.
        """
        if isinstance(snapshot_ids, (int, str, bytes)) or not hasattr(snapshot_ids, "__iter__"):
            raise InvalidInputError(
                f"snapshot_ids: expected a list of integers, found an object of type {type(snapshot_ids).__name__}"
            )
        self._ids = [*(self._ids or []), *(checked_int("snapshot_ids", each) for each in snapshot_ids)]
        return self

    def clean_expired_metadata(self, clean_expired_metadata: bool = True) -> Self:  # noqa: FBT001, FBT002 - as in Java
        """Removes schemas and partition specs too that neither the table nor a snapshot uses any more.

        Args:
            clean_expired_metadata: Whether.

        Returns:
            These changes.
        """
        self._wanted["clean-expired-metadata"] = checked_bool(
            "clean_expired_metadata", clean_expired_metadata
        )
        return self

    def commit(  # type: ignore[override]
        self,
        *,
        dry_run: bool = False,
        delete_files: bool = True,
        progress: ProgressCallback | bool | None = None,
    ) -> ExpireSnapshotsResult:
        """Commits, and removes the files that no snapshot needs any more.

        Args:
            dry_run: Whether to say only what would be done.
            delete_files: Whether files are removed. If not, `deleted_files` is empty, and the files stay until
                `remove_orphan_files` removes them.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a bar. After the commit, what it raises leaves files that `remove_orphan_files` removes.

        Returns:
            What was done.

        Raises:
            InvalidInputError: The property `gc.enabled` is `false`; a branch or a tag names a snapshot that is to
                expire; or the catalog has the same table by another name, too, and files are to be removed.
            NotFoundError: The table does not have a snapshot that is to expire.
            InvalidDataError: A manifest is damaged. The snapshots expired, and no file was removed.
            CommitStateUnknownError: The outcome is unknown. No file was removed.
            FloebergError: Those of every commit, as with `append`.
        """
        checked_bool("dry_run", dry_run)
        checked_bool("delete_files", delete_files)
        if progress is None:
            return self._expired(self._reporter, dry_run=dry_run, delete_files=delete_files)
        reporter = Reporter(progress)
        with reporter.ending():
            return self._expired(reporter, dry_run=dry_run, delete_files=delete_files)

    def _expired(self, reporter: Reporter, *, dry_run: bool, delete_files: bool) -> ExpireSnapshotsResult:
        has_rule = not self._wanted.keys().isdisjoint({"older-than-ms", "retain-last"})
        wanted = {
            "snapshot-ids": self._ids or [],
            "only-ids": self._ids is not None and not has_rule,
            "clean-expired-metadata": False,
            **self._wanted,
        }
        if delete_files:
            check_place(self._table())
            others = self._table_operations.other_metadata_locations()
            check_registered_once(
                self._table(),
                dict.fromkeys(others, "another name"),
                "with delete_files=False the snapshots expire, and the files stay",
            )
        operation = _native.Operation.expire_snapshots(json.dumps(wanted))
        if dry_run:
            before = self._table()
            after = _after(before, operation)
        else:
            reporter.tell("committing")
            before, after = self._committed(operation)
        if delete_files:
            reporter.tell("planning")
        files = self._unneeded(before, after) if delete_files else []
        kinds = {location: kind for kind, location in files}
        removed = None
        if not dry_run and files:
            removed = remove(list(kinds), after, reporter=reporter)
        gone = list(kinds) if removed is None else [each for each in kinds if each in removed.gone]
        counts = counts_by_role(kinds, gone)
        # Metadata files go with commits.
        del counts["deleted_metadata_files_count"]
        old, new = (json.loads(each.metadata_json()) for each in (before, after))
        left = {each["snapshot-id"] for each in new.get("snapshots", ())}
        return ExpireSnapshotsResult(
            snapshot_ids=tuple(
                each["snapshot-id"] for each in old.get("snapshots", ()) if each["snapshot-id"] not in left
            ),
            refs=tuple(sorted(set(old.get("refs", ())).difference(new.get("refs", ())))),
            deleted_files=tuple(gone),
            kept_files=() if removed is None else removed.kept,
            failed_files={} if removed is None else removed.failed,
            dry_run=dry_run,
            **counts,
        )

    def _committed(self, operation: _native.Operation) -> tuple[OpenedTable, OpenedTable]:
        """The table that the last attempt was made on, and the table as it is now."""
        bases: list[OpenedTable] = []
        done = commit(
            self._table_operations,
            operations=[operation],
            starting=self._table(),
            check=bases.append,
        )
        self._become(done.table)
        # Others may have committed since: what they need stays.
        current = self._table_operations.load(done.table)
        done.table.check_same_table(current)
        return (bases[-1] if bases else done.table), current


def _after(base: OpenedTable, operation: _native.Operation) -> OpenedTable:
    """The table after an operation that is not committed."""
    made = _native.Commit.begin(
        [operation],
        starting=base,
        storage_options=base.storage_options,
        snapshot_properties={},
        branch="main",
        commit_key="dry-run",
        validate_from_snapshot_ids=[],
        files_are_new=False,
        stage_only=False,
        leaves_record=False,
    )
    return made.attempt(base, None).table(base.metadata_location)
