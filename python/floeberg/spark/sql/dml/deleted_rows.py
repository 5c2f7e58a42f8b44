"""May a statement that changes rows ask whether they are deleted?

Naming `_deleted` brings deleted rows back, and what is gone cannot be changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.sql.query.metadata_columns import DELETED
from floeberg.spark.sql.text.grammar import Delete, Merge, Update
from floeberg.spark.sql.text.statement import read_statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.sql.query.queries import Queries

__all__ = ["check_no_deleted_rows"]


def check_no_deleted_rows(queries: Queries, parts: Delete | Update | Merge) -> None:
    """Checks that no condition or value names `_deleted`, unless the table has a column of that name.

    Raises:
        InvalidInputError: One does.
    """
    found = queries.known.find(parts.target.parts)
    if found is None or any(each.name.lower() == DELETED for each in found.table.schema().fields):
        return
    for text in _texts(parts):
        statement = read_statement(text)
        if statement is not None and DELETED in statement.words:
            word = type(parts).__name__.upper()
            raise InvalidInputError(
                f"{word}: {text}: {DELETED} is a metadata column, which brings deleted rows back: these cannot be "
                "changed"
            )


def _texts(parts: Delete | Update | Merge) -> Iterator[str]:
    if parts.condition is not None:
        yield parts.condition
    if isinstance(parts, Update):
        yield from (text for _, text in parts.settings)
    if isinstance(parts, Merge):
        for clause in parts.clauses:
            if clause.condition is not None:
                yield clause.condition
            yield from (text for _, text in clause.settings or ())
