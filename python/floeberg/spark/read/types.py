"""Which Spark type does a column have?

In: the columns of a table of Iceberg, or the Arrow fields of a Lance table. Out: the `StructType` that Spark shows,
with the table's nullability at every level.

Invariant: a type that Spark lacks is an error that names the column, before any file is opened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import pyspark.sql.types as spark

from floeberg.errors import UnsupportedError
from floeberg.types import ListType, MapType, NestedField, PrimitiveType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from floeberg.lance import LanceScan
    from floeberg.scan import Scan
    from floeberg.types import IcebergType

__all__ = ["scan_struct", "spark_struct", "spark_type"]

AnyType: TypeAlias = "IcebergType | pa.DataType"
AnyField: TypeAlias = "NestedField | pa.Field"

_SIMPLE: dict[str, Callable[[], spark.DataType]] = {
    **dict.fromkeys(("boolean", "bool"), spark.BooleanType),
    **dict.fromkeys(("int8",), spark.ByteType),
    **dict.fromkeys(("int16", "uint8"), spark.ShortType),
    **dict.fromkeys(("int", "int32", "uint16"), spark.IntegerType),
    **dict.fromkeys(("long", "int64", "uint32"), spark.LongType),
    **dict.fromkeys(("uint64",), partial(spark.DecimalType, 20, 0)),
    **dict.fromkeys(("float", "halffloat"), spark.FloatType),
    **dict.fromkeys(("double",), spark.DoubleType),
    **dict.fromkeys(("date", "date32[day]", "date64[ms]"), spark.DateType),
    **dict.fromkeys(("string", "large_string", "uuid"), spark.StringType),
    **dict.fromkeys(("binary", "large_binary"), spark.BinaryType),
    **dict.fromkeys(("unknown", "null"), spark.NullType),
    **dict.fromkeys(("variant",), spark.VariantType),
}
"""By the names of types of Iceberg and of Arrow, none of which mean two things."""

_BY_START: list[tuple[tuple[str, ...], Callable[[], spark.DataType]]] = [
    (("fixed[", "fixed_size_binary[", "geometry", "geography"), spark.BinaryType),
    (("duration[",), spark.DayTimeIntervalType),
    (("timestamp",), spark.TimestampNTZType),
]
"""The same by how names begin; in zones, timestamps are others."""
_DECIMAL = re.compile(r"decimal(?:128|256)?\((\d+),\s*(-?\d+)\)")
_NANOSECONDS = re.compile(r"time\w+_ns|time\w+\[ns\b.*")
_MOST_DIGITS = 38
_OF_ROWS = frozenset({"_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"})
"""Columns that rows of Lance tables have by themselves: numbers without a sign that fit 63 bits."""

_LEAVE_OUT = "leave it out: name the other columns with the option 'columns', select of the scan, or a schema"


def scan_struct(scan: Scan | LanceScan, *, truncate_nanoseconds: bool) -> spark.StructType:
    """The Spark type of the columns that a scan reads.

    Args:
        scan: A scan of a table of any format.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.

    Raises:
        UnsupportedError: Spark has no type for a column. The error names it.
    """
    columns: Any = scan.projection()
    return spark_struct(getattr(columns, "fields", columns), truncate_nanoseconds=truncate_nanoseconds)


def spark_struct(fields: Iterable[AnyField], *, truncate_nanoseconds: bool) -> spark.StructType:
    """The Spark type of columns.

    Args:
        fields: The columns of a schema of Iceberg or of Arrow.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.

    Returns:
        The type; comments of columns are in its metadata. Columns that rows of Lance tables have by themselves, such as
        `_rowid`, are of 64 bits with a sign.

    Raises:
        UnsupportedError: Spark has no type for a column. The error names it.
    """
    return _struct([_part(each) for each in fields], "", truncate=truncate_nanoseconds)


def spark_type(kind: AnyType, *, truncate_nanoseconds: bool, name: str) -> spark.DataType:
    """The Spark type of a type.

    Args:
        kind: The type.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.
        name: The full name of the column, for errors.

    Returns:
        The type.

    Raises:
        UnsupportedError: Spark lacks the type. The error says what to do.
    """
    return _type(kind, name, truncate=truncate_nanoseconds)


@dataclass(frozen=True)
class _Part:
    """A field of a schema or struct, or a part of a list or map."""

    name: str
    kind: AnyType
    nullable: bool
    comment: str | None = None


def _part(field: AnyField) -> _Part:
    if isinstance(field, NestedField):
        return _Part(field.name, field.field_type, field.optional, field.doc)
    is_of_row = field.name in _OF_ROWS
    return _Part(field.name, PrimitiveType("long") if is_of_row else field.type, field.nullable)


def _parts(kind: AnyType) -> tuple[str, list[_Part]]:
    """Whether a type is a struct, a list or a map, and its parts; a simple type has none."""
    if isinstance(kind, StructType):
        return "struct", [_part(each) for each in kind.fields]
    if isinstance(kind, ListType):
        return "list", [_Part("element", kind.element_type, not kind.element_required)]
    if isinstance(kind, MapType):
        key = _Part("key", kind.key_type, nullable=False)
        return "map", [key, _Part("value", kind.value_type, not kind.value_required)]
    if isinstance(kind, PrimitiveType):
        return "simple", []
    return _arrow_parts(kind)


def _arrow_parts(kind: pa.DataType) -> tuple[str, list[_Part]]:
    import pyarrow as pa  # noqa: PLC0415 - where Spark plans a read of Iceberg, none may be needed

    if pa.types.is_struct(kind):
        return "struct", [_Part(each.name, each.type, each.nullable) for each in kind]
    if pa.types.is_map(kind):
        key = _Part("key", kind.key_type, nullable=False)
        return "map", [key, _Part("value", kind.item_type, kind.item_field.nullable)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return "list", [_Part("element", kind.value_type, kind.value_field.nullable)]
    return "simple", []


def _struct(parts: list[_Part], prefix: str, *, truncate: bool) -> spark.StructType:
    return spark.StructType(
        [
            spark.StructField(
                each.name,
                _type(each.kind, prefix + each.name, truncate=truncate),
                nullable=each.nullable,
                metadata={"comment": each.comment} if each.comment else None,
            )
            for each in parts
        ]
    )


def _type(kind: AnyType, name: str, *, truncate: bool) -> spark.DataType:
    shape, parts = _parts(kind)
    if shape == "struct":
        return _struct(parts, f"{name}.", truncate=truncate)
    types = [_type(each.kind, f"{name}.{each.name}", truncate=truncate) for each in parts]
    if shape == "list":
        return spark.ArrayType(types[0], containsNull=parts[0].nullable)
    if shape == "map":
        return spark.MapType(types[0], types[1], valueContainsNull=parts[1].nullable)
    return _primitive(kind, name, truncate=truncate)


def _primitive(kind: Any, name: str, *, truncate: bool) -> spark.DataType:  # noqa: ANN401 - of either format
    text = str(kind)
    if text.startswith("dictionary<"):
        return _type(kind.value_type, name, truncate=truncate)
    if text in _SIMPLE:
        return _SIMPLE[text]()
    decimal = _DECIMAL.fullmatch(text)
    if decimal and int(decimal[1]) <= _MOST_DIGITS and 0 <= int(decimal[2]) <= int(decimal[1]):
        return spark.DecimalType(int(decimal[1]), int(decimal[2]))
    time: type[spark.DataType] | None = getattr(spark, "TimeType", None)
    found = next((make for start, make in _BY_START if text.startswith(start)), None)
    found = time if found is None and text.startswith("time") else found
    if found is None:
        raise UnsupportedError(
            f"column {name!r} is of type {kind}, which "
            f"{'Spark has from 4.1 on' if text.startswith('time') else 'cannot be read through Spark'}: {_LEAVE_OUT}"
        )
    if _NANOSECONDS.fullmatch(text) and not truncate:
        raise UnsupportedError(
            f"column {name!r} is of type {kind}, and Spark's {'timestamps' if 'stamp' in text else 'times'} have "
            f"microseconds: set the option truncate-nanoseconds=true to cut them, or {_LEAVE_OUT}"
        )
    has_zone = text.startswith("timestamptz") or ", tz=" in text
    return spark.TimestampType() if has_zone else found()
