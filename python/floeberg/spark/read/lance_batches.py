"""How do batches of a Lance table get the Arrow types that Spark checks for?

Invariant: nothing is lost unless it was asked for.
"""

from __future__ import annotations

from typing import cast

import pyarrow as pa

from floeberg.errors import InvalidDataError

__all__ = ["to_spark_batch"]


def to_spark_batch(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    """A batch in the Arrow types of Spark.

    Args:
        batch: A batch of a Lance table.
        wanted: The schema that Spark checks for, by names.

    Returns:
        A batch of as many rows.

    Raises:
        InvalidDataError: A value does not fit Spark's type.
    """
    arrays = [_column(batch.column(field.name), field) for field in wanted]
    return cast("pa.RecordBatch", pa.RecordBatch.from_arrays(arrays, schema=wanted))


def _column(array: pa.Array, field: pa.Field) -> pa.Array:
    try:
        return _cast(array, field.type)
    except pa.ArrowInvalid as error:
        raise InvalidDataError(
            f"a value of column {field.name!r} does not fit Spark's type {field.type}: {error}"
        ) from error


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:  # noqa: PLR0911 - one return a type
    if array.type == kind:
        return array
    if pa.types.is_dictionary(array.type):
        return _cast(array.dictionary_decode(), kind)
    if pa.types.is_struct(kind):
        arrays = [_cast(part, each.type) for part, each in zip(array.flatten(), kind, strict=True)]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=mask)
    if pa.types.is_map(kind):
        mask = array.is_null() if array.null_count else None
        return pa.MapArray.from_arrays(
            array.offsets,
            _cast(array.keys, kind.key_type),
            _cast(array.items, kind.item_type),
            kind,
            mask=mask,
        )
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    if pa.types.is_large_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    if pa.types.is_list(kind):
        mask = array.is_null() if array.null_count else None
        return pa.ListArray.from_arrays(array.offsets, _cast(array.values, kind.value_type), kind, mask=mask)
    if pa.types.is_fixed_size_binary(array.type):
        return array.cast(pa.binary()).cast(kind)
    if pa.types.is_float16(array.type):
        return array.cast(pa.float32())
    is_cut = pa.types.is_timestamp(array.type) or pa.types.is_time(array.type)
    # Whether nanoseconds may be cut was asked when the schema was made.
    return array.cast(kind, safe=not (is_cut and array.type.unit == "ns"))
