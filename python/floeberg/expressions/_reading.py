"""What may be given as a filter?"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from floeberg._arguments import checked_bool
from floeberg.errors import InvalidInputError
from floeberg.expressions._foreign import foreign_filter
from floeberg.expressions._logic import AlwaysTrue, Expression
from floeberg.expressions._parsing import parse
from floeberg.expressions._values import ValueExpression

__all__ = ["AnyFilter", "as_delete_filter", "as_expression"]


class ForeignFilter(Protocol):
    """An expression of PyIceberg, pyarrow or polars: the methods that they have in common."""

    def __invert__(self) -> Any:  # noqa: ANN401 - of the class that it is
        """Its negation."""


AnyFilter: TypeAlias = Expression | ValueExpression | str | ForeignFilter
"""What a user may pass as a filter."""


def as_expression(row_filter: AnyFilter) -> Expression:
    """Converts anything that may be given as a filter.

    Args:
        row_filter: A filter, a comparison of `col`, SQL text, or a filter of PyIceberg, pyarrow or polars.

    Returns:
        The filter as an object.

    Raises:
        InvalidInputError: It has another type, or the text is not a filter. A bool is none: Python has evaluated
            a comparison, such as `"id" != 3`.
        UnsupportedError: It has no equivalent as a filter.

    Examples:
        >>> as_expression("true")
        AlwaysTrue()
    """
    if isinstance(row_filter, Expression):
        return row_filter
    if isinstance(row_filter, str):
        return parse(row_filter)
    if isinstance(row_filter, ValueExpression):
        return row_filter.as_filter()
    if isinstance(row_filter, bool) or type(row_filter).__name__ in {"bool_", "bool"}:
        raise InvalidInputError(
            f'a filter cannot be the bool {row_filter}, which is what Python makes of a comparison such as "id" != 3. '
            'Write fb.col("id") != 3 or "id != 3"; or AlwaysTrue() or "true" for every row'
        )
    foreign = foreign_filter(row_filter)
    if foreign is not None:
        return foreign
    raise InvalidInputError(
        "expected SQL text, a comparison of fb.col or a filter of floeberg.expressions, found "
        f"{type(row_filter).__name__}"
    )


def as_delete_filter(delete_filter: AnyFilter | None, *, delete_all: bool) -> Expression:
    """The rows that a delete is asked to delete.

    Args:
        delete_filter: The filter; `None` is none.
        delete_all: Whether all rows are meant.

    Raises:
        InvalidInputError: There is neither a filter nor `delete_all`, or both; or the filter is wrong.
    """
    checked_bool("delete_all", delete_all)
    if delete_filter is None:
        if delete_all:
            return AlwaysTrue()
        raise InvalidInputError(
            "delete_filter: expected a filter. To delete all rows, write delete(delete_all=True)"
        )
    if delete_all:
        raise InvalidInputError("delete_filter and delete_all exclude each other")
    return as_expression(delete_filter)
