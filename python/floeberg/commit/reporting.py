"""How far is a long operation?

In: numbers of the binary, and rows as they are taken. Out: calls of the user's function, a few a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

__all__ = ["ProgressCallback", "ProgressReport", "Reporter"]

_PAUSE = 0.1
"""Seconds between two calls, at least."""


@dataclass(frozen=True)
class ProgressReport:
    """How far a long operation is.

    Args:
        step: What it does now: `writing` new rows; `planning`; `reading` data files, to find rows; `changing` them, by
            copies or delete files; `committing`. A retry begins with `planning` again.
        files: The data files of the step that are done with.
        of_files: All data files of the step; 0 where their number is not known.
        rows: The rows of the step so far: written, found or copied ones.
        seconds: The time since the operation began.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
        >>> reports = []
        >>> _ = orders.delete("id = 2", progress=reports.append)
        >>> reports[-1].step
        'committing'
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


class Reporter:
    """Calls a function with reports, not too often."""

    def __init__(self, callback: ProgressCallback | None) -> None:
        """Without a function nothing is reported."""
        if callback is not None and not callable(callback):
            raise InvalidInputError(
                f"progress: expected a function, found an object of type {type(callback).__name__}"
            )
        self._callback = callback
        self._begun = monotonic()
        self._next = self._begun

    @property
    def native(self) -> Callable[[str, int, int, int], object] | None:
        """What the binary calls, at its own rate."""
        return None if self._callback is None else self._report

    def counted(self, reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """The same rows, reported as they are taken."""
        if self._callback is None:
            return reader
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.RecordBatchReader.from_batches(reader.schema, self._taken(reader))

    def _taken(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in reader:
            yield batch
            rows += batch.num_rows
            if monotonic() >= self._next:
                self._report("writing", 0, 0, rows)
        self._report("writing", 0, 0, rows)

    def _report(self, step: str, files: int, of_files: int, rows: int) -> None:
        if self._callback is not None:
            self._callback(ProgressReport(step, files, of_files, rows, monotonic() - self._begun))
            self._next = monotonic() + _PAUSE
