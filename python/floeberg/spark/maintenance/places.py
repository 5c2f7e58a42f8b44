"""How do tasks of Spark find the places of files?

In: folders, and tasks that read manifests. Out: frames of places, which Spark compares.

Invariant: two files have one place exactly where they are the same without Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg.spark.session.environment import cores, own_cores, task_threads
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.tasks import mapped
from floeberg.spark.session.worker_pickle import Sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Places", "arrow_batch", "frame_of_values", "most_tasks", "named_places", "small_batches"]

_NAMED = "prefix string, path string"
_TASKS_A_CORE = 4
_BATCH_ROWS = 10_000


@dataclass(frozen=True)
class Places(Sent):
    """How locations become places, in tasks too.

    Args:
        storage_options: The options of the store.
        equal_schemes: Schemes that mean others.
        equal_authorities: Authorities that mean others.
    """

    storage_options: dict[str, str]
    equal_schemes: dict[str, str]
    equal_authorities: dict[str, str]

    def listed(self, folder: str, *, all_levels: bool, may_be_gone: bool) -> pa.RecordBatch:
        """The files in a folder, and on one level the folders."""
        found = _native.listed_places(
            folder,
            all_levels=all_levels,
            may_be_gone=may_be_gone,
            storage_options=self.storage_options,
            equal_schemes=self.equal_schemes,
            equal_authorities=self.equal_authorities,
        )
        return arrow_batch(found)

    def named(self, task: bytes) -> pa.RecordBatch:
        """The files that the manifests of a task name."""
        found = _native.named_places(
            task,
            threads=task_threads(),
            storage_options=self.storage_options,
            equal_schemes=self.equal_schemes,
            equal_authorities=self.equal_authorities,
        )
        return arrow_batch(found)


@dataclass(frozen=True)
class _ReadNames(Sent):
    """Reads manifests.

    Args:
        places: How locations become places.
    """

    places: Places

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield from small_batches(self.places.named(task))


def most_tasks(spark: SparkSession) -> int:
    """How many tasks give each core of a cluster some."""
    return _TASKS_A_CORE * (cores(spark) or own_cores())


def frame_of_values(spark: SparkSession, values: Sequence[str] | Sequence[bytes], kind: str) -> DataFrame:
    """Values, in so many partitions that each core has some."""
    partitions = min(len(values), most_tasks(spark))
    rows = [(number % partitions, value) for number, value in enumerate(values)]
    frame = spark.createDataFrame(rows, f"number int, value {kind}")
    return in_partitions(frame, partitions, "number").select("value")


def named_places(spark: SparkSession, tasks: Sequence[bytes], places: Places) -> DataFrame:
    """The places of the files that manifests name, which tasks read."""
    return mapped(frame_of_values(spark, tasks, "binary"), _ReadNames(places), _NAMED, "floeberg_names")


def arrow_batch(native: _native.Batch) -> pa.RecordBatch:
    """A batch of the binary, as one of PyArrow."""
    import pyarrow as pa  # noqa: PLC0415 - the same

    return pa.record_batch(cast("Any", native))


def small_batches(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows in batches that Spark takes without much memory."""
    for first in range(0, batch.num_rows, _BATCH_ROWS):
        yield batch.slice(first, _BATCH_ROWS)
