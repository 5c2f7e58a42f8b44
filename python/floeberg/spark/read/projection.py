"""Which columns of a table does a schema that the user gave ask for?

In: the table's schema, and the `StructType` that Spark wants. Out: the names to read, and the shape that the batches
get: order, names and nullability at every level.

Invariant: a column comes out as the type that it has in the table, or not at all.
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

__all__ = ["Child", "names_to_read", "shape_of"]


@dataclass(frozen=True)
class Child:
    """A field of what comes out.

    Args:
        place: Where it is among the fields that are read.
        name: Its name.
        nullable: Whether it may be null.
        children: The fields of it; `None` leaves all as they are.
    """

    place: int
    name: str
    nullable: bool
    children: tuple[Child, ...] | None


@dataclass(frozen=True)
class Matching:
    """How names and types of a schema are held against those of a table.

    Args:
        case_sensitive: Whether the case of names counts.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.
    """

    case_sensitive: bool
    truncate_nanoseconds: bool


def names_to_read(fields: tuple[NestedField, ...], wanted: spark.StructType, matching: Matching) -> list[str]:
    """The full names of the columns that a schema asks for.

    Args:
        fields: The columns that there are.
        wanted: The columns that are to come out.
        matching: How names and types are compared.

    Returns:
        Names for `Scan.select`.

    Raises:
        InvalidInputError: A column is not there, has another type, or may be null and is said not to be.
    """
    names: list[str] = []
    _walk(fields, wanted, matching, "", names)
    return names


def shape_of(
    fields: tuple[NestedField, ...], wanted: spark.StructType, matching: Matching
) -> tuple[Child, ...] | None:
    """The shape that batches of these fields get; `None` where they have it already.

    Args:
        fields: The fields that are read.
        wanted: What is to come out.
        matching: How names and types are compared.

    Returns:
        The fields that come out, in order.

    Raises:
        InvalidInputError: As `names_to_read`.
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
) -> tuple[Child, ...] | None:
    places = _Places(fields, matching, prefix)
    children: dict[int, Child] = {}
    for each in wanted.fields:
        place = places.find(each.name)
        name = prefix + fields[place].name
        if place in children:
            raise InvalidInputError(f"the schema has column {name!r} twice")
        below = _match(fields[place].field_type, each.dataType, matching, name, leaves)
        _check_null(name, may_be=fields[place].optional, allowed=each.nullable)
        children[place] = Child(place, each.name, each.nullable, below)
    unchanged = [Child(place, field.name, field.optional, None) for place, field in enumerate(fields)]
    found = list(children.values())
    return None if found == unchanged else tuple(found)


class _Places:
    """Where fields are, by name."""

    def __init__(self, fields: tuple[NestedField, ...], matching: Matching, prefix: str) -> None:
        self._prefix = prefix
        self._exact = {field.name: place for place, field in enumerate(fields)}
        self._folded: dict[str, list[int]] = {}
        if not matching.case_sensitive:
            for place, field in enumerate(fields):
                self._folded.setdefault(field.name.lower(), []).append(place)

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
) -> tuple[Child, ...] | None:
    if isinstance(kind, StructType) and isinstance(wanted, spark.StructType) and wanted.fields:
        return _walk(kind.fields, wanted, matching, f"{name}.", leaves)
    if isinstance(kind, ListType) and isinstance(wanted, spark.ArrayType):
        below = _match(kind.element_type, wanted.elementType, matching, f"{name}.element", leaves)
        _check_null(f"{name}.element", may_be=not kind.element_required, allowed=wanted.containsNull)
        if below is None and wanted.containsNull != kind.element_required:
            return None
        return (Child(0, "element", wanted.containsNull, below),)
    if isinstance(kind, MapType) and isinstance(wanted, spark.MapType):
        key = _match(kind.key_type, wanted.keyType, matching, f"{name}.key", leaves)
        value = _match(kind.value_type, wanted.valueType, matching, f"{name}.value", leaves)
        _check_null(f"{name}.value", may_be=not kind.value_required, allowed=wanted.valueContainsNull)
        if key is None and value is None and wanted.valueContainsNull != kind.value_required:
            return None
        return Child(0, "key", nullable=False, children=key), Child(
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
