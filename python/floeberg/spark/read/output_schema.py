"""How do batches get the order, names and nullability that a user's schema has?

In: batches in Spark's Arrow types, as Rust makes them, and the fields to put out. Out: the same values under these
fields. Buffers are shared, nothing is cast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from floeberg.spark.read.projection import OutputField

__all__ = ["to_output_schema"]


def to_output_schema(batch: pa.RecordBatch, children: tuple[OutputField, ...] | None) -> pa.RecordBatch:
    """A batch with these columns.

    Args:
        batch: The columns that were read.
        children: The columns to put out; `None` leaves the batch as it is.

    Returns:
        A batch of as many rows.
    """
    if children is None:
        return batch
    arrays = [_array(batch.column(each.position), each.children) for each in children]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(_fields(arrays, children)))


def _fields(arrays: list[pa.Array], children: tuple[OutputField, ...]) -> list[pa.Field]:
    return [
        pa.field(each.name, array.type, nullable=each.nullable)
        for array, each in zip(arrays, children, strict=True)
    ]


def _array(array: pa.Array, children: tuple[OutputField, ...] | None) -> pa.Array:
    if children is None:
        return array
    kind = array.type
    if pa.types.is_struct(kind):
        arrays = [_array(array.field(each.position), each.children) for each in children]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(arrays, fields=_fields(arrays, children), mask=mask)
    if pa.types.is_map(kind):
        arrays = [
            _array(part, each.children)
            for part, each in zip((array.keys, array.items), children, strict=True)
        ]
        fields = _fields(arrays, children)
        return _nested(array, pa.map_(*fields), pa.StructArray.from_arrays(arrays, fields=fields))
    values = _array(array.values, children[0].children)
    return _nested(array, pa.list_(*_fields([values], children)), values)


def _nested(array: pa.Array, kind: pa.DataType, child: pa.Array) -> pa.Array:
    """A list or map with the same offsets and nulls over another child."""
    return pa.Array.from_buffers(
        kind, len(array), array.buffers()[:2], array.null_count, array.offset, children=[child]
    )
