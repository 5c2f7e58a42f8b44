"""Which snapshots, branches and tags does a table have?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._arguments import checked_bool, checked_int, checked_text
from floeberg._timestamps import moment_of
from floeberg.table._base import TableBase
from floeberg.types import HistoryEntry
from floeberg.types._from_json import read_ref, read_snapshot

if TYPE_CHECKING:
    from datetime import datetime

    from floeberg.types import Snapshot, SnapshotRef

__all__ = ["TableSnapshots", "TableVersion"]


@dataclass(frozen=True)
class TableVersion:
    """A state of a table.

    Attributes:
        version: The id of its snapshot.
        timestamp: When it was committed, in UTC.
        operation: The operation of the snapshot.
    """

    version: int
    timestamp: datetime | None
    operation: str | None


class TableSnapshots(TableBase):
    """The methods of `floeberg.Table` that give snapshots, branches and tags."""

    def snapshots(self) -> list[Snapshot]:
        """All snapshots that have not expired, in the order of the metadata.

        Examples:
            >>> [snapshot.operation for snapshot in table.snapshots()]
            ['append', 'append', 'append', 'append', 'overwrite']
        """
        return list(map(read_snapshot, self._metadata()["snapshots"]))

    def versions(self) -> list[TableVersion]:
        """The states of the table that lead to the current one, oldest first: the ancestors of its snapshot.

        Tables of all formats have them. `snapshots` tells more, and also names those that are no ancestors.

        Examples:
            >>> [each.version for each in table.versions()][-1] == table.current_snapshot().snapshot_id
            True
        """
        known: dict[int | None, Snapshot] = {each.snapshot_id: each for each in self.snapshots()}
        found: list[TableVersion] = []
        # What is taken out is not found again: a chain that is damaged ends where it repeats.
        snapshot = known.pop(self._snapshot_id(), None)
        while snapshot is not None:
            moment = moment_of(snapshot.timestamp_ms * 1000)
            found.append(TableVersion(snapshot.snapshot_id, moment, snapshot.operation))
            snapshot = known.pop(snapshot.parent_snapshot_id, None)
        return found[::-1]

    def snapshot_by_id(self, snapshot_id: int) -> Snapshot | None:
        """The snapshot with an id, or `None`.

        Raises:
            InvalidInputError: The id is not a 64-bit integer.

        Examples:
            >>> table.snapshot_by_id(12) is None
            True
        """
        wanted = checked_int("snapshot_id", snapshot_id)
        return next((each for each in self.snapshots() if each.snapshot_id == wanted), None)

    def snapshot_by_name(self, name: str) -> Snapshot | None:
        """The snapshot of a branch or tag, or `None`.

        Examples:
            >>> table.snapshot_by_name("main") == table.current_snapshot(), table.snapshot_by_name("gone")
            (True, None)
        """
        ref = self.refs().get(checked_text("name", name))
        return None if ref is None else self.snapshot_by_id(ref.snapshot_id)

    def snapshot_as_of_timestamp(self, timestamp_ms: int, inclusive: bool = True) -> Snapshot | None:  # noqa: FBT001, FBT002 - PyIceberg's order
        """The snapshot that was current at a time, or `None` if the table had none.

        Args:
            timestamp_ms: The time: milliseconds from 1970-01-01 UTC.
            inclusive: Whether a snapshot of exactly this millisecond counts.

        Returns:
            The snapshot.

        Examples:
            >>> entry = table.history()[0]
            >>> table.snapshot_as_of_timestamp(entry.timestamp_ms).snapshot_id == entry.snapshot_id
            True
            >>> table.snapshot_as_of_timestamp(entry.timestamp_ms, inclusive=False) is None
            True
        """
        latest = checked_int("timestamp_ms", timestamp_ms) - (not checked_bool("inclusive", inclusive))
        before = [entry for entry in self.history() if entry.timestamp_ms <= latest]
        return self.snapshot_by_id(before[-1].snapshot_id) if before else None

    def current_snapshot(self) -> Snapshot | None:
        """The snapshot that is read: the current one, or the one that the table was opened at.

        With the `wap.branch` of a catalog it is the newest one of that branch, as for scans and writes. That of `main`
        is `snapshot_by_name("main")`.

        Returns:
            The snapshot, or `None` for an empty table.

        Examples:
            >>> table.current_snapshot().summary["total-records"]
            '9'
        """
        current = self._snapshot_id()
        return None if current is None else self.snapshot_by_id(current)

    def history(self) -> list[HistoryEntry]:
        """The log of snapshots that became current, oldest first.

        A `wap.branch` has no log: its snapshots that have not expired stand in the place of the log.

        Examples:
            >>> [entry.is_current_ancestor for entry in table.history()]
            [True, True, True]
        """
        return [HistoryEntry(*entry) for entry in self._inner.history(self._wap_branch())]

    def refs(self) -> dict[str, SnapshotRef]:
        """Branches and tags by name. `main` exists if the table has a current snapshot.

        Examples:
            >>> sorted((name, ref.snapshot_ref_type) for name, ref in table.refs().items())
            [('dev', 'branch'), ('first', 'tag'), ('main', 'branch')]
        """
        return {name: read_ref(each) for name, each in self._metadata()["refs"].items()}
