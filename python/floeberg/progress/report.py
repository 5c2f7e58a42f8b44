"""What does a progress report say of a long operation?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ProgressCallback", "ProgressReport"]


@dataclass(frozen=True)
class ProgressReport:
    """How far a long operation is.

    Args:
        step: What it does now: `writing` new rows; `planning`; `reading` data files; `changing` them, by copies or
            delete files; `checking` or `comparing` tables; `removing` files; `committing`. A retry begins with
            `planning` again.
        files: The data files of the step that are done with. Of `committing`, those that the operation wrote; if it
            wrote none, those that it changed or removed.
        of_files: All data files of the step; 0 where their number is not known.
        rows: The rows of the step so far: written, found or copied ones. Of `committing`, those that the operation
            wrote; if it wrote none, those that it deleted.
        seconds: The time since the operation began.
        of_rows: The most rows that the step can have; 0 where their number is not known. A filter or deletes may leave
            fewer.
        bytes: The bytes of files, as they are stored, that the step is done with.
        of_bytes: All bytes of the files of the step; 0 where they are not known.
        step_seconds: The time since the step began.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
        >>> reports = []
        >>> _ = orders.delete("id = 2", progress=reports.append)
        >>> reports[-1].step, reports[-1].rows
        ('committing', 1)
        >>> _ = orders.scan().to_arrow(progress=reports.append)
        >>> last = reports[-1]
        >>> last.step, last.files == last.of_files, last.share, last.remaining_seconds
        ('reading', True, 1.0, 0.0)
    """

    step: str
    files: int
    of_files: int
    rows: int
    seconds: float
    of_rows: int = 0
    bytes: int = 0
    of_bytes: int = 0
    step_seconds: float = 0.0

    @property
    def share(self) -> float | None:
        """The part of the step that is done, from 0 to 1: by bytes, else by files, else by rows.

        `None` where nothing says how much there is.
        """
        for done, of_all in (
            (self.bytes, self.of_bytes),
            (self.files, self.of_files),
            (self.rows, self.of_rows),
        ):
            if of_all:
                return min(done / of_all, 1.0)
        return None

    @property
    def remaining_seconds(self) -> float | None:
        """The time until the step ends, if the rest takes as long as what is done. `None` before anything is done."""
        share = self.share
        return self.step_seconds * (1 - share) / share if share else None


ProgressCallback = Callable[[ProgressReport], object]
"""A function that is called with reports, on the thread that called the operation.

What it raises cancels the operation, which then leaves nothing over.
"""
