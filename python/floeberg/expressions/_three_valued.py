"""How does three-valued logic become two-valued filters?

Expressions of pyarrow and polars are true, false or null, and keep rows where they are true. Filters here are true or
false. So each expression becomes a pair of filters: where it is true, and where it is false.
"""

from __future__ import annotations

from dataclasses import dataclass

from floeberg.errors import UnsupportedError
from floeberg.expressions._conditions import Condition
from floeberg.expressions._logic import AlwaysFalse, AlwaysTrue, And, Expression, Not, Or
from floeberg.expressions._predicates import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNaN,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotEqualTo,
    NotIn,
    NotNull,
    StartsWith,
)

_COMPARISONS = {
    "==": EqualTo,
    "!=": NotEqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Column:
    """A column that is compared, by its full name."""

    name: str


@dataclass(frozen=True)
class Value:
    """A literal that is compared."""

    value: object


def both(one: Expression, other: Expression) -> Expression:
    """Where both filters hold."""
    if AlwaysTrue() in (one, other):
        return other if one == AlwaysTrue() else one
    return And(one, other)


def either(one: Expression, other: Expression) -> Expression:
    """Where one of the filters holds."""
    return AlwaysTrue() if AlwaysTrue() in (one, other) else Or(one, other)


@dataclass(frozen=True)
class Logic:
    """A filter of three values.

    Args:
        true: Where it is true.
        false: Where it is false. Elsewhere it is null.
    """

    true: Expression
    false: Expression

    def negated(self) -> Logic:
        """Null stays null."""
        return Logic(self.false, self.true)

    def joined(self, other: Logic, *, by_and: bool) -> Logic:
        """False and null is false, true or null is true. Parts that always hold are left out."""
        if by_and:
            return Logic(both(self.true, other.true), either(self.false, other.false))
        return Logic(either(self.true, other.true), both(self.false, other.false))


@dataclass(frozen=True)
class Computed:
    """What is computed, and is no filter by itself.

    Args:
        text: SQL text of the value.
        may_be_condition: Whether the value may be true or false.
    """

    text: str
    may_be_condition: bool


Operand = Column | Value | Logic | Computed


def constant(*, holds: bool) -> Logic:
    """Every row, or none."""
    return Logic(AlwaysTrue(), AlwaysFalse()) if holds else Logic(AlwaysFalse(), AlwaysTrue())


def logic_of(operand: Operand) -> Logic:
    """An operand as a filter: a column of bools is one too.

    Raises:
        UnsupportedError: It is a literal other than a bool.
    """
    if isinstance(operand, Logic):
        return operand
    if isinstance(operand, Column):
        return Logic(EqualTo(operand.name, True), EqualTo(operand.name, False))
    if isinstance(operand, Value) and isinstance(operand.value, bool):
        return constant(holds=operand.value)
    if isinstance(operand, Computed):
        return computed(operand.text)
    raise UnsupportedError(
        f"the literal {operand.value!r} of pyarrow or polars is not a filter: pass a comparison, or SQL text"
    )


def computed(text: str) -> Logic:
    """A condition of values as SQL text."""
    return Logic(Condition(text), Condition(f"NOT ({text})"))


def compared(left: Operand, word: str, right: Operand) -> Logic:
    """A comparison of a column with a literal, on whichever side it stands.

    Raises:
        UnsupportedError: It compares something else.
    """
    if isinstance(left, Value) and isinstance(right, Column):
        left, word, right = right, _TURNED.get(word, word), left
    if not isinstance(left, Column) or not isinstance(right, Value):
        raise UnsupportedError(
            "filters of pyarrow and polars must compare a column with a literal: pass SQL text instead"
        )
    if right.value is None:
        return Logic(AlwaysFalse(), AlwaysFalse())
    return known(_COMPARISONS[word](left.name, right.value), left)


def known(test: Expression, column: Column) -> Logic:
    """A test that is null where its column is."""
    there = NotNull(column.name)
    # Of the tests here, this one alone matches null.
    true = And(test, there) if isinstance(test, NotEqualTo) else test
    return Logic(true, And(Not(test), there))


def is_null(column: Column) -> Logic:
    """A test that is never null."""
    return Logic(IsNull(column.name), NotNull(column.name))


def is_nan(column: Column) -> Logic:
    """Is the value NaN?"""
    return known(IsNaN(column.name), column)


def starts_with(column: Column, prefix: str) -> Logic:
    """Does a text begin so?"""
    return known(StartsWith(column.name, prefix), column)


def is_in(column: Column, values: list[object], *, null_is_null: bool) -> Logic:
    """Is it one of these?

    Args:
        column: The column.
        values: The literals. A null column equals `None` among them, unless `null_is_null`.
        null_is_null: Whether the test is null where the column is.
    """
    plain = [value for value in values if value is not None]
    test = In(column.name, plain)
    if null_is_null:
        there = NotNull(column.name)
        if len(plain) < len(values):
            # What is not among them may be the null.
            return Logic(test, AlwaysFalse())
        return Logic(test, And(NotIn(column.name, plain), there))
    if len(plain) < len(values):
        return Logic(Or(test, IsNull(column.name)), And(NotIn(column.name, plain), NotNull(column.name)))
    return Logic(test, NotIn(column.name, plain))
