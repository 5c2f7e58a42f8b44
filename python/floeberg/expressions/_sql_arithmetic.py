"""How are numbers of SQL expressions added, multiplied and divided?

Invariant: what overflows is an error, and so is a division by zero. Decimals keep all digits.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from floeberg.errors import UnsupportedError
from floeberg.expressions._sql_casts import cast_in_sql
from floeberg.expressions._sql_comparisons import numbers_alike

__all__ = ["calculated", "ceil", "divided", "floor", "remainder", "rounded"]

Values: TypeAlias = Any
"""An Arrow array or scalar."""
_DECIMAL128 = 38
_DECIMAL256 = 76


def calculated(function: str, one: Values, other: Values) -> Values:
    """Two numbers, by a function of Arrow."""
    import pyarrow.compute as pc  # noqa: PLC0415 - importing floeberg imports nothing large

    return pc.call_function(function, list(_with_room(function, *numbers_alike(one, other))))


def divided(one: Values, other: Values) -> Values:
    """A quotient. Integers and decimals divide as doubles."""
    return calculated("divide_checked", _float_beside(one, other), _float_beside(other, one))


def _float_beside(values: Values, other: Values) -> Values:
    """A number as a float. A constant does not make a float a double."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if not (types.is_integer(values.type) or types.is_decimal(values.type)):
        return values
    is_constant = isinstance(values, pa.Scalar) and types.is_floating(other.type)
    return cast_in_sql(values, other.type if is_constant else pa.float64())


def remainder(shown: str, one: Values, other: Values) -> Values:
    """What is left of a division of integers, with the sign of the first.

    Raises:
        UnsupportedError: The operands are not integers.
    """
    import pyarrow.compute as pc  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if not (types.is_integer(one.type) and types.is_integer(other.type)):
        raise UnsupportedError(f"the SQL expression {shown}: % needs integers")
    whole = pc.multiply_checked(pc.call_function("divide_checked", [one, other]), other)
    return pc.subtract_checked(one, whole)


def rounded(values: Values, digits: int) -> Values:
    """Numbers rounded to so many digits behind the point, half away from zero."""
    import pyarrow.compute as pc  # noqa: PLC0415 - importing floeberg imports nothing large

    return pc.round(_with_digit(values, digits), digits, round_mode="half_towards_infinity")


def floor(values: Values) -> Values:
    """Numbers rounded down to whole ones."""
    import pyarrow.compute as pc  # noqa: PLC0415

    return pc.floor(_with_digit(values, 0))


def ceil(values: Values) -> Values:
    """Numbers rounded up to whole ones."""
    import pyarrow.compute as pc  # noqa: PLC0415

    return pc.ceil(_with_digit(values, 0))


def _with_digit(values: Values, digits: int) -> Values:
    """Numbers with room to be rounded to so many digits: a decimal may need one digit more than it has."""
    import pyarrow as pa  # noqa: PLC0415

    kind: Any = values.type
    if not pa.types.is_decimal(kind) or digits >= kind.scale:
        return values
    precision = max(kind.precision, kind.scale - digits) + 1
    if precision > _DECIMAL256:
        raise UnsupportedError(f"{kind} cannot be rounded to {digits} digits behind the point")
    wide = pa.decimal128 if precision <= _DECIMAL128 else pa.decimal256
    return values.cast(wide(precision, kind.scale))


def _with_room(function: str, one: Values, other: Values) -> tuple[Values, Values]:
    """Two decimals, in 256 bits where the result needs more digits than 128 bits hold."""
    import pyarrow as pa  # noqa: PLC0415

    kinds: list[Any] = [one.type, other.type]
    if not all(pa.types.is_decimal(each) for each in kinds):
        return one, other
    if _precision(function, *kinds) <= _DECIMAL128:
        return one, other
    wide, other_wide = (pa.decimal256(each.precision, each.scale) for each in kinds)
    return one.cast(wide), other.cast(other_wide)


def _precision(function: str, one: Any, other: Any) -> int:  # noqa: ANN401 - types of decimals
    """How many digits Arrow gives a result."""
    if function == "multiply_checked":
        return one.precision + other.precision + 1
    whole = max(one.precision - one.scale, other.precision - other.scale)
    return whole + max(one.scale, other.scale) + 1
