"""What are snapshots, branches and tags?

Frozen dataclasses, public in `floeberg.types`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from floeberg._display import facts_html, moment_shown, rows_html, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["History", "HistoryEntry", "Refs", "Snapshot", "SnapshotRef", "Snapshots", "Summary", "ancestors"]

_MOST_ROWS = 50
_REF_COLUMNS = ("type", "snapshot", "fewest snapshots kept", "oldest snapshot kept, in ms", "kept for, in ms")


class Summary(dict[str, str]):
    """The summary of a snapshot: counts of files and rows, and what the writer said, all as strings.

    Examples:
        >>> summary = table.current_snapshot().summary
        >>> summary.operation, summary["total-records"]
        ('append', '9')
    """

    @property
    def operation(self) -> str | None:
        """What the commit did: `append`, `replace`, `overwrite` or `delete`."""
        return self.get("operation")


@dataclass(frozen=True, repr=False)
class Snapshot:
    """A snapshot: the state of a table after a commit.

    Args:
        snapshot_id: The id.
        parent_snapshot_id: Its parent.
        sequence_number: The order of its commit; 0 in format version 1.
        timestamp_ms: Milliseconds from 1970-01-01 UTC.
        manifest_list: The location of its manifest list; old tables may list manifests in the metadata instead.
        summary: The summary of the commit, usually with the key `operation`.
        schema_id: The schema that was current; old tables do not record it.
        first_row_id: The first row id of its new rows (format version 3).
        added_rows: The number of row ids that it assigned (format version 3).
    """

    snapshot_id: int
    parent_snapshot_id: int | None
    sequence_number: int
    timestamp_ms: int
    manifest_list: str | None
    summary: Summary = field(hash=False)
    schema_id: int | None = None
    first_row_id: int | None = None
    added_rows: int | None = None

    @property
    def operation(self) -> str | None:
        """What the commit did: `append`, `replace`, `overwrite` or `delete`."""
        return self.summary.get("operation")

    def __str__(self) -> str:
        """The operation, and when."""
        what = shown(self.operation or "unknown operation")
        counted = (
            ("added-records", "+{} rows"),
            ("deleted-records", "-{} rows"),
            ("total-records", "{} rows in all"),
        )
        said = [text.format(shown(self.summary[key])) for key, text in counted if key in self.summary]
        return ", ".join([f"{what}: id={self.snapshot_id}", moment_shown(self.timestamp_ms), *said])

    def __repr__(self) -> str:
        return f"Snapshot({self})"

    def _repr_html_(self) -> str:
        facts = {
            "operation": self.operation,
            "committed at": moment_shown(self.timestamp_ms),
            "parent": self.parent_snapshot_id,
            "sequence number": self.sequence_number,
            "schema": self.schema_id,
        }
        summary = sorted((key, value) for key, value in self.summary.items() if key != "operation")
        return facts_html(f"Snapshot {self.snapshot_id}", facts, rows_html(("summary", ""), summary))


@dataclass(frozen=True, repr=False)
class HistoryEntry:
    """An entry of the snapshot log.

    Args:
        snapshot_id: The snapshot. It may have expired.
        timestamp_ms: When it became current: milliseconds from 1970-01-01 UTC.
        parent_id: Its parent; `None` if the snapshot has expired.
        is_current_ancestor: Whether it is the current snapshot or an ancestor of it. A rollback past the snapshot makes
            this false.
    """

    snapshot_id: int
    timestamp_ms: int
    parent_id: int | None
    is_current_ancestor: bool

    def __repr__(self) -> str:
        where = "" if self.is_current_ancestor else ", rolled back"
        return f"HistoryEntry({moment_shown(self.timestamp_ms)}: id={self.snapshot_id}, parent={self.parent_id}{where})"


@dataclass(frozen=True)
class SnapshotRef:
    """A branch or a tag.

    Args:
        snapshot_id: Its snapshot.
        snapshot_ref_type: `branch` or `tag`.
        min_snapshots_to_keep: For branches, the fewest snapshots that expiration keeps.
        max_snapshot_age_ms: For branches, the maximum age of snapshots that expiration keeps.
        max_ref_age_ms: The maximum age of the ref.
    """

    snapshot_id: int
    snapshot_ref_type: Literal["branch", "tag"]
    min_snapshots_to_keep: int | None = None
    max_snapshot_age_ms: int | None = None
    max_ref_age_ms: int | None = None

    def _repr_html_(self) -> str:
        return rows_html(_REF_COLUMNS, [self._cells()])

    def _cells(self) -> tuple[object, ...]:
        return (
            self.snapshot_ref_type,
            self.snapshot_id,
            self.min_snapshots_to_keep,
            self.max_snapshot_age_ms,
            self.max_ref_age_ms,
        )


class Snapshots(list[Snapshot]):
    """Snapshots of a table: a list that a notebook shows as a table. The newest is first there."""

    def _repr_html_(self) -> str:
        rows = [
            (
                each.snapshot_id,
                moment_shown(each.timestamp_ms),
                each.operation,
                each.summary.get("added-records"),
                each.summary.get("deleted-records"),
                each.summary.get("total-records"),
                each.parent_snapshot_id,
            )
            for each in self[: -_MOST_ROWS - 1 : -1]
        ]
        columns = ("snapshot", "committed at", "operation", "added rows", "deleted rows", "rows", "parent")
        left = _left_out(len(self) - len(rows), "older")
        return facts_html(
            _counted(len(self), "snapshot"), {}, rows_html(columns, rows, numbers=(3, 4, 5)), left
        )


class History(list[HistoryEntry]):
    """The log of snapshots that became current: a list that a notebook shows as a table. The newest is first there."""

    def _repr_html_(self) -> str:
        rows = [
            (
                moment_shown(each.timestamp_ms),
                each.snapshot_id,
                each.parent_id,
                None if each.is_current_ancestor else "rolled back",
            )
            for each in self[: -_MOST_ROWS - 1 : -1]
        ]
        left = _left_out(len(self) - len(rows), "older")
        table = rows_html(("current from", "snapshot", "parent", ""), rows)
        return facts_html(_counted(len(self), "entry", "entries"), {}, table, left)


class Refs(dict[str, SnapshotRef]):
    """Branches and tags by name: a dict that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = [(name, *each._cells()) for name, each in islice(self.items(), _MOST_ROWS)]  # noqa: SLF001 - their own
        left = _left_out(len(self) - len(rows), "more")
        return facts_html(_counted(len(self), "ref"), {}, rows_html(("name", *_REF_COLUMNS), rows), left)


def _counted(count: int, thing: str, things: str | None = None) -> str:
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def _left_out(count: int, which: str) -> str:
    return f"<p>{count:,} {which} are left out</p>" if count else ""


def ancestors(snapshots: Iterable[Snapshot], snapshot_id: int | None) -> list[Snapshot]:
    """A snapshot and those before it that have not expired, newest first."""
    known: dict[int | None, Snapshot] = {each.snapshot_id: each for each in snapshots}
    found: list[Snapshot] = []
    # What is taken out is not found again: a chain that is damaged ends where it repeats.
    while (each := known.pop(snapshot_id, None)) is not None:
        found.append(each)
        snapshot_id = each.parent_snapshot_id
    return found
