"""How is a plan split for the tasks of Spark, and how does a task read its group?

Invariant: a task opens data files and delete files only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.spark.session.environment import own_cores, task_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg import _native
    from floeberg.scan.plan import Plan
    from floeberg.scan.task_group import TaskGroup
    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.projection import OutputField

__all__ = ["ANY_SIZE", "group_batches", "most_partitions", "task_groups"]

_PARTITIONS_PER_CORE = 2
ANY_SIZE = 2**62


def task_groups(plan: Plan, settings: ReadSettings, parallelism: int | None) -> list[TaskGroup]:
    """Few and large groups of about equal size.

    Args:
        plan: The files.
        settings: How rows are read.
        parallelism: The cores of the cluster, where they are known.
    """
    if settings.partitions:
        return plan.split(ANY_SIZE, most_groups=settings.partitions, least_size=1)
    return plan.split(settings.split_size, most_groups=most_partitions(settings, parallelism))


def most_partitions(settings: ReadSettings, parallelism: int | None) -> int:
    """How many partitions there may be."""
    return settings.partitions or _PARTITIONS_PER_CORE * (parallelism or own_cores())


def group_batches(
    group: _native.TaskGroup,
    settings: ReadSettings,
    output: tuple[OutputField, ...] | None,
    limit: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """The rows of a group, in the Arrow types that Spark checks for.

    Args:
        group: The tasks of a plan.
        settings: How rows are read.
        output: The fields of the batches that come out; `None` leaves the batches as they are.
        limit: Rows, at most.
    """
    import pyarrow as pa  # noqa: PLC0415 - planning needs none

    from floeberg.spark.read.output_schema import to_output_schema  # noqa: PLC0415 - the same

    # `schema` has refused nanoseconds, unless they may be truncated.
    stream = group.stream("spark-truncate-ns", settings.threads or task_threads())
    left = limit
    while (left is None or left > 0) and (batch := stream.next_batch()) is not None:
        rows = to_output_schema(pa.record_batch(cast("Any", batch)), output)
        if left is not None:
            rows = rows.slice(0, left)
            left -= rows.num_rows
        yield rows
