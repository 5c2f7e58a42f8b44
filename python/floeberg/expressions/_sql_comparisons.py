"""How are values compared, and what type do values of different types have in common?

In: Arrow arrays and scalars, and literals. Out: arrays of bools, or values of one type.

Invariant: a comparison with a literal is that of a row filter, so that both find the same rows. NaN equals nothing,
and -0.0 equals 0.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.errors import InvalidInputError
from floeberg.expressions._sql_casts import cast_in_sql
from floeberg.expressions._sql_literals import Literal, decimal_of, place_of, scalar_of, value_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TURNED", "common_type", "compared", "compared_literals", "compared_with_literal", "numbers_alike"]

Values: TypeAlias = Any
"""An Arrow array or scalar."""

TURNED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""The comparison that has the same answer when its sides change places."""


def compared_with_literal(function: str, values: Values, literal: Literal) -> Values:
    """Values compared with a literal, which is on the right.

    Raises:
        InvalidInputError: The literal is of another kind than the values.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    values = _plain(values)
    place = None if pa.types.is_null(values.type) else place_of(literal, values.type)
    if place is None:
        return pc.call_function(function, [values, scalar_of(literal)])
    if place.is_value:
        return pc.call_function(function, [values, place.below])
    if function in ("less", "less_equal") and place.below is not None:
        return pc.less_equal(values, place.below)
    if function in ("greater", "greater_equal") and place.above is not None:
        return pc.greater_equal(values, place.above)
    holds = {
        "equal": False,
        "not_equal": True,
        "less": False,
        "less_equal": False,
        "greater": False,
        "greater_equal": False,
    }[function]
    return pc.if_else(pc.is_valid(values), pa.scalar(holds), pa.scalar(None, pa.bool_()))


def compared_literals(function: str, one: Literal, other: Literal) -> Values:
    """Two literals compared.

    Raises:
        InvalidInputError: One is a number, and the other is a text.
    """
    import operator  # noqa: PLC0415

    import pyarrow as pa  # noqa: PLC0415

    if isinstance(one.value, str) != isinstance(other.value, str):
        raise InvalidInputError(
            f"the number and the text cannot be compared: {one.value!r} and {other.value!r}"
        )
    word = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt"}.get(
        function, "ge"
    )
    return pa.scalar(bool(getattr(operator, word)(one.value, other.value)))


def compared(function: str, one: Values, other: Values) -> Values:
    """Values compared, of types that have one in common.

    Raises:
        InvalidInputError: One is a time with a zone, and the other has none.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    one, other = _plain(one), _plain(other)
    if pa.types.is_integer(one.type) and pa.types.is_floating(other.type):
        return _compared_with_float(function, one, other)
    if pa.types.is_floating(one.type) and pa.types.is_integer(other.type):
        return _compared_with_float(TURNED[function], other, one)
    one, other = numbers_alike(one, other)
    if pa.types.is_null(one.type):
        one = one.cast(pa.bool_() if pa.types.is_null(other.type) else other.type)
    _check_zones([one.type, other.type])
    return pc.call_function(function, [one, other])


def _compared_with_float(function: str, integers: Values, floats: Values) -> Values:
    """Integers compared with floats, exactly: a double may be near an integer that it cannot hold."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    floats = floats.cast(pa.float64())
    nearest = integers.cast(pa.float64(), safe=False)
    # An integer is on the same side of a double as its nearest double, unless that is the double.
    is_near = pc.fill_null(pc.equal(nearest, floats), False)
    is_beyond = pc.greater_equal(floats, _BEYOND)
    whole = pc.if_else(pc.and_(is_near, pc.invert(is_beyond)), floats, 0.0).cast(pa.int64())
    integers = integers.cast(pa.int64())
    exact = pc.call_function(function, [integers, whole])
    beyond = pa.scalar(function in ("less", "less_equal", "not_equal"))
    near = pc.if_else(is_beyond, beyond, exact)
    return pc.if_else(is_near, near, pc.call_function(function, [nearest, floats]))


_BEYOND = 2.0**63
"""The least double above all integers."""


def numbers_alike(one: Values, other: Values) -> tuple[Values, Values]:
    """Two operands. Beside a float, a decimal is the nearest double, and an integer a double; constants are floats.

    An integer beside a decimal is a decimal.
    """
    return _number_beside(one, other), _number_beside(other, one)


def _number_beside(values: Values, other: Values) -> Values:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if types.is_floating(other.type) and types.is_decimal(values.type):
        # A constant does not make a float a double.
        kind = other.type if isinstance(values, pa.Scalar) else pa.float64()
        return cast_in_sql(values, kind)
    if types.is_floating(other.type) and types.is_integer(values.type) and not isinstance(values, pa.Scalar):
        # A float has too few digits. An integer that a double cannot hold either is an error.
        return values.cast(pa.float64())
    if types.is_decimal(other.type) and types.is_integer(values.type):
        if isinstance(values, pa.Scalar):
            return decimal_of(values.as_py()) if values.is_valid else pa.scalar(None, pa.decimal128(1, 0))
        return values.cast(pa.decimal128(_DIGITS[cast("Any", values.type).bit_width], 0))
    return values


_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}
"""How many digits an integer of so many bits has at most."""


def common_type(values: list[Values], literals: list[Literal | None]) -> tuple[list[Values], pa.DataType]:
    """Values of several branches in one type, and the type.

    Args:
        values: The values.
        literals: Which of them are literals.

    Raises:
        InvalidInputError: They have no type in common.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    values = [_plain(each) for each in values]
    if all(pa.types.is_null(each.type) for each in values):
        return values, pa.null()
    values = _texts_beside(values, literals)
    floats = [each for each in values if pa.types.is_floating(each.type)]
    if floats:
        values = [_number_beside(each, _widest(floats)) for each in values]
    elif any(pa.types.is_decimal(each.type) for each in values):
        beside = pa.scalar(None, pa.decimal128(1, 0))
        values = [_number_beside(each, beside) for each in values]
    typed = [each.type for each in values if not pa.types.is_null(each.type)]
    _check_zones(typed)
    if all(each == typed[0] for each in typed):
        return values, typed[0]
    try:
        kind = pc.call_function("coalesce", [pa.array([], each) for each in typed]).type
    except pa.ArrowException as error:
        named = ", ".join(sorted({str(each) for each in typed}))
        raise InvalidInputError(f"the values have no type in common: {named}") from error
    return [each if pa.types.is_null(each.type) else each.cast(kind) for each in values], kind


def _widest(floats: list[Values]) -> Values:
    return max(floats, key=lambda each: each.type.bit_width)


def _texts_beside(values: list[Values], literals: list[Literal | None]) -> list[Values]:
    """Literal texts in the type of the other values, where that is not text."""
    from pyarrow import types  # noqa: PLC0415

    others = [
        each.type
        for each, literal in zip(values, literals, strict=True)
        if literal is None and not types.is_null(each.type)
    ]
    if not others or not (types.is_temporal(others[0]) or _is_bytes(others[0])):
        return values
    return [
        each if literal is None or not isinstance(literal.value, str) else value_of(literal, others[0])
        for each, literal in zip(values, literals, strict=True)
    ]


def _is_bytes(kind: pa.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)


def _check_zones(kinds: list[Any]) -> None:
    """A time without a zone, or a date, is at another moment in each zone."""
    from pyarrow import types  # noqa: PLC0415

    zoned = [each for each in kinds if types.is_timestamp(each) and each.tz is not None]
    others = [each for each in kinds if types.is_temporal(each) and each not in zoned]
    if zoned and others:
        raise InvalidInputError(
            f"values of types {zoned[0]} and {others[0]} are not comparable: one has a zone. Say which zone is meant: "
            "CAST(... AS TIMESTAMPTZ) takes a time without one as UTC"
        )


def _plain(values: Values) -> Values:
    """The stored values of an extension type."""
    import pyarrow as pa  # noqa: PLC0415

    if not isinstance(values.type, pa.BaseExtensionType):
        return values
    return values.value if isinstance(values, pa.Scalar) else values.storage
