"""Which attempts has a commit made, and what are their outcomes?

Invariant: files of an attempt are removed only where it certainly did not become part of the table.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.commit.result import Committed
from floeberg.errors import CommitStateUnknownError, FloebergError

if TYPE_CHECKING:
    from floeberg import _native
    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["Progress", "UntraceableError"]


@dataclass(frozen=True)
class _UnknownOutcome:
    """An attempt of unknown outcome, its metadata file, and that of its base."""

    attempt: _native.Attempt
    metadata_location: str
    base: str | None


class UntraceableError(CommitStateUnknownError):
    """An attempt of unknown outcome is not in the table, and may have been: the history after its base has expired."""

    def __init__(self, table: OpenedTable) -> None:
        super().__init__(
            "an attempt may be part of the table, and its snapshot may have expired since: the history up to the "
            "current snapshot is not whole. Look for the rows before you commit again",
            context={"metadata": table.metadata_location},
        )


@dataclass
class Progress:
    """The attempts so far."""

    table_operations: TableOperations
    commit: _native.Commit
    unknown: list[_UnknownOutcome] = field(default_factory=list)
    base: OpenedTable | None = None
    """The last table that was loaded."""
    prepared: str | None = None
    """The metadata file of the last table that an attempt was prepared for."""
    rebased: int = 0
    """How many attempts put rows that were found before on a newer base."""

    def find(self, current: OpenedTable) -> Committed | None:
        """The commit, where it is part of the table.

        Raises:
            InvalidInputError: Its key belongs to other operations.
        """
        own = self.commit.find_own(current)
        for each in self.unknown:
            # All attempts of a commit have the same snapshot id and the same uuid of a new table.
            is_it = (
                self.table_operations.includes(current, each.attempt, each.metadata_location)
                if own is None
                else _manifest_list(current.metadata_json(), own)
                == _manifest_list(each.attempt.metadata_json, own)
            )
            if is_it:
                return self.finished(each.attempt, current)
        if own is not None:
            return Committed(current, here=True, snapshot_id=own)
        earlier = self.commit.find_earlier(current)
        if earlier is None:
            return None
        # The files that were written here are not needed.
        self.abandon()
        return Committed(current, here=False, snapshot_id=earlier)

    def remember(self, attempt: _native.Attempt, location: str, base: OpenedTable | None) -> None:
        """Remembers an attempt of unknown outcome."""
        base_location = None if base is None else base.metadata_location
        self.unknown.append(_UnknownOutcome(attempt, location, base_location))

    def finished(self, attempt: _native.Attempt, table: OpenedTable) -> Committed:
        """Removes the files of other attempts. A file that stays harms nobody."""
        with suppress(FloebergError):
            self.commit.finished(attempt)
        return Committed(
            table,
            here=True,
            snapshot_id=attempt.snapshot_id,
            counts=attempt.counts,
            rebased=self.rebased,
            row_proof=attempt.row_proof,
        )

    def is_traceable(self, current: OpenedTable) -> bool:
        """Whether an attempt of unknown outcome that is not found is certainly not in the table.

        It may have been, where its snapshot has expired since. The history between its base and the current state must
        be whole.
        """
        return all(self._is_traceable(each, current) for each in self.unknown)

    def _is_traceable(self, each: _UnknownOutcome, current: OpenedTable) -> bool:
        own = each.attempt.snapshot_id
        if own is None or each.base is None or each.base == current.metadata_location:
            return True
        metadata = json.loads(current.metadata_json())
        log = {entry["metadata-file"] for entry in metadata.get("metadata-log", ())}
        if self.table_operations.writes_metadata and each.base in log:
            return True
        attempted = json.loads(each.attempt.metadata_json)
        parents = {entry["snapshot-id"]: entry.get("parent-snapshot-id") for entry in attempted["snapshots"]}
        made_on = parents.get(own)
        refs = attempted.get("refs", {})
        branch = next((name for name, ref in refs.items() if ref["snapshot-id"] == own), None)
        if branch is None:
            return True
        parents = {
            entry["snapshot-id"]: entry.get("parent-snapshot-id") for entry in metadata.get("snapshots", ())
        }
        at = metadata.get("refs", {}).get(branch, {}).get("snapshot-id")
        if at is None and branch == "main":
            at = metadata.get("current-snapshot-id")
        while at is not None and at != made_on and at in parents:
            at = parents[at]
        return bool(at == made_on)

    def abandon(self) -> None:
        """Removes the files of all attempts."""
        with suppress(FloebergError):
            self.commit.abandon()

    def forget_superseded(self, current: OpenedTable) -> None:
        """Forgets attempts that can never take effect any more."""
        is_superseded = self.table_operations.is_superseded
        self.unknown = [
            each
            for each in self.unknown
            if not is_superseded(current, each.attempt, each.base) or not self._is_traceable(each, current)
        ]


def _manifest_list(metadata_json: str, snapshot_id: int) -> str | None:
    """The name of the manifest list of a snapshot, which is another one in each attempt."""
    snapshots = json.loads(metadata_json).get("snapshots", ())
    found = (each.get("manifest-list", "") for each in snapshots if each["snapshot-id"] == snapshot_id)
    return next((each.rpartition("/")[2] for each in found), None)
