"""What does DEFAULT in the VALUES of an INSERT stand for?

In: the query. Out: the same, with the defaults of the columns instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.sql.dml.assignments import default_of
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.edits import Edit, rewritten
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.spark.sql.text.statement import Statement
    from floeberg.types import NestedField

__all__ = ["with_defaults"]


def with_defaults(query: Statement, fields: Sequence[NestedField]) -> Statement:
    """A query, with defaults instead of `DEFAULT` in its VALUES. Any other query stays as it is.

    Args:
        query: The query.
        fields: The columns of the table that the values of a row are for.

    Raises:
        UnsupportedError: It is the default of a nested column.
    """
    words = TokenReader.of(query)
    if not dialect().has_defaults or not words.take("VALUES"):
        return query
    changes = [
        Edit(value.start, value.end, default_of(field, "INSERT"))
        for field, value in _values(words, fields)
        if value.is_word("DEFAULT")
    ]
    return rewritten(query, changes) or query


def _values(words: TokenReader, fields: Sequence[NestedField]) -> Iterator[tuple[NestedField, Statement]]:
    """The values of all rows, each with its column. A row of one value may stand without brackets."""
    while True:
        row = words.inside() if words.follows("(") else None
        for field in fields:
            yield field, (words if row is None else row).until(",")
            if row is None or not row.take(","):
                break
        if not words.take(","):
            return
