"""Does Spark's own Parquet reader read columns of a file as Floeberg does?

In: fields of the table, and what the file says of its columns. Out: under which names and types Spark has to be asked
for them, or why it cannot be.

Columns are asked for by the names that the file has, which its footer tells. So the result does not depend on whether
the session finds columns by field ids, nor on whether the case of names counts in it.

Invariant: what is not proven is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyspark.sql.types as spark

from floeberg.errors import FloebergError
from floeberg.spark.read.types import spark_type
from floeberg.types import ListType, NestedField, PrimitiveType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.scan.stored_files import StoredColumn, StoredShape
    from floeberg.types import IcebergType

__all__ = ["NativeColumn", "Unproven", "native_columns"]

_STORED = {
    "boolean": ("BOOLEAN", None),
    "float": ("FLOAT", None),
    "double": ("DOUBLE", None),
    "date": ("INT32", "date"),
    "string": ("BYTE_ARRAY", "string"),
    "binary": ("BYTE_ARRAY", None),
    "timestamp": ("INT64", "timestamp"),
    "timestamptz": ("INT64", "timestamptz"),
}
"""Types that Spark reads as they are stored, with the physical type and the annotation that they must have."""
_MOVED = ("date", "timestamp", "timestamptz")
"""Types that Spark moves to another calendar, where the file says that Spark 2 wrote it."""
_INTERNAL = ("_metadata", "_tmp_metadata", "__floeberg")
_SMALL, _LARGE = 9, 18


class Unproven(FloebergError):  # noqa: N818 - it is a reason and never reaches a user
    """Why a file cannot be left to Spark's reader."""


@dataclass(frozen=True)
class NativeColumn:
    """A column of the scan, as Spark reads it of a file.

    Args:
        field_id: The field.
        name: The column's name in the scan.
        kind: The type of the scan.
        stored_name: The name in the file; `None` where the file lacks the column, and all rows are null.
        stored_kind: The type to ask Spark for.
    """

    field_id: int
    name: str
    kind: spark.DataType
    stored_name: str | None
    stored_kind: spark.DataType | None


def native_columns(fields: Sequence[NestedField], shape: StoredShape) -> tuple[NativeColumn, ...]:
    """How Spark has to be asked for fields.

    Raises:
        Unproven: Spark may read something else.
    """
    if shape.error is not None:
        raise Unproven(f"the footer cannot be read: {shape.error}")
    if not any(map(_has_id, shape.columns)):
        raise Unproven("the file has no field ids")
    found = tuple(_column(field, shape) for field in fields)
    names = [each.stored_name.casefold() for each in found if each.stored_name is not None]
    if len(set(names)) < len(names) or len({each.name.casefold() for each in found}) < len(found):
        raise Unproven("columns differ by the case of their names alone")
    return found


def _has_id(column: StoredColumn) -> bool:
    return column.field_id is not None or any(map(_has_id, column.columns))


def _column(field: NestedField, shape: StoredShape) -> NativeColumn:
    kind = spark_type(field.field_type, truncate_nanoseconds=True, name=field.name)
    if "time(" in kind.simpleString():
        # Spark reads such columns of data sources, and has no expressions of the type, not even nulls.
        raise Unproven(f"column {field.name!r} has the type time")
    if field.field_type == PrimitiveType("unknown"):
        return NativeColumn(field.field_id, field.name, kind, None, None)
    stored = _by_id(field.field_id, field.name, shape.columns)
    if stored is None:
        if field.required:
            raise Unproven(f"the file lacks the required column {field.name!r}")
        if field.initial_default is not None:
            raise Unproven(f"the file lacks column {field.name!r}, which has a default")
        return NativeColumn(field.field_id, field.name, kind, None, None)
    stored_kind = _read_as(field, stored, field.name, legacy=shape.legacy_calendar)
    return NativeColumn(field.field_id, field.name, kind, stored.name, stored_kind)


def _by_id(field_id: int, name: str, columns: Sequence[StoredColumn]) -> StoredColumn | None:
    """The only column with an id. Its name is unique, even if case is ignored."""
    found = [each for each in columns if each.field_id == field_id]
    if not found:
        return None
    alike = [each for each in columns if each.name.casefold() == found[0].name.casefold()]
    if len(found) > 1 or len(alike) > 1:
        raise Unproven(f"the file has several columns for {name!r}")
    if found[0].name.casefold().startswith(_INTERNAL) or not found[0].name:
        raise Unproven(f"column {name!r} has a name in the file that Spark uses itself")
    return found[0]


def _read_as(field: NestedField, stored: StoredColumn, name: str, *, legacy: bool) -> spark.DataType:
    """The type that Spark is asked for."""
    # A file may promise more than the table does, and never less.
    if stored.repetition == "repeated" or (field.required and stored.repetition != "required"):
        raise Unproven(f"column {name!r} is {stored.repetition} in the file")
    kind = field.field_type
    if isinstance(kind, PrimitiveType):
        return _primitive(kind, stored, name, legacy=legacy)
    if stored.stored is not None:
        raise Unproven(f"column {name!r} is stored as {stored.stored}, and is {kind}")
    if isinstance(kind, StructType):
        return _struct(kind, stored, name, legacy=legacy)
    if isinstance(kind, ListType):
        element = _inside(kind.element_field, _list_element(stored, name), f"{name}.element", legacy=legacy)
        return spark.ArrayType(element, containsNull=not kind.element_required)
    key, value = _map_entry(stored, name)
    return spark.MapType(
        _inside(kind.key_field, key, f"{name}.key", legacy=legacy),
        _inside(kind.value_field, value, f"{name}.value", legacy=legacy),
        valueContainsNull=not kind.value_required,
    )


def _inside(field: NestedField, stored: StoredColumn, name: str, *, legacy: bool) -> spark.DataType:
    """The type of a part, which must be that of the table: a part cannot be cast by itself."""
    if stored.field_id != field.field_id:
        raise Unproven(f"the file has another id for {name!r}")
    kind = _read_as(field, stored, name, legacy=legacy)
    if isinstance(field.field_type, PrimitiveType) and kind != _of(field.field_type, name):
        raise Unproven(f"column {name!r} is of a narrower type in the file")
    return kind


def _of(kind: IcebergType, name: str) -> spark.DataType:
    return spark_type(kind, truncate_nanoseconds=True, name=name)


def _struct(kind: StructType, stored: StoredColumn, name: str, *, legacy: bool) -> spark.DataType:
    if stored.means is not None:
        raise Unproven(f"column {name!r} is a {stored.means} in the file")
    fields = []
    for field in kind.fields:
        full = f"{name}.{field.name}"
        part = _by_id(field.field_id, full, stored.columns)
        # Spark takes a struct for null where the file has none of its fields.
        if part is None or part.name != field.name:
            raise Unproven(f"the file lacks column {full!r}, or has another name for it")
        if field.field_type in {PrimitiveType("float"), PrimitiveType("double")}:
            raise Unproven(f"column {full!r} is a {field.field_type} in a struct, and Spark may skip its NaN")
        read = _inside(field, part, full, legacy=legacy)
        comment = {"comment": field.doc} if field.doc else None
        fields.append(spark.StructField(field.name, read, nullable=field.optional, metadata=comment))
    if not fields:
        raise Unproven(f"column {name!r} is a struct without fields")
    return spark.StructType(fields)


def _list_element(stored: StoredColumn, name: str) -> StoredColumn:
    """The element, in the form of three levels that every reader understands in the same way."""
    if stored.means == "list" and len(stored.columns) == 1:
        middle = stored.columns[0]
        is_legacy = middle.name in {"array", f"{stored.name}_tuple"}
        if middle.repetition == "repeated" and len(middle.columns) == 1 and not is_legacy:
            return middle.columns[0]
    raise Unproven(f"the list {name!r} is stored in an old form")


def _map_entry(stored: StoredColumn, name: str) -> tuple[StoredColumn, StoredColumn]:
    if stored.means == "map" and len(stored.columns) == 1:
        middle = stored.columns[0]
        entry = middle.columns
        if middle.repetition == "repeated" and len(entry) == 2 and entry[0].repetition == "required":  # noqa: PLR2004 - key and value
            return entry[0], entry[1]
    raise Unproven(f"the map {name!r} is stored in an old form")


def _primitive(kind: PrimitiveType, stored: StoredColumn, name: str, *, legacy: bool) -> spark.DataType:
    if stored.unusual:
        raise Unproven(f"column {name!r} is stored as {', '.join(stored.unusual)}")
    if legacy and kind.name in _MOVED:
        raise Unproven(f"column {name!r} has dates of the calendar of Spark 2")
    found = (stored.stored, stored.means)
    if _STORED.get(kind.name) == found:
        return _of(kind, name)
    if kind.name == "double" and found == _STORED["float"]:
        return spark.FloatType()
    if kind.name in {"int", "long"}:
        if found in {("INT32", None), ("INT32", "int")}:
            return spark.IntegerType()
        if kind.name == "long" and found in {("INT64", None), ("INT64", "long")}:
            return spark.LongType()
    if decimal := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", kind.name):
        return _decimal(int(decimal[1]), int(decimal[2]), stored, name)
    raise Unproven(
        f"column {name!r} is {kind}, stored as {stored.stored} of {stored.means or 'nothing else'}"
    )


def _decimal(precision: int, scale: int, stored: StoredColumn, name: str) -> spark.DataType:
    said = re.fullmatch(r"decimal\((\d+), (\d+)\)", stored.means or "")
    if said and int(said[2]) == scale and int(said[1]) <= precision:
        most = {"INT32": _SMALL, "INT64": _LARGE, "FIXED_LEN_BYTE_ARRAY": 38}.get(stored.stored or "", 0)
        if int(said[1]) <= most:
            return spark.DecimalType(int(said[1]), scale)
    raise Unproven(
        f"column {name!r} is decimal({precision}, {scale}), stored as {stored.stored} of {stored.means}"
    )
