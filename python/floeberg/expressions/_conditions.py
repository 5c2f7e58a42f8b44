"""Filters that compute: all conditions but comparisons of a column with literals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.expressions._logic import Expression

if TYPE_CHECKING:
    from floeberg.expressions._logic import Tree

__all__ = ["Condition"]


@dataclass(frozen=True, eq=False)
class Condition(Expression):
    """The rows for which a SQL expression of values is true, such as `price * quantity > 100`.

    An expression has three values, as in SQL: `Condition("NOT (a > b)")` matches no row where `a` is null, and
    `Not(Condition("a > b"))` matches every row that `Condition("a > b")` does not match. It is computed for each
    row that the other tests of a filter leave. Only bounds of fields of variants leave out files because of a
    condition.

    Args:
        text: The expression, in the language of `floeberg.sql_expr`.

    Raises:
        InvalidInputError: The text is no expression, or never a condition, or compares something with NULL.
        UnsupportedError: It has a function or a type that is not known.

    Examples:
        >>> print(Condition("price * quantity > 100") & EqualTo("id", 3))
        price * quantity > 100 AND id = 3
    """

    text: str

    def __post_init__(self) -> None:
        _native.SqlExpression.check_condition(checked_text("text", self.text))

    def as_tree(self) -> Tree:
        return "sql", self.text
