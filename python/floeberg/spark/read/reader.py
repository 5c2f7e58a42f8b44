"""How does one read of Spark become partitions, and a partition rows?

`partitions` runs where Spark plans, and opens metadata and manifests. `read` runs in a task, and opens data files and
deletes; it needs no metadata.

Invariant: planning opens no data file.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import DataSourceReader, InputPartition

from floeberg.spark.read.branch_reads import branch_read, keep_read
from floeberg.spark.read.projection import Matching, names_to_read, shape_of
from floeberg.spark.session.environment import own_cores
from floeberg.spark.session.worker_pickle import parcel

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg import _native
    from floeberg.plan import Plan, TaskGroup
    from floeberg.scan import Scan
    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.read.projection import Child
    from floeberg.spark.read.scan_request import Request

__all__ = ["FilePartition", "FloebergReader"]

_PARTITIONS_PER_CORE = 2
_ANY_SIZE = 2**62
_SMALL_FILE = 1 << 20
_OPENERS = 4


class FilePartition(InputPartition):
    """What one task reads.

    Args:
        value: Tasks of the plan; `None` reads nothing.
    """

    def __init__(self, value: _native.TaskGroup | None) -> None:
        super().__init__(value)


class FloebergReader(DataSourceReader):
    """Reads what a request asks for, as a schema says.

    Args:
        request: The scan, and how to read it.
        names: The columns to read; `None` is those of the scan.
        shape: What the batches become; `None` leaves them as they are.
        limit: Rows of a partition, at most.
        parallelism: The cores of the cluster, where they are known.
        origin: The branch that is read, which a query that overwrites it must know of.
    """

    def __init__(  # noqa: PLR0913 - the parts of one read
        self,
        request: Request,
        *,
        names: tuple[str, ...] | None,
        shape: tuple[Child, ...] | None,
        limit: int | None,
        parallelism: int | None,
        origin: BranchRead | None,
    ) -> None:
        self._request = request
        self._names = names
        self._shape = shape
        self._limit = limit
        self._parallelism = parallelism
        self._origin = origin
        self._opened: Scan | None = None

    @classmethod
    def of(cls, request: Request, schema: StructType, parallelism: int | None) -> FloebergReader:
        """The reader of a schema: all columns of the request, or some of them in any order.

        Raises:
            InvalidInputError: The schema does not fit the table.
            UnsupportedError: Spark has no type for a column.
        """
        handling = request.handling
        matching = Matching(handling.case_sensitive, handling.truncate_nanoseconds)
        scan = request.open()
        names: tuple[str, ...] | None = None
        fields = scan.projection().fields
        shape = shape_of(fields, schema, matching)
        if shape is not None:
            names = tuple(names_to_read(fields, schema, matching))
            shape = shape_of(scan.select(*names).projection().fields, schema, matching)
        limit = scan._inner.limit  # noqa: SLF001 - the package's own
        origin = branch_read(scan)
        reader = cls(request, names=names, shape=shape, limit=limit, parallelism=parallelism, origin=origin)
        # Where Spark makes the reader, it plans too: the metadata file is read once.
        reader._opened = scan
        return reader

    def partitions(self) -> list[InputPartition]:
        """Plans the scan: few and large parts of about equal size."""
        scan = self._opened or self._request.open()
        plan = (scan if self._names is None else scan.select(*self._names)).plan_files()
        groups = self._groups(plan)
        # Spark would give `read` a partition of its own for none.
        return [FilePartition(group._inner) for group in groups] or [FilePartition(None)]  # noqa: SLF001

    def _groups(self, plan: Plan) -> list[TaskGroup]:
        handling = self._request.handling
        if handling.partitions:
            return plan.split(_ANY_SIZE, most_groups=handling.partitions, least_size=1)
        most = _PARTITIONS_PER_CORE * (self._parallelism or own_cores())
        return plan.split(handling.split_size, most_groups=most)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition, in the Arrow types that Spark checks for."""
        if self._origin is not None:
            keep_read(self._origin)
        return iter(()) if partition.value is None else self._batches(partition.value)

    def _batches(self, group: _native.TaskGroup) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - planning needs none

        from floeberg.spark.read.output_schema import shaped  # noqa: PLC0415 - the same

        threads = self._request.handling.threads or (
            None if "FLOEBERG_THREADS" in os.environ else _threads(group)
        )
        # What the schema took, comes: nanoseconds were refused there unless they are to be truncated.
        stream = group.stream("spark-truncate-ns", threads)
        left = self._limit
        while (left is None or left > 0) and (batch := stream.next_batch()) is not None:
            rows = shaped(pa.record_batch(cast("Any", batch)), self._shape)
            if left is not None:
                rows = rows.slice(0, left)
                left -= rows.num_rows
            yield rows

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._request, self._names, self._shape, self._limit, self._parallelism, self._origin)
        return parcel(__name__, "_rebuild", *parts)


def _threads(group: _native.TaskGroup) -> int:
    """One, since a task has one core; some where files are so small that a task waits for stores most of the time."""
    return _OPENERS if len(group) > 1 and group.extent()[0] < _SMALL_FILE * len(group) else 1


def _rebuild(request: Request, *parts: Any) -> FloebergReader:  # noqa: ANN401 - those of `__reduce__`
    names, shape, limit, parallelism, origin = parts
    return FloebergReader(
        request, names=names, shape=shape, limit=limit, parallelism=parallelism, origin=origin
    )
