"""How is a read reported while its batches are taken?

In: a stream of batches, or the parts of a plan in its order. Out: the same batches, and calls of a `Reporter`.

A part is done with when its last batch was taken: files and bytes count then, rows at once. Nothing looks at rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from floeberg import _native
    from floeberg.progress.reporting import Reporter
    from floeberg.scan.batch_stream import BatchStream

__all__ = [
    "MOST_PARTS",
    "InTurn",
    "Part",
    "ReportedParts",
    "Whole",
    "parts_of_plan",
    "reported_batches",
    "rows_of",
]

MOST_PARTS = 64
"""The parts that a plan is read in: enough for a bar, and few enough to keep all cores at work."""


@dataclass(frozen=True)
class Whole:
    """All that a read can have; 0 where it is not known.

    Attributes:
        files: The data files.
        rows: The most rows.
        bytes: The bytes of the files, or of the parts of them.
    """

    files: int = 0
    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Part:
    """A part of a read.

    Attributes:
        opening: Begins to read it.
        files: The files that are done with when it ends, from the first part on.
        bytes: The same, in bytes.
    """

    opening: Callable[[], BatchStream]
    files: int
    bytes: int


class ReportedParts:
    """The batches of parts, one part after the other, reported under the name of a step."""

    def __init__(
        self, reporter: Reporter, begin: Callable[[], tuple[Whole, Iterable[Part]]], step: str = "reading"
    ) -> None:
        """Nothing is planned before the first batch is taken.

        Args:
            reporter: What is called.
            begin: Plans the read.
            step: The name of the step.
        """
        self._reporter, self._begin, self._step = reporter, begin, step
        self._whole: Whole | None = None
        self._parts: Iterator[Part] = iter(())
        self._part: tuple[Part, BatchStream] | None = None
        self._files = self._bytes = self._rows = 0

    def next_batch(self) -> _native.Batch | pa.RecordBatch | None:
        """The next batch; `None` after the last one."""
        if self._whole is None:
            self._reporter.tell("planning")
            self._whole, parts = self._begin()
            self._parts = iter(parts)
            self._tell()
        while (part := self._current()) is not None:
            batch = part[1].next_batch()
            if batch is not None:
                found = rows_of(batch)
                self._rows += found.num_rows
                if self._reporter.is_due:
                    self._tell()
                return found
            self._files, self._bytes, self._part = part[0].files, part[0].bytes, None
            if self._reporter.is_due:
                self._tell()
        self._tell()
        return None

    def _current(self) -> tuple[Part, BatchStream] | None:
        if self._part is None and (following := next(self._parts, None)) is not None:
            self._part = following, following.opening()
        return self._part

    def _tell(self) -> None:
        whole = self._whole or Whole()
        self._reporter.tell(
            self._step,
            files=self._files,
            of_files=whole.files,
            rows=self._rows,
            of_rows=whole.rows,
            size=self._bytes,
            of_size=whole.bytes,
        )


class InTurn:
    """The batches of several streams, one stream after the other."""

    def __init__(self, openings: Iterable[Callable[[], BatchStream]]) -> None:
        """Opens a stream when the one before has ended."""
        self._openings = iter(openings)
        self._stream: BatchStream | None = None

    def next_batch(self) -> _native.Batch | pa.RecordBatch | None:
        """The next batch; `None` after the last one."""
        while True:
            if self._stream is None:
                opening = next(self._openings, None)
                if opening is None:
                    return None
                self._stream = opening()
            batch = self._stream.next_batch()
            if batch is not None:
                return batch
            self._stream = None


def parts_of_plan(plan: _native.Plan) -> tuple[Whole, list[Part]]:
    """The groups of a plan, in its order, as parts. A large file is in several: it is done with in the last of them."""
    groups = plan.split(most_groups=MOST_PARTS)
    parts: list[Part] = []
    files = size = 0
    for number, group in enumerate(groups):
        following = groups[number + 1] if number + 1 < len(groups) else None
        files, size = files + len(group), size + group.extent()[0]
        # The file that the next group goes on with is counted there.
        files -= following is not None and _path(group, len(group) - 1) == _path(following, 0)
        parts.append(Part(group.stream, files, size))
    return Whole(files, plan.explain()["records"], size), parts


def reported_batches(batches: Iterable[pa.RecordBatch], reporter: Reporter) -> Iterator[pa.RecordBatch]:
    """Batches, after whose last one the reporter ends, and which stop it where they fail or are left."""
    # A reader that is dropped stops, too.
    with reporter.ending():
        yield from batches


def rows_of(batch: _native.Batch | pa.RecordBatch) -> pa.RecordBatch:
    """A batch as pyarrow has it."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return batch if isinstance(batch, pa.RecordBatch) else pa.record_batch(cast("Any", batch))


def _path(group: _native.TaskGroup, number: int) -> object:
    return group.task(number)[0]["file_path"]
