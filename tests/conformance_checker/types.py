"""Types of columns, as the JSON of a schema writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = Any
Type = Any
"""A word, or a JSON object."""

FROM_1 = frozenset(
    [
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "string",
        "uuid",
        "binary",
    ]
)
FROM_3 = frozenset(["timestamp_ns", "timestamptz_ns", "unknown", "variant"])
PROMOTIONS = {
    ("int", "long"),
    ("float", "double"),
    ("date", "timestamp"),
    ("date", "timestamp_ns"),
}


@dataclass(frozen=True)
class Column:
    """A field of a schema, wherever it stands.

    Attributes:
        number: Its id.
        name: Its own name.
        type: Its type.
        required: Whether it must hold a value.
        above: The ids of what it stands in, outermost first.
        repeated: Whether it stands in a list or map.
        json: The object that declares it; of elements, keys and values that of the list or map.
    """

    number: int
    name: str
    type: Type
    required: bool
    above: tuple[int, ...]
    repeated: bool
    json: Json


def columns(fields: list[Json], above: tuple[int, ...] = (), *, repeated: bool = False) -> Iterator[Column]:
    """All fields below some, parents before children."""
    for field in fields:
        column = Column(
            field["id"], field["name"], field["type"], bool(field["required"]), above, repeated, field
        )
        yield column
        yield from _below(column)


def _below(column: Column) -> Iterator[Column]:
    if isinstance(column.type, str):
        return
    above = (*column.above, column.number)
    kind = column.type
    if kind["type"] == "struct":
        yield from columns(kind["fields"], above, repeated=column.repeated)
        return
    if kind["type"] == "list":
        parts = [("element", kind["element-id"], kind["element"], kind["element-required"])]
    else:
        parts = [
            ("key", kind["key-id"], kind["key"], True),
            ("value", kind["value-id"], kind["value"], kind["value-required"]),
        ]
    for name, number, inner, required in parts:
        child = Column(number, name, inner, bool(required), above, True, kind)
        yield child
        yield from _below(child)


def kind_of(type_: Type) -> str:
    """The word of a type without its parameters: `decimal`, `struct`, `int`."""
    return type_["type"] if isinstance(type_, dict) else re.split(r"[(\[]", type_)[0]


def is_nested(type_: Type) -> bool:
    """Is it a struct, list or map?"""
    return isinstance(type_, dict)


def decimal_of(type_: Type) -> tuple[int, int] | None:
    """Precision and scale; `None` where it is no decimal."""
    found = re.fullmatch(r"decimal\((\d+), ?(\d+)\)", type_) if isinstance(type_, str) else None
    return (int(found[1]), int(found[2])) if found else None


def length_of(type_: Type) -> int | None:
    """The length of `fixed`; `None` where it is none."""
    found = re.fullmatch(r"fixed\[(\d+)\]", type_) if isinstance(type_, str) else None
    return int(found[1]) if found else None


def version_of(type_: Type) -> int | None:
    """The first format version that has a type; `None` where none has."""
    kind = kind_of(type_)
    if is_nested(type_) or kind in FROM_1 or length_of(type_):
        return 1
    if (decimal := decimal_of(type_)) is not None:
        return 1 if 1 <= decimal[0] <= 38 and decimal[1] <= decimal[0] else None
    if kind in FROM_3 or kind in ("geometry", "geography"):
        return 3
    return None


def is_promotion(before: Type, after: Type) -> bool:
    """May a column of one type become one of another?"""
    if is_nested(before) or is_nested(after):
        return kind_of(before) == kind_of(after)
    if before == after or (before, after) in PROMOTIONS or before == "unknown":
        return True
    old, new = decimal_of(before), decimal_of(after)
    return old is not None and new is not None and new[1] == old[1] and new[0] >= old[0]


def transformed(transform: str, source: Type) -> Type | None:
    """The type of a transform's values; `None` where it takes no such column."""
    kind, name = kind_of(source), transform.partition("[")[0]
    times = ("timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")
    takes = {
        "identity": lambda: not is_nested(source) and kind not in ("variant", "geometry", "geography"),
        "void": lambda: True,
        "bucket": lambda: (
            kind in ("int", "long", "decimal", "date", "time", *times, "string", "uuid", "fixed", "binary")
        ),
        "truncate": lambda: kind in ("int", "long", "decimal", "string", "binary"),
        "year": lambda: kind in ("date", *times),
        "month": lambda: kind in ("date", *times),
        "day": lambda: kind in ("date", *times),
        "hour": lambda: kind in times,
    }
    if name not in takes or not (takes[name]() or kind == "unknown"):
        return None
    if name in ("identity", "void", "truncate"):
        return source
    return "date" if name == "day" else "int"
