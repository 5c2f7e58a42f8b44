"""Which Spark type does a column have?

In: a schema of Iceberg. Out: the `StructType` that Spark shows, with the nullability of the schema at every level. The
batches that Rust makes for it have the Arrow types that Spark checks for.

Invariant: a type that Spark lacks is an error that names the column, before any file is opened.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyspark.sql.types as spark

from floeberg.errors import UnsupportedError
from floeberg.types import ListType, MapType, PrimitiveType, StructType

if TYPE_CHECKING:
    from floeberg.types import IcebergType, NestedField

__all__ = ["spark_struct", "spark_type"]

_SIMPLE: dict[str, type[spark.DataType]] = {
    "boolean": spark.BooleanType,
    "int": spark.IntegerType,
    "long": spark.LongType,
    "float": spark.FloatType,
    "double": spark.DoubleType,
    "date": spark.DateType,
    "string": spark.StringType,
    "uuid": spark.StringType,
    "binary": spark.BinaryType,
    "timestamp": spark.TimestampNTZType,
    "timestamptz": spark.TimestampType,
    "unknown": spark.NullType,
    "variant": spark.VariantType,
}

_NANOSECONDS: dict[str, type[spark.DataType]] = {
    "timestamp_ns": spark.TimestampNTZType,
    "timestamptz_ns": spark.TimestampType,
}

_LEAVE_OUT = "leave it out: name the other columns with the option 'columns', Scan.select or a schema"


def spark_struct(
    fields: tuple[NestedField, ...], *, truncate_nanoseconds: bool, prefix: str = ""
) -> spark.StructType:
    """The Spark type of fields.

    Args:
        fields: Fields of a schema or of a struct.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.
        prefix: The name of the struct, with a dot.

    Returns:
        The type; comments of columns are in its metadata.

    Raises:
        UnsupportedError: Spark has no type for a field. The error names it.
    """
    return spark.StructType(
        [
            spark.StructField(
                each.name,
                spark_type(
                    each.field_type, truncate_nanoseconds=truncate_nanoseconds, name=prefix + each.name
                ),
                nullable=each.optional,
                metadata={"comment": each.doc} if each.doc else None,
            )
            for each in fields
        ]
    )


def spark_type(kind: IcebergType, *, truncate_nanoseconds: bool, name: str) -> spark.DataType:
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
    if isinstance(kind, StructType):
        return spark_struct(kind.fields, truncate_nanoseconds=truncate_nanoseconds, prefix=f"{name}.")
    if isinstance(kind, ListType):
        element = spark_type(
            kind.element_type, truncate_nanoseconds=truncate_nanoseconds, name=f"{name}.element"
        )
        return spark.ArrayType(element, containsNull=not kind.element_required)
    if isinstance(kind, MapType):
        return spark.MapType(
            spark_type(kind.key_type, truncate_nanoseconds=truncate_nanoseconds, name=f"{name}.key"),
            spark_type(kind.value_type, truncate_nanoseconds=truncate_nanoseconds, name=f"{name}.value"),
            valueContainsNull=not kind.value_required,
        )
    return _primitive(kind, name, truncate_nanoseconds=truncate_nanoseconds)


def _primitive(kind: PrimitiveType, name: str, *, truncate_nanoseconds: bool) -> spark.DataType:
    if kind.name in _SIMPLE:
        return _SIMPLE[kind.name]()
    if decimal := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", kind.name):
        return spark.DecimalType(int(decimal[1]), int(decimal[2]))
    if kind.name.startswith(("fixed[", "geometry", "geography")):
        return spark.BinaryType()
    if kind.name in _NANOSECONDS:
        if truncate_nanoseconds:
            return _NANOSECONDS[kind.name]()
        raise UnsupportedError(
            f"column {name!r} is of type {kind}, and Spark's timestamps have microseconds: set the option "
            f"truncate-nanoseconds=true to cut them, or {_LEAVE_OUT}"
        )
    if kind.name == "time":
        time: type[spark.DataType] | None = getattr(spark, "TimeType", None)
        if time is not None:
            return time()
        raise UnsupportedError(f"column {name!r} is of type time, which Spark has from 4.1 on: {_LEAVE_OUT}")
    raise UnsupportedError(
        f"column {name!r} is of type {kind}, which cannot be read through Spark: {_LEAVE_OUT}"
    )
