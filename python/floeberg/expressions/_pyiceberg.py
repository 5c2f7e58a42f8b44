"""How are expressions of PyIceberg converted?

They have the meaning of the specification: `NotEqualTo("x", 5)` matches where x is null. PyIceberg is not imported: its
classes are recognised by their names.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from uuid import UUID

from floeberg.errors import UnsupportedError
from floeberg.expressions import _predicates
from floeberg.expressions._logic import AlwaysFalse, AlwaysTrue, And, Expression, Not, Or
from floeberg.expressions._predicates import Membership, Test

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps without a zone count from here
_MICROSECOND = timedelta(microseconds=1)


def from_pyiceberg(given: Any) -> Expression:  # noqa: ANN401 - an object of another library
    """Converts an expression of PyIceberg.

    Raises:
        UnsupportedError: It is bound, or of an unknown class.
    """
    kind = type(given).__name__
    if kind == "AlwaysTrue":
        return AlwaysTrue()
    if kind == "AlwaysFalse":
        return AlwaysFalse()
    if kind == "Not":
        return Not(from_pyiceberg(given.child))
    if kind in {"And", "Or"}:
        sides = from_pyiceberg(given.left), from_pyiceberg(given.right)
        return And(*sides) if kind == "And" else Or(*sides)
    test = getattr(_predicates, kind, None)
    name = getattr(getattr(given, "term", None), "name", None)
    if not isinstance(test, type) or not issubclass(test, Test) or not isinstance(name, str):
        raise UnsupportedError(f"the PyIceberg filter {kind} is not supported: pass SQL text")
    make: Any = test
    if issubclass(test, Membership):
        return make(name, sorted((_value(each) for each in given.literals), key=repr))
    return make(name, _value(given.literal)) if hasattr(given, "literal") else make(name)


def _value(literal: Any) -> Any:  # noqa: ANN401
    """The plain object of a literal, which PyIceberg may hold as a number."""
    kind, value = type(literal).__name__, literal.value
    if kind == "DateLiteral":
        return date.fromordinal(_EPOCH.toordinal() + value)
    if kind == "TimestampLiteral":
        return _EPOCH + value * _MICROSECOND
    if kind == "TimestamptzLiteral":
        return _EPOCH.replace(tzinfo=timezone.utc) + value * _MICROSECOND
    if kind == "TimeLiteral":
        return (_EPOCH + value * _MICROSECOND).time() if not isinstance(value, time) else value
    if kind == "UUIDLiteral":
        return UUID(bytes=value) if isinstance(value, bytes) else value
    return value
