"""How does a task of Spark copy its part of a group of data files, or write their deletes again?

In: groups of tasks, pickled, or pieces of rows of a range. Out: receipts. Rows and deletes are read, sorted and written
in Rust.

Invariant: a part that fails leaves no file, and its error is its answer: what Spark says of an exception is only its
text. Files of a task that is killed or run again are in no table, and have other names than those of its next attempt.
"""

from __future__ import annotations

import pickle
import socket
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.errors import FloebergError
from floeberg.spark.session.environment import task_threads
from floeberg.spark.session.worker_pickle import Sent
from floeberg.spark.write.task_files import first_batch, task_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

__all__ = ["Answer", "CopyParts", "GatherRanges", "SampleKeys", "SpreadRows", "WriteDeletes"]

Answer: TypeAlias = "tuple[int, object | FloebergError]"
"""The number of a part, and what became of it."""

_PIECES_A_PART = 1 << 32


def _answer(number: int, work: Callable[[], object]) -> Answer:
    try:
        return number, work()
    except FloebergError as error:
        error.add_note(f"a task of Spark met this, on the host {socket.gethostname()!r}")
        return number, error


def _parts(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, _native.TaskGroup, Any]]:
    """The parts of a task: rows of a number, files and how they are written, both pickled."""
    for batch in batches:
        for number, files, recipe in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield number, pickle.loads(files), pickle.loads(recipe)  # noqa: S301 - made by the driver


@dataclass(frozen=True)
class CopyParts(Sent):
    """Copies the rows of parts."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[Answer]:
        """Receipts of the parts of a task."""
        task, partition = task_name()

        def copied(number: int, files: _native.TaskGroup, recipe: _native.WriteRecipe) -> _native.Receipt:
            name = f"{task}-{number}"
            return _native.copy_group(files, recipe, task=name, partition=partition, threads=task_threads())

        return [_answer(part[0], partial(copied, *part)) for part in _parts(batches)]


@dataclass(frozen=True)
class WriteDeletes(Sent):
    """Writes the deletes of parts again, as other delete files."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[Answer]:
        """Receipts of the parts of a task."""
        task, partition = task_name()

        def written(number: int, files: _native.TaskGroup, recipe: _native.DeleteRecipe) -> _native.Receipt:
            name = f"{task}-{number}"
            return recipe.write(files, task=name, partition=partition, threads=task_threads())

        return [_answer(part[0], partial(written, *part)) for part in _parts(batches)]


@dataclass(frozen=True)
class SampleKeys(Sent):
    """Reads keys of some rows of parts, by which they are sorted.

    Args:
        most: Keys of a part, at most.
    """

    most: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[Answer]:
        """Keys, and how many rows they stand for."""

        def sampled(files: _native.TaskGroup, recipe: _native.WriteRecipe) -> tuple[list[bytes], int]:
            return _native.sample_keys(files, recipe, most=self.most, threads=task_threads())

        return [_answer(number, partial(sampled, files, recipe)) for number, files, recipe in _parts(batches)]


@dataclass(frozen=True)
class SpreadRows(Sent):
    """Reads the rows of parts, as pieces of ranges.

    Args:
        ends: The first keys of the ranges after the first one.
    """

    ends: tuple[bytes, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pieces: `range`, `number` and `rows`."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        for number, files, recipe in _parts(batches):
            first = number * _PIECES_A_PART
            pieces = _native.spread_rows(files, recipe, list(self.ends), first=first, threads=task_threads())
            while (piece := pieces.next_batch()) is not None:
                yield pa.record_batch(cast("pa.RecordBatch", piece))


@dataclass(frozen=True)
class GatherRanges(Sent):
    """Writes the pieces of ranges, which come range by range.

    Args:
        recipe: How.
    """

    recipe: _native.WriteRecipe

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[Answer]:
        """The receipt of a task; none where it has no range."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        first = first_batch(batches)
        if first is None:
            return []
        task, partition = task_name()
        reader = pa.RecordBatchReader.from_batches(first.schema, chain((first,), batches))
        done = _answer(
            partition, lambda: _native.gather_rows(reader, self.recipe, task=task, partition=partition)
        )
        # Spark asks that all batches are taken, also after an error.
        for _ in batches:
            pass
        return [done]
