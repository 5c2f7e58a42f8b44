"""Which columns and types does a session read in a text?

In: what stands in the brackets of CREATE TABLE, or after the name of a new column. Out: columns of Spark, or a type of
Iceberg.

Invariant: the session of the statement reads the text, and not another one that is active: TIMESTAMP may have no zone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from floeberg.errors import InvalidInputError
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.session.names import folding
from floeberg.spark.session.time_types import TIME_TYPES
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.write.new_schema import iceberg_type
from floeberg.types import ListType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql.types import StructType as SparkStruct

    from floeberg.types import IcebergType, NestedField, Schema

__all__ = ["check_new_names", "columns_of", "type_of"]

_TIME = re.compile(r"\btime\b", re.IGNORECASE)


def columns_of(text: str) -> SparkStruct:
    """The columns that a text lists. CHAR and VARCHAR are strings, as in Iceberg's integration with Spark."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    spark = dialect().spark or SparkSession.active()
    # No value of a time passes through Spark here.
    with changed_settings(spark, {TIME_TYPES: "true"} if _TIME.search(text) else {}):
        schema = spark.sql(f"SELECT CAST(NULL AS STRUCT<{text}\n>) AS c").schema
    return cast("SparkStruct", schema.fields[0].dataType)


def type_of(text: str, name: str) -> tuple[IcebergType, bool]:
    """The type that Spark reads in a text, and whether it is nullable."""
    (field,) = columns_of(f"c {text}").fields
    return iceberg_type(field.dataType, name, case_sensitive=dialect().case_sensitive), field.nullable


def check_new_names(schema: Schema, paths: Sequence[tuple[str, ...]], *, own: str | None = None) -> None:
    """Checks that new columns have names that no column beside them has, in this session.

    Args:
        schema: The columns of the table.
        paths: The names of the new ones, with those of the structs above them.
        own: The name that a column has which gets a new one.

    Raises:
        InvalidInputError: One has.
    """
    seen: set[tuple[str, ...]] = set()
    for path in paths:
        *above, name = path
        folded = tuple(map(_folded, path))
        beside = [each.name for each in _fields_of(StructType(*schema.fields), above) if each.name != own]
        if folded in seen or _folded(name) in map(_folded, beside):
            same = "" if dialect().case_sensitive else " where spark.sql.caseSensitive is off"
            raise InvalidInputError(f"ALTER TABLE: there is a column {'.'.join(path)!r} already{same}")
        seen.add(folded)


def _fields_of(kind: IcebergType, above: Sequence[str]) -> Sequence[NestedField]:
    """The fields of a struct by its path, in which `element` and `value` may be left out; none where there is none."""
    if isinstance(kind, ListType):
        return _fields_of(kind.element_type, above[1:] if above[:1] == ["element"] else above)
    if isinstance(kind, MapType):
        if above[:1] == ["key"]:
            return _fields_of(kind.key_type, above[1:])
        return _fields_of(kind.value_type, above[1:] if above[:1] == ["value"] else above)
    if not isinstance(kind, StructType) or not above:
        return kind.fields if isinstance(kind, StructType) else ()
    found = next((each for each in kind.fields if _folded(each.name) == _folded(above[0])), None)
    return () if found is None else _fields_of(found.field_type, above[1:])


def _folded(name: str) -> str:
    return folding(case_sensitive=dialect().case_sensitive)(name)
