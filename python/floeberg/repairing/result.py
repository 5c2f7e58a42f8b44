"""What did a repair do, and what did it not?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from floeberg.checking.finding import Finding

__all__ = ["LostFile", "RepairResult"]

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


@dataclass(frozen=True, repr=False)
class RepairResult(Result):
    """What a repair did about each finding.

    Attributes:
        repaired: The findings that are mended, each with what was done.
        skipped: The findings that are not mended, each with the reason.
        lost: The files that were given up, since they are gone.
        snapshot_id: The new snapshot; `None` where none was needed, and for a dry run.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    repaired: tuple[tuple[Finding, str], ...] = ()
    skipped: tuple[tuple[Finding, str], ...] = ()
    lost: tuple[LostFile, ...] = ()
    snapshot_id: int | None = None
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
