"""Which columns does a table get that is made from Spark's types?

In: a `StructType`. Out: a schema of Iceberg, with the nullability and the comments at every level.

Invariant: a type that Iceberg lacks is an error that names the column.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from floeberg.errors import UnsupportedError
from floeberg.types import ListType, MapType, NestedField, PrimitiveType, Schema, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import types as spark

    from floeberg.types import IcebergType

__all__ = ["iceberg_type", "schema_of"]

_SIMPLE = {
    "boolean": "boolean",
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "binary": "binary",
    "variant": "variant",
    "void": "unknown",
}


def schema_of(columns: spark.StructType, *, keeps_required: bool = True) -> Schema:
    """The columns of a table, for columns of Spark.

    Args:
        columns: The columns.
        keeps_required: Whether columns that are never null are required. Those of a query are not, as in Spark.

    Raises:
        UnsupportedError: Iceberg has no type for a column.
    """
    numbers = count(1)
    fields = _fields(columns, numbers, "")
    return Schema(*(each if keeps_required else replace(each, required=False) for each in fields))


def iceberg_type(kind: spark.DataType, name: str) -> IcebergType:
    """The type of a column. Its fields have ids from 1 on.

    Args:
        kind: The type that Spark has.
        name: The column, for errors.

    Raises:
        UnsupportedError: Iceberg has no such type.
    """
    return _type(kind, count(1), name)


def _fields(columns: spark.StructType, numbers: Iterator[int], prefix: str) -> list[NestedField]:
    # The ids of siblings come before those of what is in them.
    ids = [next(numbers) for _ in columns]
    return [
        NestedField(
            number,
            each.name,
            _type(each.dataType, numbers, prefix + each.name),
            required=not each.nullable,
            doc=(each.metadata or {}).get("comment"),
        )
        for number, each in zip(ids, columns, strict=True)
    ]


def _type(  # noqa: PLR0911 - one return a kind
    kind: spark.DataType, numbers: Iterator[int], name: str
) -> IcebergType:
    from pyspark.sql import types as spark  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if isinstance(kind, spark.StructType):
        return StructType(*_fields(kind, numbers, f"{name}."))
    if isinstance(kind, spark.ArrayType):
        number = next(numbers)
        element = _type(kind.elementType, numbers, f"{name}.element")
        return ListType(number, element, not kind.containsNull)
    if isinstance(kind, spark.MapType):
        key, value = next(numbers), next(numbers)
        return MapType(
            key,
            _type(kind.keyType, numbers, f"{name}.key"),
            value,
            _type(kind.valueType, numbers, f"{name}.value"),
            not kind.valueContainsNull,
        )
    written = kind.simpleString()
    if isinstance(kind, spark.StringType):
        return PrimitiveType("string")
    if isinstance(kind, spark.DecimalType):
        return PrimitiveType(f"decimal({kind.precision}, {kind.scale})")
    if written.startswith("time("):
        return PrimitiveType("time")
    if written not in _SIMPLE:
        raise UnsupportedError(f"column {name!r}: Iceberg has no type for Spark's {written}")
    return PrimitiveType(_SIMPLE[written])
