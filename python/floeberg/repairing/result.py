"""What did a repair do, and what did it not?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from floeberg.checking.finding import Finding

__all__ = ["LostFile", "RepairResult", "RowsProof", "rows_proof"]

LostContent = Literal["data", "position deletes", "equality deletes", "data manifest", "delete manifest"]


@dataclass(frozen=True)
class LostFile:
    """A file that is gone, and that the table does not name any more.

    Attributes:
        location: Where it was.
        content: `data`, `position deletes`, `equality deletes`, `data manifest` or `delete manifest`.
        files: The files that a manifest listed, by its manifest list; 1 for other files.
        lost_rows: The rows that are lost with it, by the manifest or the manifest list that named it. Rows that deletes
            had deleted count too.
        returned_rows: The most rows that come back, which it deleted; `None` where nobody knows.
    """

    location: str
    content: LostContent
    files: int
    lost_rows: int
    returned_rows: int | None


@dataclass(frozen=True)
class RowsProof:
    """What proves that a scan gives the same rows before and after a repair.

    A file that is read in the same way before and after has the same rows: its entry has the same size, count,
    partition and numbers, and the same deletes apply. The rows of all other files were read both ways. Those of files
    that were given up, and those that come back with deletes that were given up, are in `RepairResult.lost`.

    Attributes:
        files: The files whose rows were read both ways.
        rows_before: Their rows before.
        rows_after: Their rows after.
        checksum_before: The checksum of the rows before, in any order. It can be compared within one release.
        checksum_after: The checksum of the rows after.
        unread_files: Files with rows that no scan could read before.
        is_planned_before: Whether a scan of the table could be planned before. If not, it gave no rows.
    """

    files: int
    rows_before: int
    rows_after: int
    checksum_before: str
    checksum_after: str
    unread_files: int
    is_planned_before: bool

    @property
    def is_changed(self) -> bool:
        """Whether rows are others than before."""
        return (self.rows_before, self.checksum_before) != (self.rows_after, self.checksum_after)


def rows_proof(found: tuple[int, int, bool, tuple[int, str], tuple[int, str]]) -> RowsProof:
    """The proof, of what an attempt says."""
    files, unread, is_planned, (rows_before, before), (rows_after, after) = found
    return RowsProof(files, rows_before, rows_after, before, after, unread, is_planned)


@dataclass(frozen=True, repr=False)
class RepairResult(Result):
    """What a repair did about each finding.

    Attributes:
        repaired: The findings that are mended, each with what was done.
        skipped: The findings that are not mended, each with the reason.
        lost: The files that were given up, since they are gone.
        snapshot_id: The new snapshot; `None` where none was needed, and for a dry run.
        proof: What proves that rows stay; `None` where no manifest was written, and for a dry run.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    repaired: tuple[tuple[Finding, str], ...] = ()
    skipped: tuple[tuple[Finding, str], ...] = ()
    lost: tuple[LostFile, ...] = ()
    snapshot_id: int | None = None
    proof: RowsProof | None = None
    dry_run: bool = False

    @property
    def lost_rows(self) -> int:
        """The rows of the data files and data manifests that were given up."""
        return sum(each.lost_rows for each in self.lost)

    @property
    def returned_rows(self) -> int | None:
        """The most rows that come back, which the given up delete files deleted; `None` where nobody knows."""
        counts = [each.returned_rows for each in self.lost]
        return None if None in counts else sum(each for each in counts if each is not None)
