"""Which columns does a table get that is made from Spark's types?

In: a `StructType`. Out: a schema of Iceberg, with the nullability and the comments at every level.

Invariant: a type that Iceberg lacks is an error that names the column.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.types import ListType, MapType, NestedField, PrimitiveType, Schema, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import types as spark

    from floeberg.types import IcebergType

__all__ = ["iceberg_type", "schema_of", "without_lengths"]

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


def schema_of(
    columns: spark.StructType, *, keeps_required: bool = True, case_sensitive: bool = False
) -> Schema:
    """The columns of a table, for columns of Spark.

    Args:
        columns: The columns.
        keeps_required: Whether columns that are never null are required. Those of a query are not, as in Spark.
        case_sensitive: Whether names that differ by case alone are different names.

    Raises:
        InvalidInputError: Two columns, or two fields of a struct, have one name.
        UnsupportedError: Iceberg has no type for a column.
    """
    _check_names(columns, "", case_sensitive=case_sensitive)
    numbers = count(1)
    fields = _fields(columns, numbers, "")
    return Schema(*(each if keeps_required else replace(each, required=False) for each in fields))


def iceberg_type(kind: spark.DataType, name: str, *, case_sensitive: bool = False) -> IcebergType:
    """The type of a column. Its fields have ids from 1 on.

    Args:
        kind: The type that Spark has.
        name: The column, for errors.
        case_sensitive: Whether names that differ by case alone are different names.

    Raises:
        InvalidInputError: Two fields of a struct have one name.
        UnsupportedError: Iceberg has no such type.
    """
    _check_names(kind, name, case_sensitive=case_sensitive)
    return _type(kind, count(1), name)


def without_lengths(kind: spark.DataType) -> spark.DataType:
    """A type with strings instead of CHAR and VARCHAR, which Spark keeps where a setting asks for it."""
    from pyspark.sql import types as spark  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if isinstance(kind, (spark.CharType, spark.VarcharType)):
        return spark.StringType()
    if isinstance(kind, spark.ArrayType):
        return spark.ArrayType(without_lengths(kind.elementType), kind.containsNull)
    if isinstance(kind, spark.MapType):
        return spark.MapType(
            without_lengths(kind.keyType), without_lengths(kind.valueType), kind.valueContainsNull
        )
    if isinstance(kind, spark.StructType):
        return spark.StructType(
            [spark.StructField(each.name, without_lengths(each.dataType), each.nullable) for each in kind]
        )
    return kind


def _check_names(kind: spark.DataType, name: str, *, case_sensitive: bool) -> None:
    """Checks the names of fields, at every level."""
    from pyspark.sql import types as spark  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    parts: list[tuple[str, spark.DataType]] = []
    if isinstance(kind, spark.StructType):
        seen: dict[str, str] = {}
        for each in kind.fields:
            path = f"{name}.{each.name}" if name else each.name
            folded = each.name if case_sensitive else each.name.lower()
            if folded in seen:
                is_same = case_sensitive or seen[folded] == path
                same = "" if is_same else ", which is one name where spark.sql.caseSensitive is off"
                raise InvalidInputError(f"there are two columns {seen[folded]!r} and {path!r}{same}")
            seen[folded] = path
            parts.append((path, each.dataType))
    elif isinstance(kind, spark.ArrayType):
        parts.append((f"{name}.element", kind.elementType))
    elif isinstance(kind, spark.MapType):
        parts += [(f"{name}.key", kind.keyType), (f"{name}.value", kind.valueType)]
    for path, part in parts:
        _check_names(part, path, case_sensitive=case_sensitive)


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
    # Iceberg has no texts of a limited length.
    if isinstance(kind, (spark.StringType, spark.CharType, spark.VarcharType)):
        return PrimitiveType("string")
    if isinstance(kind, spark.DecimalType):
        return PrimitiveType(f"decimal({kind.precision}, {kind.scale})")
    if written.startswith("time("):
        return PrimitiveType("time")
    if written not in _SIMPLE:
        raise UnsupportedError(f"column {name!r}: Iceberg has no type for Spark's {written}")
    return PrimitiveType(_SIMPLE[written])
