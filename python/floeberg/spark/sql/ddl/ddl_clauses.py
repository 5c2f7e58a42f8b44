"""What do the parts say that several statements about tables share: columns, properties, transforms, orders?

In: words. Out: values of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["NewColumn", "applied", "keys", "literal", "new_column", "properties", "sort_field", "transform"]

_SINGULAR = {
    "years": "year",
    "months": "month",
    "days": "day",
    "hours": "hour",
    "date": "day",
    "date_hour": "hour",
}
_TRANSFORMS = ("year", "month", "day", "hour", "bucket", "truncate", "identity", "void")
_ENDS_TYPE = ("NOT", "COMMENT", "FIRST", "AFTER", "DEFAULT")


@dataclass(frozen=True)
class NewColumn:
    """A column that is added.

    Args:
        parts: Its name.
        kind: Its type, as Spark writes it.
        required: Whether it is never null.
        comment: Its comment.
        first: Whether it comes first.
        after: The column that it comes after.
    """

    parts: tuple[str, ...]
    kind: str
    required: bool = False
    comment: str | None = None
    first: bool = False
    after: str | None = None


def new_column(words: TokenReader, parts: tuple[str, ...] | None = None) -> NewColumn:
    """A column: its name, type, and what follows.

    Args:
        words: The words.
        parts: The name, if it is read already.
    """
    parts = words.name() if parts is None else parts
    words.take(":")
    kind = words.type_text(*_ENDS_TYPE)
    required, first, comment, after = False, False, None, None
    while not (words.is_at_end or words.next() in {",", ")"}):
        if words.take("NOT"):
            words.expect("NULL")
            required = True
        elif words.take("COMMENT"):
            comment = words.string()
        elif words.take("FIRST"):
            first = True
        elif words.take("AFTER"):
            after = words.one_name()
        else:
            words.unexpected("NOT NULL, COMMENT, FIRST or AFTER")
    return NewColumn(parts, kind, required, comment, first, after)


def properties(words: TokenReader) -> dict[str, str]:
    """Properties in brackets: `('a' = 'b', c = 'd', 'e' 'f')`."""
    inside, found = words.inside(), dict[str, str]()
    while not inside.is_at_end:
        key = inside.string() if inside.is_string() else ".".join(inside.name())
        inside.take("=")
        found[key] = literal(inside)
        if not inside.take(","):
            inside.end()
    return found


def keys(words: TokenReader) -> list[str]:
    """Names of properties in brackets."""
    inside, found = words.inside(), list[str]()
    while not inside.is_at_end:
        found.append(inside.string() if inside.is_string() else ".".join(inside.name()))
        if not inside.take(","):
            inside.end()
    return found


def literal(words: TokenReader) -> str:
    """The value of a property: a string, a number, `true` or `false`."""
    if words.is_string():
        return words.string()
    if words.next() in {"TRUE", "FALSE"}:
        return words.take_word().text.lower()
    sign = "-" if words.take("-") else ""
    if not words.next()[:1].isdigit():
        words.unexpected("a string, a number, true or false")
    text = words.take_word().text
    while words.next()[:1] == "." or words.next()[:1].isdigit():
        text += words.take_word().text
    return sign + text


def transform(words: TokenReader) -> tuple[str, str]:
    """A column with a transform: the column, and the transform as the specification writes it.

    Raises:
        UnsupportedError: There is no such transform.
    """
    parts = words.name()
    if not words.follows("("):
        return ".".join(parts), "identity"
    written = parts[0].lower()
    name = _SINGULAR.get(written, written)
    if len(parts) > 1 or name not in _TRANSFORMS:
        raise UnsupportedError(f"{'.'.join(parts)}: expected one of the transforms {', '.join(_TRANSFORMS)}")
    inside = words.inside()
    if name not in {"bucket", "truncate"}:
        column = ".".join(inside.name())
        inside.end()
        return column, name
    # The number comes first or last.
    if inside.next()[:1].isdigit():
        number = inside.integer()
        inside.expect(",")
        column = ".".join(inside.name())
    else:
        column = ".".join(inside.name())
        inside.expect(",")
        number = inside.integer()
    inside.end()
    return column, f"{name}[{number}]"


def applied(how: str, column: str) -> str:
    """A transform of a column as Spark writes it, of a transform as the specification writes it."""
    name, _, number = how.rstrip("]").partition("[")
    return f"{name}({number}, {column})" if number else f"{name}({column})"


def sort_field(words: TokenReader) -> dict[str, Any]:
    """A field of a sort order: the arguments of `UpdateSortOrder.asc` and `desc`, and which of them."""
    column, how = transform(words)
    descending = words.take("DESC")
    if not descending:
        words.take("ASC")
    nulls = None
    if words.take("NULLS"):
        nulls = "nulls-first" if words.take("FIRST") else "nulls-last"
        if nulls == "nulls-last":
            words.expect("LAST")
    else:
        nulls = "nulls-last" if descending else "nulls-first"
    return {"descending": descending, "column": column, "transform": how, "null_order": nulls}
