"""How is COMMENT ON run: of tables, columns and namespaces?

The comment of a table or a namespace is its property `comment`, that of a column its doc. NULL removes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.sql.ddl.namespaces import NAMESPACES
from floeberg.spark.sql.text.constants import evaluated
from floeberg.spark.sql.text.dialect import dialect

if TYPE_CHECKING:
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.known_tables import Found
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["comment_on"]

_COMMENT = "comment"


def comment_on(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `COMMENT ON`; `False` where Spark is to."""
    kind = words.take_word().upper
    parts = words.name()
    known = queries.known
    if kind == "TABLE":
        found = known.find(parts)
        if found is None:
            return False
        _check_whole(found, parts)
        text = _text(queries, words)
        if text is not None:
            found.table.set_properties({_COMMENT: text})
        elif _COMMENT in found.table.properties:
            found.table.remove_properties(_COMMENT)
        return True
    if kind == "COLUMN":
        return _comment_on_column(queries, words, parts)
    if kind not in NAMESPACES:
        return False
    known.check_one_namespace(parts)
    place = known.existing_namespace(parts)
    if place is None:
        return False
    catalog, levels = place
    text = _text(queries, words)
    removals = [_COMMENT] if text is None and _COMMENT in catalog.load_namespace_properties(levels) else []
    catalog.update_namespace_properties(levels, removals, {} if text is None else {_COMMENT: text})
    return True


def _comment_on_column(queries: Queries, words: TokenReader, parts: tuple[str, ...]) -> bool:
    lengths = range(len(parts) - 1, 1, -1)
    length = next(
        (each for each in lengths if queries.known.look_up(parts[:each]) is not None), len(parts) - 1
    )
    found = queries.known.find(parts[:length])
    if found is None:
        return False
    _check_whole(found, parts)
    text = _text(queries, words)
    found.table.update_schema(case_sensitive=dialect().case_sensitive).update_column(
        parts[length:], doc=text or ""
    ).commit()
    return True


def _check_whole(found: Found, parts: tuple[str, ...]) -> None:
    if not found.is_whole:
        raise InvalidInputError(f"COMMENT ON: {'.'.join(parts)!r}: comments are of tables: name the table")


def _text(queries: Queries, words: TokenReader) -> str | None:
    """What follows `IS`: a text as Spark reads it, or `None`."""
    words.expect("IS")
    piece = words.rest()
    if piece.is_word("NULL"):
        return None
    value = evaluated(queries.spark, piece.text, queries.args)
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"COMMENT ON: {piece.text}: expected a text or NULL")
    return value
