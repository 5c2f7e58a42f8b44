"""How does an operation of maintenance become a snapshot, and what does the snapshot say of it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from floeberg import _native
from floeberg.commit.loop import commit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from floeberg.commit.attempts import Preparation
    from floeberg.maintenance._base import MaintainedTable

__all__ = ["OneSnapshot", "commit_snapshot", "count_replaced", "split_groups"]

Group = TypeVar("Group")


@dataclass(frozen=True)
class OneSnapshot:
    """What one commit did.

    Attributes:
        snapshot_id: The snapshot; `None` if there was nothing to do.
        counts: The counts of the commit, by their names.
        summary: The summary of the snapshot.
    """

    snapshot_id: int | None
    counts: Mapping[str, int]
    summary: Mapping[str, str]

    def number(self, name: str) -> int:
        """A number of the summary; 0 where it does not have it."""
        return int(self.summary.get(name, 0))


def commit_snapshot(
    maintained: MaintainedTable,
    operation: _native.Operation,
    *,
    branch: str,
    snapshot_properties: Mapping[str, str],
    prepare: Preparation | None = None,
) -> OneSnapshot:
    """Commits an operation. `prepare` is as in `commit`.

    Raises:
        FloebergError: Those of every commit, as with `Table.append`.
    """
    done = commit(
        maintained._operations,  # noqa: SLF001 - the room's own
        operations=[operation],
        starting=maintained._table(),  # noqa: SLF001 - the room's own
        snapshot_properties=snapshot_properties,
        branch=branch,
        files_are_new=True,
        report=maintained._reporter.native,  # noqa: SLF001 - the room's own
        report_whole=maintained._reporter.committing,  # noqa: SLF001 - the room's own
        prepare=prepare,
    )
    maintained._become(done.table)  # noqa: SLF001 - the room's own
    snapshots = maintained._metadata()["snapshots"]  # noqa: SLF001 - the room's own
    snapshot = next((each for each in snapshots if each["snapshot-id"] == done.snapshot_id), None)
    if snapshot is None:
        return OneSnapshot(None, done.counts, {})
    return OneSnapshot(done.snapshot_id, done.counts, snapshot.get("summary", {}))


def count_replaced(
    maintained: MaintainedTable, operation: _native.Operation, *, branch: str
) -> tuple[int, int]:
    """How many files an operation would replace or remove, and their bytes. Nothing is written."""
    table = maintained._table()  # noqa: SLF001 - the room's own
    begun = _native.Commit.begin(
        [operation],
        starting=table,
        storage_options=dict(maintained._operations.storage_options),  # noqa: SLF001 - the room's own
        snapshot_properties={},
        branch=branch,
        commit_key="dry-run",
    )
    return begun.count_replaced(table)


def split_groups(groups: Sequence[Group], most_commits: int) -> Iterator[Sequence[Group]]:
    """The groups of each commit."""
    each = max(1, -(-len(groups) // most_commits))
    for first in range(0, len(groups), each):
        yield groups[first : first + each]
