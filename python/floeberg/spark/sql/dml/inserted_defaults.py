"""What does DEFAULT in the VALUES of an INSERT stand for?

In: the text of the query. Out: the same text, with the defaults of the columns instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.sql.dml.assignments import default_of
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.spark.sql.text.token_reader import Span
    from floeberg.types import NestedField

__all__ = ["with_defaults"]


def with_defaults(text: str, fields: Sequence[NestedField]) -> str:
    """The text of a query, with defaults instead of `DEFAULT` in its VALUES. Any other query stays as it is.

    Args:
        text: The query.
        fields: The columns of the table that the values of a row are for.

    Raises:
        UnsupportedError: It is the default of a nested column.
    """
    statement = read_statement(text)
    if statement is None or not dialect().has_defaults:
        return text
    words = TokenReader.of(statement)
    if not words.take("VALUES"):
        return text
    parts, end = list[str](), 0
    for field, value in _values(words, fields):
        if [word.upper for word in value.words] == ["DEFAULT"]:
            first, last = value.words[0].start, value.words[-1].end
            parts += [text[end:first], default_of(field, "INSERT")]
            end = last
    return "".join((*parts, text[end:]))


def _values(words: TokenReader, fields: Sequence[NestedField]) -> Iterator[tuple[NestedField, Span]]:
    """The values of all rows, each with its column. A row of one value may stand without brackets."""
    while True:
        row = words.inside() if words.follows("(") else None
        for field in fields:
            yield field, (words if row is None else row).until(",")
            if row is None or not row.take(","):
                break
        if not words.take(","):
            return
