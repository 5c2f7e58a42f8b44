"""When is a function of the user told how far an operation is?

In: numbers of the binary, of plans and of streams. Out: calls of the function, a few a second, on the thread that
called the operation.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.progress.cell import ProgressCell, is_notebook
from floeberg.progress.line import ProgressLine
from floeberg.progress.report import ProgressReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from floeberg.progress.report import ProgressCallback

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
        self._step, self._step_begun, self._last = "", self._begun, self._begun
        self._files = self._rows = 0
        """What earlier writes of the operation wrote."""
        self._expected = 0
        """The rows that the operation is to write, with those of earlier writes; 0 where nobody knows."""

    @property
    def is_silent(self) -> bool:
        """Whether nobody listens."""
        return self._callback is None

    @property
    def is_due(self) -> bool:
        """Whether the last call is long enough ago."""
        return self._callback is not None and monotonic() >= self._next

    def expect(self, rows: int | None) -> None:
        """Says how many rows the next write has, where that is known."""
        self._expected = 0 if rows is None else self._rows + rows

    def tell(  # noqa: PLR0913 - the numbers of a report
        self,
        step: str,
        *,
        files: int = 0,
        of_files: int = 0,
        rows: int = 0,
        of_rows: int = 0,
        size: int = 0,
        of_size: int = 0,
    ) -> None:
        """Calls the function, at the rate of the caller. `size` and `of_size` are bytes."""
        self._call(step, files, of_files, rows, (of_rows, size, of_size))

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

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Ends with the block; stops where the block raises."""
        try:
            yield
        except BaseException:
            self.stop()
            raise
        self.end()

    def _taken(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in reader:
            yield batch
            rows += batch.num_rows
            if self.is_due:
                self._written(0, rows)
        self._written(0, rows)

    def _written(self, files: int, rows: int) -> None:
        self._call("writing", self._files + files, 0, self._rows + rows, (self._expected, 0, 0))

    def _report(self, step: str, files: int, of_files: int, rows: int) -> None:
        if step == "committing":
            files, rows = self._files, self._rows
        self._call(step, files, of_files, rows)

    def _call(
        self, step: str, files: int, of_files: int, rows: int, more: tuple[int, int, int] = (0, 0, 0)
    ) -> None:
        """Calls the function; `more` is all rows, and the bytes that are done and all bytes."""
        if self._callback is not None:
            now = monotonic()
            if step != self._step:
                # The work before its first report is its own.
                self._step, self._step_begun = step, self._last
            seconds, step_seconds = now - self._begun, now - self._step_begun
            self._callback(ProgressReport(step, files, of_files, rows, seconds, *more, step_seconds))
            self._last = now
            self._next = monotonic() + _PAUSE
