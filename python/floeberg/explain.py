"""What did planning look at, what did it drop, and by what?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Answer", "Dropped", "Explain", "Stage"]


@dataclass(frozen=True)
class Dropped:
    """What dropped some manifests or files.

    Args:
        by: The test of the filter, or what counts say.
        reason: Why: `partition value`, `bounds`, `null count` and such.
        count: How many.
    """

    by: str
    reason: str
    count: int


@dataclass(frozen=True)
class Stage:
    """One step of planning. What entered is what was dropped and what was kept.

    Args:
        name: What was looked at.
        entered: How many came in.
        dropped: What dropped some.
        kept: How many are left.
    """

    name: str
    entered: int
    dropped: tuple[Dropped, ...]
    kept: int


@dataclass(frozen=True)
class Answer:
    """A count, a minimum or a maximum, and how it was found.

    Every data file of the plan was answered by its metadata, not needed, or read.

    Args:
        of: What was asked: `count`, `min(v)`, `max(v)`.
        value: The answer.
        files: Data files of the plan.
        by_metadata: Files that their counts and bounds answered for.
        not_needed: Files that could not change the answer.
        read: Why others had to be read, and how many: `filter`, `bounds`, `equality deletes` and such.

    Examples:
        >>> table.scan(row_filter="id > 3").explain(count=True).answers[0].read
        (('filter', 2),)
    """

    of: str
    value: Any
    files: int
    by_metadata: int
    not_needed: int
    read: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        """The answer as a line of text."""
        reasons = ", ".join(f"{count:,} for {why}" for why, count in self.read) or "none"
        return (
            f"{self.of} = {self.value}: of {self.files:,} data files {self.by_metadata:,} by metadata, "
            f"{self.not_needed:,} not needed, read {reasons}"
        )


@dataclass(frozen=True)
class Explain:
    """The account of a plan.

    Args:
        snapshot_id: The snapshot that was planned; `None` for a table without one.
        filter: The filter, as bound to the schema.
        stages: What happened, in order.
        position_deletes: Position delete files that apply to a file of the plan.
        equality_deletes: Equality delete files that do.
        deletion_vectors: Deletion vectors that do.
        data_files: Data files to read.
        records: Rows in them, before deletes and filter.
        size_in_bytes: Bytes in them.
        answers: What `Scan.explain` was asked to answer.

    Examples:
        >>> explain = table.scan(row_filter="id > 3").explain()
        >>> explain.stages[-1].dropped
        (Dropped(by='id > 3', reason='bounds', count=1),)
    """

    snapshot_id: int | None
    filter: str
    stages: tuple[Stage, ...]
    position_deletes: int
    equality_deletes: int
    deletion_vectors: int
    data_files: int
    records: int
    size_in_bytes: int
    answers: tuple[Answer, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The account as plain dicts, lists and scalars, for programs."""
        return asdict(self)

    def __str__(self) -> str:
        """The account as text, for people."""
        lines = [f"snapshot {self.snapshot_id}", f"filter   {self.filter}"]
        width = max((len(stage.name) for stage in self.stages), default=0)
        for stage in self.stages:
            lines.append(f"{stage.name:<{width}}  {stage.entered:>9,} -> {stage.kept:,}")
            lines.extend(f"  - {each.count:,} by {each.reason}: {each.by}" for each in stage.dropped)
        deletes = {
            "position deletes": self.position_deletes,
            "equality deletes": self.equality_deletes,
            "deletion vectors": self.deletion_vectors,
        }
        applied = ", ".join(f"{count:,} {name}" for name, count in deletes.items() if count) or "no deletes"
        lines.append(
            f"to read: {self.data_files:,} data files, {self.records:,} rows, {self.size_in_bytes:,} bytes; {applied}"
        )
        lines.extend(map(str, self.answers))
        return "\n".join(lines)
