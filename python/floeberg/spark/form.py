"""How do Floeberg's Arrow types become those that Spark checks for?

In: batches as a scan gives them. Out: the same values as `string`, `binary`, microseconds and nanoseconds of a day,
with the nullability that they had.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["spark_form"]


def spark_form(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch in Spark's types."""
    arrays = [_array(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(_fields(batch.schema, arrays)))


def _fields(fields: Sequence[pa.Field], arrays: Sequence[pa.Array]) -> list[pa.Field]:
    return [
        pa.field(field.name, array.type, nullable=field.nullable)
        for field, array in zip(fields, arrays, strict=True)
    ]


def _array(array: pa.Array) -> pa.Array:  # noqa: PLR0911 - one return a type
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            values = (value and str(uuid.UUID(bytes=value)) for value in array.storage.to_pylist())
            return pa.array(values, pa.string())
        return _array(array.storage)
    if pa.types.is_fixed_size_binary(kind):
        return array.cast(pa.binary())
    if pa.types.is_time64(kind):
        return array.cast(pa.time64("ns"))
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pc.floor_temporal(array, unit="microsecond").cast(pa.timestamp("us", kind.tz))
    if pa.types.is_struct(kind):
        arrays = [_array(array.field(place)) for place in range(kind.num_fields)]
        fields = _fields([kind.field(place) for place in range(kind.num_fields)], arrays)
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=array.is_null())
    if pa.types.is_map(kind):
        arrays = [_array(array.keys), _array(array.items)]
        fields = _fields([kind.key_field, kind.item_field], arrays)
        return _nested(array, pa.map_(*fields), pa.StructArray.from_arrays(arrays, fields=fields))
    if pa.types.is_list(kind):
        values = _array(array.values)
        return _nested(array, pa.list_(kind.value_field.with_type(values.type)), values)
    return array


def _nested(array: pa.Array, kind: pa.DataType, child: pa.Array) -> pa.Array:
    return pa.Array.from_buffers(
        kind, len(array), array.buffers()[:2], array.null_count, array.offset, children=[child]
    )
