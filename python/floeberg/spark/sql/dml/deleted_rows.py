"""May a statement that changes rows ask whether they are deleted?

Naming `_deleted` brings deleted rows back, and what is gone cannot be changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.sql.query.metadata_columns import DELETED
from floeberg.spark.sql.text.grammar import Delete, Merge, Update

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["check_no_deleted_rows"]


def check_no_deleted_rows(queries: Queries, parts: Delete | Update | Merge) -> None:
    """Checks that no condition or value names `_deleted`, unless the table has a column of that name.

    Raises:
        InvalidInputError: One does.
    """
    found = queries.known.find(parts.target.parts)
    if found is None or any(each.name.lower() == DELETED for each in found.table.schema().fields):
        return
    for each in _said(parts):
        if DELETED in each.words:
            word = type(parts).__name__.upper()
            raise InvalidInputError(
                f"{word}: {each.text}: {DELETED} is a metadata column, which brings deleted rows back: these cannot be "
                "changed"
            )


def _said(parts: Delete | Update | Merge) -> Iterator[Statement]:
    if parts.condition is not None:
        yield parts.condition
    if isinstance(parts, Update):
        yield from (value for _, value in parts.settings)
    if isinstance(parts, Merge):
        for clause in parts.clauses:
            if clause.condition is not None:
                yield clause.condition
            yield from (value for _, value in clause.settings or ())
