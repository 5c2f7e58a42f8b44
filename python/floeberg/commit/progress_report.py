"""What does a progress report say of a long operation?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ProgressCallback", "ProgressReport"]


@dataclass(frozen=True)
class ProgressReport:
    """How far a long operation is.

    Args:
        step: What it does now: `writing` new rows; `planning`; `reading` data files, to find rows; `changing` them, by
            copies or delete files; `committing`. A retry begins with `planning` again.
        files: The data files of the step that are done with. Of `committing`, those that the operation wrote; if it
            wrote none, those that it changed or removed.
        of_files: All data files of the step; 0 where their number is not known.
        rows: The rows of the step so far: written, found or copied ones. Of `committing`, those that the operation
            wrote; if it wrote none, those that it deleted.
        seconds: The time since the operation began.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
        >>> reports = []
        >>> _ = orders.delete("id = 2", progress=reports.append)
        >>> reports[-1].step, reports[-1].rows
        ('committing', 1)
    """

    step: str
    files: int
    of_files: int
    rows: int
    seconds: float


ProgressCallback = Callable[[ProgressReport], object]
"""A function that is called with reports, on the thread that called the operation.

What it raises cancels the operation, which then leaves nothing over.
"""
