"""Which columns of a table does a user's schema ask for?

In: the table's schema, and the `StructType` that Spark wants. Out: the names to read, and the fields of the batches
that come out: order, names and nullability at every level.

Invariant: no column changes its type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyspark.sql.types as spark

from floeberg.errors import InvalidInputError
from floeberg.spark.read.types import spark_type
from floeberg.types import ListType, MapType, NestedField, StructType

if TYPE_CHECKING:
    from floeberg.types import IcebergType

__all__ = ["OutputField", "names_to_read", "output_fields"]


@dataclass(frozen=True)
class OutputField:
    """A field of the batches that come out.

    Args:
        position: Its position among the fields that are read.
        name: Its name.
        nullable: Whether it may be null.
        children: Its fields; `None` leaves all of them as they are.
    """

    position: int
    name: str
    nullable: bool
    children: tuple[OutputField, ...] | None


@dataclass(frozen=True)
class Matching:
    """How names and types of a schema are compared with those of a table.

    Args:
        case_sensitive: Whether the case of column names counts.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.
    """

    case_sensitive: bool
    truncate_nanoseconds: bool


def names_to_read(fields: tuple[NestedField, ...], wanted: spark.StructType, matching: Matching) -> list[str]:
    """The full names of the columns that a schema asks for.

    Args:
        fields: The columns of the table.
        wanted: The columns of the user's schema.
        matching: How names and types are compared.

    Returns:
        Names for `Scan.select`.

    Raises:
        InvalidInputError: A column is missing, has another type, or may be null against the schema.
    """
    names: list[str] = []
    _walk(fields, wanted, matching, "", names)
    return names


def output_fields(
    fields: tuple[NestedField, ...], wanted: spark.StructType, matching: Matching
) -> tuple[OutputField, ...] | None:
    """The fields that come out of batches of these fields; `None` where no batch changes.

    Args:
        fields: The fields that are read.
        wanted: The columns of the user's schema.
        matching: How names and types are compared.

    Returns:
        The fields that come out, in order.

    Raises:
        InvalidInputError: As for `names_to_read`.
    """
    if not wanted.fields:
        raise InvalidInputError("the schema has no columns: name one at least")
    return _walk(fields, wanted, matching, "", [])


def _walk(
    fields: tuple[NestedField, ...],
    wanted: spark.StructType,
    matching: Matching,
    prefix: str,
    leaves: list[str],
) -> tuple[OutputField, ...] | None:
    positions = _Positions(fields, matching, prefix)
    children: dict[int, OutputField] = {}
    for each in wanted.fields:
        position = positions.find(each.name)
        name = prefix + fields[position].name
        if position in children:
            raise InvalidInputError(f"the schema has column {name!r} twice")
        below = _match(fields[position].field_type, each.dataType, matching, name, leaves)
        _check_null(name, may_be=fields[position].optional, allowed=each.nullable)
        children[position] = OutputField(position, each.name, each.nullable, below)
    unchanged = [
        OutputField(position, field.name, field.optional, None) for position, field in enumerate(fields)
    ]
    found = list(children.values())
    return None if found == unchanged else tuple(found)


class _Positions:
    """The positions of fields, by name."""

    def __init__(self, fields: tuple[NestedField, ...], matching: Matching, prefix: str) -> None:
        self._prefix = prefix
        self._exact = {field.name: position for position, field in enumerate(fields)}
        self._folded: dict[str, list[int]] = {}
        if not matching.case_sensitive:
            for position, field in enumerate(fields):
                self._folded.setdefault(field.name.lower(), []).append(position)

    def find(self, name: str) -> int:
        if name in self._exact:
            return self._exact[name]
        folded = self._folded.get(name.lower(), [])
        if len(folded) == 1:
            return folded[0]
        if folded:
            raise InvalidInputError(f"the name {self._prefix + name!r} is ambiguous without case")
        from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

        known = {each.lower(): each for each in self._exact}
        near = [known[each] for each in get_close_matches(name.lower(), known)]
        hint = f"; near matches: {', '.join(repr(self._prefix + each) for each in near)}" if near else ""
        raise InvalidInputError(
            f"the schema names {self._prefix + name!r}, and the table has no such column{hint}"
        )


def _match(
    kind: IcebergType, wanted: spark.DataType, matching: Matching, name: str, leaves: list[str]
) -> tuple[OutputField, ...] | None:
    if isinstance(kind, StructType) and isinstance(wanted, spark.StructType) and wanted.fields:
        return _walk(kind.fields, wanted, matching, f"{name}.", leaves)
    if isinstance(kind, ListType) and isinstance(wanted, spark.ArrayType):
        below = _match(kind.element_type, wanted.elementType, matching, f"{name}.element", leaves)
        _check_null(f"{name}.element", may_be=not kind.element_required, allowed=wanted.containsNull)
        if below is None and wanted.containsNull != kind.element_required:
            return None
        return (OutputField(0, "element", wanted.containsNull, below),)
    if isinstance(kind, MapType) and isinstance(wanted, spark.MapType):
        key = _match(kind.key_type, wanted.keyType, matching, f"{name}.key", leaves)
        value = _match(kind.value_type, wanted.valueType, matching, f"{name}.value", leaves)
        _check_null(f"{name}.value", may_be=not kind.value_required, allowed=wanted.valueContainsNull)
        if key is None and value is None and wanted.valueContainsNull != kind.value_required:
            return None
        return OutputField(0, "key", nullable=False, children=key), OutputField(
            1, "value", wanted.valueContainsNull, value
        )
    there = spark_type(kind, truncate_nanoseconds=matching.truncate_nanoseconds, name=name)
    if there != wanted:
        raise InvalidInputError(
            f"column {name!r} is of type {there.simpleString()} in the table, and the schema says "
            f"{wanted.simpleString()}: read it as what it is and cast it in Spark"
        )
    leaves.append(name)
    return None


def _check_null(name: str, *, may_be: bool, allowed: bool) -> None:
    if may_be and not allowed:
        raise InvalidInputError(f"column {name!r} may be null in the table, and the schema says NOT NULL")
