"""How do rows of Spark tell what became of them?

Rows have the columns of a changelog after their own. What an append added is read by task groups, as without a
changelog. A snapshot of another operation is compared with the one before it, in one task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from floeberg.spark.read.group_rows import group_batches, most_partitions
from floeberg.types import NestedField, PrimitiveType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from floeberg import _native
    from floeberg.scan.task_group import TaskGroup
    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.projection import OutputField

__all__ = [
    "CHANGE_COLUMNS",
    "added_parts",
    "change_batches",
    "compared_part",
    "packed",
    "with_change_columns",
]

CHANGE_COLUMNS = (
    NestedField(2_147_483_543, "_change_type", PrimitiveType("string"), required=True),
    NestedField(2_147_483_542, "_change_ordinal", PrimitiveType("int"), required=True),
    NestedField(2_147_483_541, "_commit_snapshot_id", PrimitiveType("long"), required=True),
)
"""The columns after those of the table."""

_UNKNOWN_SIZE = 1 << 20


def with_change_columns(columns: StructType) -> StructType:
    """Columns of Spark, and those of a changelog."""
    kinds = (StringType(), IntegerType(), LongType())
    added = [
        StructField(field.name, kind, nullable=False)
        for field, kind in zip(CHANGE_COLUMNS, kinds, strict=True)
    ]
    return StructType([*columns.fields, *added])


def added_parts(groups: Sequence[TaskGroup], ordinal: int, snapshot_id: int) -> list[tuple[Any, int]]:
    """What tasks read of an append, with sizes.

    Args:
        groups: Its files.
        ordinal: The `_change_ordinal` of its rows.
        snapshot_id: Its id.
    """
    return [((group._inner, ordinal, snapshot_id), max(group.size_in_bytes, 1)) for group in groups]  # noqa: SLF001 - the package's own


def compared_part(changes: _native.ChangelogScan, ordinal: int) -> tuple[Any, int]:
    """What a task reads of a snapshot of any operation, with a size.

    Args:
        changes: The changes of this snapshot.
        ordinal: Their `_change_ordinal`.
    """
    return (changes, ordinal, None), _UNKNOWN_SIZE


def packed(
    weighed: Sequence[tuple[Any, int]],
    output: tuple[OutputField, ...] | None,
    settings: ReadSettings,
    parallelism: int | None,
) -> list[InputPartition]:
    """Partitions of about equal size.

    Args:
        weighed: What is read, with sizes.
        output: The fields of the batches that come out.
        settings: How rows are read.
        parallelism: The cores of the cluster, where they are known.
    """
    target = sum(weight for _, weight in weighed) / most_partitions(settings, parallelism)
    found, open_parts, size = [], list[Any](), 0
    for part, weight in weighed:
        open_parts.append(part)
        size += weight
        if size >= target:
            found.append(tuple(open_parts))
            open_parts, size = [], 0
    if open_parts:
        found.append(tuple(open_parts))
    return [InputPartition((parts, output, True)) for parts in found]


def change_batches(
    parts: Sequence[Any], output: tuple[OutputField, ...] | None, settings: ReadSettings
) -> Iterator[pa.RecordBatch]:
    """The changes of a partition, in the Arrow types that Spark checks for."""
    from floeberg.spark.read.output_schema import to_output_schema  # noqa: PLC0415 - planning needs none

    for what, ordinal, snapshot_id in parts:
        rows = (
            _compared(what, ordinal) if snapshot_id is None else _added(what, ordinal, snapshot_id, settings)
        )
        for batch in rows:
            yield to_output_schema(batch, output)


def _added(
    group: _native.TaskGroup, ordinal: int, snapshot_id: int, settings: ReadSettings
) -> Iterator[pa.RecordBatch]:
    """Rows that an append added."""
    import pyarrow as pa  # noqa: PLC0415 - the same

    values = (pa.scalar("INSERT"), pa.scalar(ordinal, pa.int32()), pa.scalar(snapshot_id, pa.int64()))
    for batch in group_batches(group, settings, None):
        added = [pa.repeat(value, batch.num_rows) for value in values]
        fields = [
            pa.field(field.name, value.type, nullable=False)
            for field, value in zip(CHANGE_COLUMNS, values, strict=True)
        ]
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], schema=pa.schema([*batch.schema, *fields]))


def _compared(changes: _native.ChangelogScan, ordinal: int) -> Iterator[pa.RecordBatch]:
    """Rows that a snapshot of any operation changed."""
    import pyarrow as pa  # noqa: PLC0415 - the same

    stream = changes.stream("spark-truncate-ns")
    while (batch := stream.next_batch()) is not None:
        rows = pa.record_batch(cast("Any", batch))
        at = rows.schema.get_field_index("_change_ordinal")
        yield rows.set_column(
            at, rows.schema.field(at), pa.repeat(pa.scalar(ordinal, pa.int32()), rows.num_rows)
        )
