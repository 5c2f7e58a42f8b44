"""Which filter does a value mean?

In: an operator, and what its values are in a filter. Out: the same of the whole. Values are true, false or null, as in
SQL, and a filter matches where its value is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions._logic import And, Expression, Not, Or
from floeberg.expressions._parsing import parse
from floeberg.expressions._three_valued import (
    Column,
    Logic,
    Operand,
    Value,
    compared,
    is_in,
    is_nan,
    is_null,
    logic_of,
    starts_with,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["condition_of", "of_filter", "of_operator", "of_text"]

_COMPARISONS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def of_text(text: str) -> Logic:
    """A condition that is written as SQL text.

    Raises:
        InvalidInputError: The text is not a filter.
    """
    return Logic(parse(text), parse(f"NOT ({text})"))


def of_filter(given: Expression) -> Logic:
    """A filter object, which is never null."""
    return Logic(given, Not(given))


def condition_of(operand: Operand, shown: str) -> Logic:
    """A value where a condition stands: a column of bools is one too.

    Raises:
        InvalidInputError: It is a constant other than a bool.
    """
    if isinstance(operand, Value) and not isinstance(operand.value, bool):
        raise InvalidInputError(f"expected a condition, found the constant {operand.value!r} in {shown}")
    return logic_of(operand)


def of_operator(word: str, operands: Sequence[Operand], shown: str) -> Operand:
    """What an operator makes of values.

    Raises:
        InvalidInputError: A value is not a condition where one is needed.
        UnsupportedError: It computes, or compares two columns.
    """
    if word in {"AND", "OR", "NOT"}:
        return _joined(word, [condition_of(each, shown) for each in operands])
    first, *others = operands
    if word in _COMPARISONS:
        found = _compared(first, _COMPARISONS[word], others[0])
    elif word == "IS NULL" and isinstance(first, Logic):
        known = Or(first.true, first.false)
        found = Logic(Not(known), known)
    elif isinstance(first, Column):
        found = _test(word, first, [each.value for each in others if isinstance(each, Value)])
    else:
        found = None
    if found is None:
        raise UnsupportedError(
            f"the filter {shown} is not supported: filters compare a column with a constant. New values and conditions "
            "of merges may compute and compare columns"
        )
    return found


def _joined(word: str, conditions: Sequence[Logic]) -> Logic:
    if word == "NOT":
        return conditions[0].negated()
    true, false = [each.true for each in conditions], [each.false for each in conditions]
    return Logic(And(*true), Or(*false)) if word == "AND" else Logic(Or(*true), And(*false))


def _compared(left: Operand, word: str, right: Operand) -> Logic | None:
    kinds = {type(left), type(right)}
    if kinds == {Column, Value}:
        return compared(left, word, right)
    if isinstance(left, Value):
        left, right = right, left
    if not isinstance(right, Value):
        return None
    if isinstance(left, Logic) and isinstance(right.value, bool) and word in {"==", "!="}:
        return left if right.value == (word == "==") else left.negated()
    return None


def _test(word: str, column: Column, values: list[object]) -> Logic | None:
    if word == "IS NULL":
        return is_null(column)
    if word == "IS NAN":
        return is_nan(column)
    if word == "STARTS WITH":
        return starts_with(column, str(values[0]))
    if word == "IN":
        return is_in(column, values, null_is_null=True)
    return None
