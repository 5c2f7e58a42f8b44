"""How does a task of Spark find rows that differ between two snapshots?

In: files that differ, as bytes, or pieces of their rows. Out: rows of the difference, or how many there are. Rows are
read, hashed and matched in Rust.

Invariant: a task writes nothing but temporary files without a name, which are gone with its process.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.spark.session.environment import task_threads
from floeberg.spark.session.worker_pickle import Sent
from floeberg.spark.write.task_files import first_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.scan.batch_stream import BatchStream

__all__ = ["CountChanges", "CountMatched", "Counts", "GiveChanges", "GiveMatched", "SpreadChanges"]

Counts: TypeAlias = "tuple[int, int, int, dict[str, int]]"
"""Rows that were inserted, deleted and updated, and in how many updates each column changed."""

_ENGINE = "spark-truncate-ns"


def _tasks(batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    for batch in batches:
        yield from batch.column("task").to_pylist()


def _given(stream: BatchStream, *, packed: bool) -> Iterator[pa.RecordBatch]:
    """Batches of a stream, or a row with the bytes of each."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    while (batch := stream.next_batch()) is not None:
        rows = pa.record_batch(cast("Any", batch))
        if not packed:
            yield rows
            continue
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_batch(rows)
        yield pa.record_batch({"rows": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def _pieces(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader | None:
    import pyarrow as pa  # noqa: PLC0415 - the same

    first = first_batch(batches)
    if first is None:
        return None
    return pa.RecordBatchReader.from_batches(first.schema, chain((first,), batches))


@dataclass(frozen=True)
class GiveChanges(Sent):
    """Gives the rows of tasks that are not matched with others.

    Args:
        packed: Whether they are bytes in Arrow's format, with the types of the table; else they have Spark's types.
    """

    packed: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows of the difference."""
        engine = None if self.packed else _ENGINE
        for task in _tasks(batches):
            rows = _native.changes_of_task(task, engine=engine, threads=task_threads())
            yield from _given(rows, packed=self.packed)


@dataclass(frozen=True)
class CountChanges(Sent):
    """Counts the rows of tasks that are not matched with others."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[Counts]:
        """The counts of each."""
        return [_native.counts_of_task(task, threads=task_threads()) for task in _tasks(batches)]


@dataclass(frozen=True)
class SpreadChanges(Sent):
    """Reads the rows of tasks, as pieces of buckets.

    Args:
        buckets: How many buckets there are.
    """

    buckets: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pieces: `bucket`, `side` and `rows`."""
        for task in _tasks(batches):
            pieces = _native.spread_changes(task, buckets=self.buckets, threads=task_threads())
            yield from _given(pieces, packed=False)


@dataclass(frozen=True)
class GiveMatched(Sent):
    """Matches the rows of buckets, and gives those that differ.

    Args:
        columns: The columns of the difference.
        packed: As of `GiveChanges`.
    """

    columns: bytes
    packed: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows of the difference."""
        pieces = _pieces(batches)
        if pieces is not None:
            engine = None if self.packed else _ENGINE
            rows = _native.matched_changes(pieces, self.columns, engine=engine)
            yield from _given(rows, packed=self.packed)


@dataclass(frozen=True)
class CountMatched(Sent):
    """Matches the rows of buckets, and counts those that differ.

    Args:
        columns: The columns of the difference.
    """

    columns: bytes

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[Counts]:
        """The counts of a task; none where it has no bucket."""
        pieces = _pieces(batches)
        return [] if pieces is None else [_native.counts_of_matched(pieces, self.columns)]
