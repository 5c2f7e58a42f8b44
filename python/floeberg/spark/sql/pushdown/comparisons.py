"""When does our filter keep every row for which Spark's comparison of a column with a constant holds?

Spark casts before it compares. For Spark, NaN equals itself and is the greatest number. The only string order that both
share is by bytes. Each rule here names a column type and a kind of constant for which Spark and Floeberg agree.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from floeberg.expressions import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    IsNaN,
    LessThan,
    LessThanOrEqual,
    NotEqualTo,
    NotNull,
)
from floeberg.spark.sql.pushdown.literals import Constant, day_of, is_timestamp_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.expressions import Expression
    from floeberg.expressions._literals import LiteralValue
    from floeberg.spark.sql.pushdown.literals import SessionTimestamps

__all__ = ["compared", "literals_for", "timestamps_in"]

_TESTS: dict[str, Any] = {
    "=": EqualTo,
    "!=": NotEqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
}
_DIGITS = 38
_DIGITS_OF_DOUBLE = 15


def compared(name: str, kind: str, operator: str, literal: LiteralValue) -> Expression:
    """The filter of a comparison. It may keep more rows."""
    test: Expression = _TESTS[operator](name, literal)
    if kind in {"float", "double"} and operator in {">", ">="}:
        # NaN is greater than every number.
        return test | IsNaN(name)
    return test & NotNull(name) if operator == "!=" else test


def literals_for(  # noqa: PLR0911 - one return a type
    kind: str, constants: Sequence[Constant], moments: SessionTimestamps, *, listed: bool
) -> list[LiteralValue] | None:
    """The literals that a column is compared with; `None` where Spark may see them otherwise than we do.

    Args:
        kind: The type of the column, as Iceberg writes it.
        constants: The constants; of a list all, since Spark finds one type for a list.
        moments: What Spark said of moments.
        listed: Whether they are a list of IN.
    """
    kinds = {each.kind for each in constants}
    values: list[Any] = [each.value for each in constants]
    if kind in {"int", "long"} and kinds == {"integer"}:
        return values
    if kind in {"float", "double"} and kinds <= {"integer", "decimal"}:
        return [float(value) for value in values] if all(_exact(value, kind) for value in values) else None
    if kind == "boolean" and kinds == {"boolean"}:
        return values
    if kind in {"string", "binary"} and kinds == {kind}:
        return values
    if decimal := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", kind):
        return _decimals(values, kinds, int(decimal[1]), int(decimal[2]))
    if kind == "date" and kinds == {"date"}:
        return values
    if kind == "date" and kinds == {"string"}:
        days = [day_of(value) for value in values]
        return None if None in days else days  # type: ignore[return-value]
    if asked := timestamps_in(kind, constants, listed=listed):
        found = [moments[each] for each in asked]
        return None if None in found else found  # type: ignore[return-value]
    return None


def timestamps_in(kind: str, constants: Sequence[Constant], *, listed: bool) -> list[Constant]:
    """What Spark is to be asked for a column of moments; nothing where the types differ."""
    own = {"timestamptz": "timestamp", "timestamp": "timestamp_ntz"}.get(kind)
    found: list[Constant] = []
    for each in constants:
        # In a list Spark may compare texts.
        if (
            own is not None
            and each.kind == "string"
            and not listed
            and is_timestamp_text(str(each.value), zoned=kind == "timestamptz")
        ):
            found.append(Constant(own, each.value))
        elif own is not None and each.kind == own:
            found.append(each)
        else:
            return []
    return found


def _exact(value: Any, kind: str) -> bool:  # noqa: ANN401 - an int or a Decimal
    """Whether a number is the same in each type that Spark may compare it in."""
    if kind == "double":
        # Every type meets double in double, and a short decimal has one nearest double.
        return abs(value) <= 1 << 53 and len(Decimal(value).as_tuple().digits) <= _DIGITS_OF_DOUBLE
    try:
        narrow = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return False
    # Long and float meet in float where ANSI mode is off, decimal and float in double.
    return Decimal(narrow) == Decimal(value) and abs(value) <= 1 << 24


def _decimals(values: list[Any], kinds: set[str], precision: int, scale: int) -> list[LiteralValue] | None:
    if not kinds <= {"integer", "decimal"}:
        return None
    numbers = [Decimal(value) for value in values]
    finest = max(max(0, -_exponent(number)) for number in numbers)
    # Integers may be as wide as a long for Spark.
    widest = max([precision - scale, 20, *(len(number.as_tuple().digits) for number in numbers)])
    if finest > scale or widest + scale > _DIGITS:
        return None
    return list(numbers)


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
