"""In which files are the changes of a range of snapshots found?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from floeberg._display import bytes_shown, facts_html

if TYPE_CHECKING:
    from floeberg.scan.analysis import RowsAnalysis

__all__ = ["ChangelogExplain"]


@dataclass(frozen=True, repr=False)
class ChangelogExplain:
    """What a changelog scan reads.

    Args:
        from_snapshot_id_exclusive: The snapshot after which changes are read; `None` where it is from the first on.
        to_snapshot_id_inclusive: The last snapshot whose changes are read; `None` for an empty table.
        is_net: Whether only the changes between the two ends are read.
        snapshots: The snapshots whose changes are read. Of net changes there is one.
        inserted_files: Files with rows that came.
        deleted_files: Files with rows that left.
        compared_files: Those of all these that have to be read to know which of their rows changed.
        records: The rows of the files.
        size_in_bytes: Their bytes.
        analysis: What reading the changes took, with `analyze`.
    """

    from_snapshot_id_exclusive: int | None
    to_snapshot_id_inclusive: int | None
    is_net: bool
    snapshots: int
    inserted_files: int
    deleted_files: int
    compared_files: int
    records: int
    size_in_bytes: int
    analysis: RowsAnalysis | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as dicts, lists and scalars, for programs."""
        return asdict(self)

    def __str__(self) -> str:
        """The result as text, for people."""
        start = self.from_snapshot_id_exclusive
        changes = "net, between both" if self.is_net else f"of {self.snapshots:,} snapshots"
        files = f"{self.inserted_files:,} files with inserted rows, {self.deleted_files:,} with deleted rows"
        lines = [
            f"from     {'the first snapshot on' if start is None else f'after snapshot {start}'}",
            f"to       snapshot {self.to_snapshot_id_inclusive}",
            f"changes  {changes}",
            f"to read: {files}, {self.records:,} rows, {self.size_in_bytes:,} bytes",
            f"  {self.compared_files:,} of them have to be read to know which rows changed",
        ]
        if self.analysis is not None:
            lines.append(str(self.analysis))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        facts = {
            "after": self.from_snapshot_id_exclusive,
            "to": self.to_snapshot_id_inclusive,
            "changes": "net" if self.is_net else f"of {self.snapshots:,} snapshots",
            "to read": f"{self.inserted_files:,} files with inserted rows, {self.deleted_files:,} with deleted rows, "
            f"{self.records:,} rows, {bytes_shown(self.size_in_bytes)}",
            "to compare": f"{self.compared_files:,} files",
            "analysis": None if self.analysis is None else str(self.analysis).replace("\n", "; "),
        }
        return facts_html("ChangelogExplain", facts)
