"""When is a function of the user told how far an operation is?

In: numbers of the binary. Out: calls of the function, a few a second, on the thread that called the operation.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from floeberg.commit.progress_cell import ProgressCell, is_notebook
from floeberg.commit.progress_line import ProgressLine
from floeberg.commit.progress_report import ProgressReport
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from floeberg.commit.progress_report import ProgressCallback

__all__ = ["Reporter"]

_PAUSE = 0.1
"""Seconds between two calls, at least."""


def _shown() -> ProgressLine | ProgressCell:
    """What shows reports where nobody gave a function."""
    return ProgressCell() if is_notebook() else ProgressLine()


class Reporter:
    """Calls a function with reports, not too often."""

    def __init__(self, progress: ProgressCallback | bool | None) -> None:  # noqa: FBT001 - as users pass it
        """Without a function nothing is reported. `True` is a line on stderr.

        Raises:
            InvalidInputError: It is neither a function nor a bool.
        """
        self._line = _shown() if progress is True else None
        callback = self._line if isinstance(progress, bool) else progress
        if callback is not None and not callable(callback):
            raise InvalidInputError(
                f"progress: expected a function, or True for a line on stderr, found an object of type "
                f"{type(callback).__name__}"
            )
        self._callback = callback
        self._begun = monotonic()
        self._next = self._begun
        self._files = self._rows = 0
        """What earlier writes of the operation wrote."""

    @property
    def native(self) -> Callable[[str, int, int, int], object] | None:
        """What the binary calls, at its own rate."""
        return None if self._callback is None else self._report

    @property
    def writing(self) -> Callable[[int, int], object] | None:
        """What the binary calls with the files and rows of a write, at its own rate."""
        return None if self._callback is None else self._written

    def wrote(self, files: int, rows: int) -> None:
        """Sets how much was written so far, in all."""
        self._files, self._rows = files, rows

    def counted(self, reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """The same rows, which nobody writes, reported as they are taken."""
        if self._callback is None:
            return reader
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.RecordBatchReader.from_batches(reader.schema, self._taken(reader))

    def committing(self, counts: Mapping[str, int]) -> None:
        """Reports what an attempt of the commit is to do, in all.

        Args:
            counts: What it deletes and writes again, as in `CommitResult`.
        """
        changed = ("deleted_files", "rewritten_files", "files_with_new_deletes")
        files = self._files or sum(counts.get(name, 0) for name in changed)
        self._call("committing", files, 0, self._rows or counts.get("deleted_rows", 0))

    def end(self) -> None:
        """The operation was done."""
        if self._line is not None:
            self._line.end()

    def stop(self) -> None:
        """The operation failed."""
        if self._line is not None:
            self._line.stop()

    def _taken(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in reader:
            yield batch
            rows += batch.num_rows
            if monotonic() >= self._next:
                self._written(0, rows)
        self._written(0, rows)

    def _written(self, files: int, rows: int) -> None:
        self._call("writing", self._files + files, 0, self._rows + rows)

    def _report(self, step: str, files: int, of_files: int, rows: int) -> None:
        if step == "committing":
            files, rows = self._files, self._rows
        self._call(step, files, of_files, rows)

    def _call(self, step: str, files: int, of_files: int, rows: int) -> None:
        if self._callback is not None:
            self._callback(ProgressReport(step, files, of_files, rows, monotonic() - self._begun))
            self._next = monotonic() + _PAUSE
