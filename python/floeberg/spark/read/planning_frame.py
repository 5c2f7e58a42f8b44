"""How is a table read whose plan no process holds?

There are two stages in one query. A task of the first plans the files of some manifests, with all deletes, and returns
groups of tasks as bytes. They are shuffled by a number that the task gives them. A task of the second reads the rows of
its groups. The driver reads the manifest list.

```text
numbers of parts          partition   number   group                    rows
0 .. parts, a task each   i32         i64      bytes    shuffle, sort   those of the groups of a partition
```

A task that runs again returns the same groups with the same numbers: the scan is pinned to a snapshot, parts are
ranges of its manifests, and how a part is split depends on nothing else. So a lost shuffle loses and doubles no row.
Partitions are sorted by the numbers of their groups, so that their rows come in the same order too.

Invariant: what the driver holds does not grow with files. The groups hold no storage options: Spark stores them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.scan.plan import Plan
from floeberg.spark.read.branch_reads import branch_read, record_read
from floeberg.spark.read.distributed import cuts
from floeberg.spark.read.group_rows import ANY_SIZE, group_batches
from floeberg.spark.read.options import SCAN, read_options, scan_token
from floeberg.spark.read.scan_request import scan_bytes
from floeberg.spark.read.types import scan_struct
from floeberg.spark.session.environment import cores, own_cores, task_threads
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.tasks import mapped
from floeberg.spark.session.worker_pickle import Sent

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan import Scan
    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.read.options import ReadSettings

__all__ = ["ReadGroups", "group_frame", "planning_frame"]

_PART_BYTES = 4 << 20, 32 << 20
"""Bytes of manifests that a part has at least and at most, where there are so many: 40,000 and 300,000 files."""
_PARTS_A_CORE = 3
_PARTITIONS_A_CORE = 2
_PARTITION_BYTES = 4 << 20
"""Bytes of manifests for each partition, at most. Spark gives a task its groups at once."""
_MOST_PARTITIONS = 10_000
_PARTITION_SIZE = 128 << 20
_GROUPS_A_PARTITION = 4


def planning_frame(
    scan: Scan,
    spark: SparkSession,
    parts: _native.PlanParts,
    options: dict[str, int | bool | None],
) -> DataFrame:
    """The DataFrame of a scan, whose tasks plan it and read it.

    Args:
        scan: The scan.
        spark: The session.
        parts: Its manifests. None was read.
        options: How to read it.
    """
    given = {key: str(value).lower() for key, value in options.items() if value is not None}
    _, settings = read_options({**given, SCAN: scan_token(scan_bytes(scan))})
    schema = scan_struct(scan, truncate_nanoseconds=settings.truncate_nanoseconds)
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    groups = group_frame(scan, spark, parts, settings)
    work = ReadGroups(parts.shared(), settings, limit, branch_read(scan))
    frame = mapped(groups, work, schema, "floeberg_read")
    return frame if limit is None else frame.limit(limit)


def group_frame(
    scan: Scan, spark: SparkSession, parts: _native.PlanParts, settings: ReadSettings
) -> DataFrame:
    """The groups of a scan as rows of `partition`, `number` and `group`, in the partitions that they are read in."""
    lengths = parts.lengths(deletes=False)
    some_cores = cores(spark) or own_cores()
    least, most = _PART_BYTES
    ranges = cuts(lengths, min(max(sum(lengths) // (some_cores * _PARTS_A_CORE), least), most))
    tasks = tuple(parts.part_task(start, end) for start, end in ranges)
    deletes = parts.task(True, 0, len(parts.lengths(deletes=True)))
    partitions = settings.partitions or _partitions(parts, settings, some_cores)
    work = _PlanParts(scan_bytes(scan), deletes, tasks, partitions, least=1 if settings.partitions else None)
    numbers = spark.range(0, len(tasks), 1, max(len(tasks), 1))
    planned = mapped(numbers, work, "partition int, number bigint, group binary", "floeberg_plan")
    return in_partitions(planned, partitions, "partition").sortWithinPartitions("number")


def _partitions(parts: _native.PlanParts, settings: ReadSettings, some_cores: int) -> int:
    """Enough for the cores, for the manifests, and for the data as far as the snapshot says how much there is."""
    by_manifests = -(-sum(parts.lengths(deletes=False)) // _PARTITION_BYTES)
    by_data = -(-(parts.data_bytes or 0) // (settings.split_size or _PARTITION_SIZE))
    return min(max(_PARTITIONS_A_CORE * some_cores, by_manifests, by_data), _MOST_PARTITIONS)


@dataclass(frozen=True)
class _PlanParts(Sent):
    """Plans parts by their numbers.

    Args:
        scan: The recipe of the scan.
        deletes: Its delete manifests.
        parts: The data manifests of each part.
        partitions: The partitions that are read.
        least: Bytes that are worth a group.
    """

    scan: bytes
    deletes: bytes
    parts: tuple[bytes, ...]
    partitions: int
    least: int | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - the driver needs none

        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            for count, (place, group) in enumerate(self._groups(number)):
                arrays = [
                    pa.array([place], pa.int32()),
                    pa.array([(number << 32) + count], pa.int64()),
                    pa.array([group], pa.binary()),
                ]
                yield pa.RecordBatch.from_arrays(arrays, ["partition", "number", "group"])

    def _groups(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The groups of a part, from a partition on that no other part begins with, if there are enough."""
        plan = Plan(_native.plan_part(_scan(self.scan), self.parts[number], self.deletes, task_threads()))
        wanted = -(-_GROUPS_A_PARTITION * self.partitions // len(self.parts))
        most = min(max(wanted, 1), self.partitions)
        first = number * self.partitions // len(self.parts)
        for place, group in enumerate(plan.split(ANY_SIZE, most_groups=most, least_size=self.least), first):
            yield place % self.partitions, group._inner.without_storage()  # noqa: SLF001 - the package's own


@lru_cache(maxsize=1)
def _scan(recipe: bytes) -> _native.Scan:
    """The scan of a recipe. It keeps the index of its deletes, for the next part of the same process."""
    return _native.Scan._from_recipe(recipe)  # noqa: SLF001 - the package's own


@dataclass(frozen=True)
class ReadGroups(Sent):
    """Reads the rows of groups.

    Args:
        shared: What the groups share.
        settings: How rows are read.
        limit: Rows of a partition, at most.
        origin: The branch that is read. A query that overwrites it must know.
    """

    shared: _native.TaskGroup
    settings: ReadSettings
    limit: int | None
    origin: BranchRead | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the groups in batches."""
        if self.origin is not None:
            record_read(self.origin)
        left = self.limit
        for group in (group for batch in batches for group in batch.column("group")):
            if left == 0:
                return
            tasks = self.shared.beside(group.as_py())
            for rows in group_batches(tasks, self.settings, None, left):
                left = None if left is None else left - rows.num_rows
                yield rows
