"""How do SHOW and DESCRIBE write types, comments and texts, and read a pattern?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from floeberg.catalog import Catalog
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["comment_clause", "listed_place", "literal_text", "pattern_of", "type_text"]


def pattern_of(words: TokenReader) -> str:
    """What follows LIKE, with `*` for any letters."""
    words.take("LIKE")
    pattern = "*" if words.is_at_end else words.string()
    words.end()
    return pattern.replace("[", "[[]").replace("?", "[?]")


def listed_place(queries: Queries, words: TokenReader) -> tuple[Catalog, tuple[str, ...], str] | None:
    """The catalog and the namespace that a SHOW lists, and the pattern of names; `None` where Spark is to list."""
    if not words.take_one("IN", "FROM"):
        return None
    place = queries.known.existing_namespace(words.name())
    return None if place is None else (*place, pattern_of(words))


def type_text(field: Any) -> str:  # noqa: ANN401 - a field
    """The type as Spark shows it; as Iceberg writes it where Spark lacks it."""
    from floeberg.spark.read.types import spark_type  # noqa: PLC0415 - it imports PySpark

    try:
        return spark_type(field.field_type, truncate_nanoseconds=False, name=field.name).simpleString()
    except UnsupportedError:
        return str(field.field_type)


def comment_clause(doc: str | None) -> str:
    """The clause of a comment; empty where there is none."""
    return f" COMMENT {literal_text(doc)}" if doc else ""


def literal_text(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
