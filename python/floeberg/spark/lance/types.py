"""Which Spark type does a column of a Lance table have, and how do its batches get it?

In: an Arrow schema. Out: the `StructType` that Spark shows, and batches in the Arrow types that Spark checks for.

Invariant: nothing is lost unless it was asked for. A type that Spark lacks is an error that names the column, before
any file is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyspark.sql.types as spark

from floeberg.errors import InvalidDataError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["spark_struct", "to_spark_batch"]

_LEAVE_OUT = "leave it out: name the other columns with the option 'columns' or LanceScan.select"
_OF_ROWS = frozenset({"_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"})
_MOST_DIGITS = 38

_SIMPLE: list[tuple[Callable[[pa.DataType], bool], Callable[[], spark.DataType]]] = [
    (pa.types.is_null, spark.NullType),
    (pa.types.is_boolean, spark.BooleanType),
    (pa.types.is_int8, spark.ByteType),
    (pa.types.is_int16, spark.ShortType),
    (pa.types.is_uint8, spark.ShortType),
    (pa.types.is_int32, spark.IntegerType),
    (pa.types.is_uint16, spark.IntegerType),
    (pa.types.is_int64, spark.LongType),
    (pa.types.is_uint32, spark.LongType),
    (pa.types.is_uint64, lambda: spark.DecimalType(20, 0)),
    (pa.types.is_float16, spark.FloatType),
    (pa.types.is_float32, spark.FloatType),
    (pa.types.is_float64, spark.DoubleType),
    (pa.types.is_string, spark.StringType),
    (pa.types.is_large_string, spark.StringType),
    (pa.types.is_binary, spark.BinaryType),
    (pa.types.is_large_binary, spark.BinaryType),
    (pa.types.is_fixed_size_binary, spark.BinaryType),
    (pa.types.is_date, spark.DateType),
    (pa.types.is_duration, spark.DayTimeIntervalType),
]


def spark_struct(schema: pa.Schema, *, truncate_nanoseconds: bool) -> spark.StructType:
    """The Spark type of a schema.

    Args:
        schema: The columns of a scan.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.

    Returns:
        The type. Columns that rows have by themselves, such as `_rowid`, are of 64 bits with a sign.

    Raises:
        UnsupportedError: Spark has no type for a column. The error names it.
    """
    fields = []
    for each in schema:
        kind = (
            spark.LongType() if each.name in _OF_ROWS else _type(each.type, each.name, truncate_nanoseconds)
        )
        fields.append(spark.StructField(each.name, kind, nullable=each.nullable))
    return spark.StructType(fields)


def _type(kind: pa.DataType, name: str, truncate: bool) -> spark.DataType:  # noqa: FBT001 - inside of this module
    for fits, make in _SIMPLE:
        if fits(kind):
            return make()
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type, name, truncate)
    if pa.types.is_struct(kind):
        return spark.StructType(
            [
                spark.StructField(each.name, _type(each.type, f"{name}.{each.name}", truncate), each.nullable)
                for each in kind
            ]
        )
    if pa.types.is_map(kind):
        key, item = (
            _type(each, f"{name}.{part}", truncate)
            for each, part in ((kind.key_type, "key"), (kind.item_type, "value"))
        )
        return spark.MapType(key, item, valueContainsNull=kind.item_field.nullable)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        element = _type(kind.value_type, f"{name}.element", truncate)
        return spark.ArrayType(element, containsNull=kind.value_field.nullable)
    return _parametric(kind, name, truncate)


def _parametric(kind: pa.DataType, name: str, truncate: bool) -> spark.DataType:  # noqa: FBT001 - the same
    if pa.types.is_decimal(kind) and kind.precision <= _MOST_DIGITS and 0 <= kind.scale <= kind.precision:
        return spark.DecimalType(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        if kind.unit == "ns" and not truncate:
            raise UnsupportedError(
                f"column {name!r} is of type {kind}, and Spark's timestamps have microseconds: set the option "
                f"truncate-nanoseconds=true to cut them, or {_LEAVE_OUT}"
            )
        return spark.TimestampNTZType() if kind.tz is None else spark.TimestampType()
    time: type[spark.DataType] | None = getattr(spark, "TimeType", None)
    if pa.types.is_time(kind) and time is not None:
        if kind.unit == "ns" and not truncate:
            raise UnsupportedError(
                f"column {name!r} is of type {kind}, and Spark's times have microseconds: set the option "
                f"truncate-nanoseconds=true to cut them, or {_LEAVE_OUT}"
            )
        return time()
    raise UnsupportedError(
        f"column {name!r} is of type {kind}, which cannot be read through Spark: {_LEAVE_OUT}"
    )


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
