"""How is a filter parsed, from SQL text or JSON?"""

from __future__ import annotations

import json
from typing import Any, Protocol, cast

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError
from floeberg.expressions._conditions import Condition
from floeberg.expressions._literals import LiteralTree, from_tree
from floeberg.expressions._logic import AlwaysFalse, AlwaysTrue, And, Expression, Not, Or, Tree
from floeberg.expressions._predicates import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNaN,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Membership,
    NotEqualTo,
    NotIn,
    NotNaN,
    NotNull,
    NotStartsWith,
    StartsWith,
    Test,
)
from floeberg.expressions._terms import Reference, Transformed

__all__ = ["expression_of_tree", "from_json", "parse"]

_TESTS: dict[str, type[Test]] = {
    "is-null": IsNull,
    "not-null": NotNull,
    "is-nan": IsNaN,
    "not-nan": NotNaN,
    "eq": EqualTo,
    "not-eq": NotEqualTo,
    "lt": LessThan,
    "lt-eq": LessThanOrEqual,
    "gt": GreaterThan,
    "gt-eq": GreaterThanOrEqual,
    "starts-with": StartsWith,
    "not-starts-with": NotStartsWith,
    "in": In,
    "not-in": NotIn,
}


class ColumnNames(Protocol):
    """The columns by their field ids, as a `floeberg.types.Schema` has them."""

    @property
    def field_ids(self) -> set[int]: ...

    def find_column_name(self, column_id: int) -> str | None: ...


def parse(text: str) -> Expression:
    """Parses a filter in SQL, as in a WHERE clause.

    `= == != <> < <= > >=`, `IN`, `NOT IN`, `IS [NOT] NULL`, `IS [NOT] NAN`, `LIKE 'x%'`, `STARTS WITH`,
    `BETWEEN`, `AND`, `OR`, `NOT`, parentheses, dotted and quoted names, and typed literals such as
    `DATE '2026-01-01'`. The filter gets additional tests, so that nulls have the meaning of SQL. What compares other
    things than a column and literals becomes a `Condition`, as in `price * quantity > 100`.

    Args:
        text: The filter.

    Returns:
        The filter as an object.

    Raises:
        InvalidInputError: The text is not a filter. The error gives the position.
        UnsupportedError: It has a function or a type that is not known.

    Examples:
        >>> parse("id IN (1, 2)")
        In('id', [1, 2])
        >>> parse("id IN (1, 2) AND price * 2 > 100")
        And(In('id', [1, 2]), Condition(text='price * 2 > 100'))
    """
    return expression_of_tree(_native.parse_expression(checked_text("text", text)))


def from_json(filter: dict[str, Any] | str | bool, *, schema: ColumnNames | None = None) -> Expression:  # noqa: A002, FBT001 - PyIceberg's word
    """Parses a filter in the JSON form of the REST catalog specification.

    Args:
        filter: A JSON object or text of one, or `True` or `False`.
        schema: The schema whose field ids the filter has, where it refers to columns by id.

    Returns:
        The filter as an object.

    Raises:
        InvalidInputError: It is not a filter. The error says what was expected.

    Examples:
        >>> from_json({"type": "eq", "term": "id", "value": 3})
        EqualTo('id', 3)
    """
    try:
        text = filter if isinstance(filter, str) else json.dumps(filter)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"filter: expected a JSON object: {error}") from error
    names = None
    if schema is not None:
        found = {number: schema.find_column_name(number) for number in schema.field_ids}
        names = {number: name for number, name in found.items() if name is not None}
    return expression_of_tree(_native.expression_from_json(checked_text("filter", text), names))


def expression_of_tree(tree: Tree) -> Expression:
    """The filter of a tree that Rust made."""
    head = tree[0]
    if head in {"true", "false"}:
        return AlwaysTrue() if head == "true" else AlwaysFalse()
    if head == "sql":
        return Condition(tree[1])
    if head == "not":
        return Not(expression_of_tree(tree[1]))
    if head in {"and", "or"}:
        children = [expression_of_tree(child) for child in tree[1]]
        return And(*children) if head == "and" else Or(*children)
    _, name, transform, trees = cast("tuple[str, str, str | None, list[LiteralTree]]", tree)
    test = cast("Any", _TESTS[head])
    term = Reference(name) if transform is None else Transformed(transform, name)
    literals = [from_tree(literal) for literal in trees]
    if issubclass(test, Membership):
        return test(term, literals)
    return test(term, *literals)
