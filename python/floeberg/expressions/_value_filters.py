"""Which filter does a value mean?

In: an operator, and what its values are in a filter. Out: the same of the whole. Values are true, false or null, as in
SQL, and a filter matches where its value is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions._logic import And, Expression, Not, Or
from floeberg.expressions._parsing import parse
from floeberg.expressions._three_valued import (
    Column,
    Computed,
    Logic,
    Operand,
    Value,
    compared,
    computed,
    is_in,
    is_nan,
    is_null,
    logic_of,
    starts_with,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["condition_of", "of_filter", "of_operator", "of_text"]

_ARITHMETIC = {"+", "-", "*", "/", "%", "neg", "CAST", "VARIANT_GET", "TRY_VARIANT_GET"}
_TYPED = {"CAST", "VARIANT_GET", "TRY_VARIANT_GET"}
_COMPARISONS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def of_text(text: str) -> Operand:
    """What SQL text is in a filter: a condition, or a value that others are compared with.

    Raises:
        InvalidInputError: The text is neither.
    """
    try:
        return Logic(parse(text), parse(f"NOT ({text})"))
    except InvalidInputError:
        try:
            _native.SqlExpression.parse(text)
            # A value that can be a part of a condition: names of partition transforms are no functions there.
            _native.SqlExpression.check_condition(f"({text}) IS NULL")
        except (InvalidInputError, UnsupportedError):
            pass
        else:
            return Computed(text, may_be_condition=False)
        raise


def of_filter(given: Expression) -> Logic:
    """A filter object, which is never null."""
    return Logic(given, Not(given))


def condition_of(operand: Operand, shown: str) -> Logic:
    """A value where a condition stands: a column of bools is one too.

    Raises:
        InvalidInputError: It is a constant other than a bool, or a number or a text that is computed.
    """
    if isinstance(operand, Value) and not isinstance(operand.value, bool):
        raise InvalidInputError(f"expected a condition, found the constant {operand.value!r} in {shown}")
    if isinstance(operand, Computed) and not operand.may_be_condition:
        raise InvalidInputError(f"expected a condition, found a value in {shown}: compare it")
    return logic_of(operand)


def of_operator(word: str, operands: Sequence[Operand], shown: str, text: Callable[[], str]) -> Operand:
    """What an operator makes of values.

    Args:
        word: The operator, as SQL writes it.
        operands: Its values.
        shown: The whole as Python writes it, for errors.
        text: The whole as SQL text. What no test of a column says is computed of it.

    Raises:
        InvalidInputError: A value is not a condition where one is needed.
        UnsupportedError: A constant cannot be computed with.
    """
    if word in {"AND", "OR", "NOT"}:
        return _joined(word, [condition_of(each, shown) for each in operands])
    if word in _ARITHMETIC:
        return Computed(text(), may_be_condition=word in _TYPED)
    first, *others = operands
    found: Logic | None = None
    if word in _COMPARISONS:
        found = _compared(first, _COMPARISONS[word], others[0])
    elif word == "IS NULL" and isinstance(first, Logic):
        known = Or(first.true, first.false)
        found = Logic(Not(known), known)
    elif isinstance(first, Column):
        found = _test(word, first, [each.value for each in others if isinstance(each, Value)])
    return computed(text()) if found is None else found


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
