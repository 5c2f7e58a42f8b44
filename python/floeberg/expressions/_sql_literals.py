"""Which value of an Arrow type does a literal of SQL text mean?

In: a literal as it is written, and the type of the values beside it. Out: a value of that type, or its place between
two of them.

Invariant: a literal means what it means in a row filter. No digit of it is lost, and only floats round, to the nearest.
"""

from __future__ import annotations

import math
import re
import uuid
from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException
from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Literal",
    "Place",
    "decimal_of",
    "literal_of",
    "place_of",
    "scalar_of",
    "timestamp_of",
    "value_of",
]

Scalar: TypeAlias = Any
_MOST_DIGITS = 1000
"""So many characters a number has."""
_LARGE = 100
"""A power of ten beyond every value of every type."""
_DECIMAL128 = 38
_DECIMAL256 = 76
_EXACT = Context(prec=_LARGE)
_LEAST_LONG, _MOST_LONG = -(2**63), 2**63 - 1
_DAY = 86_400_000_000
_ONE_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_UUID_BYTES = 16
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True)
class Literal:
    """A number or a text.

    Args:
        value: The number with all of its digits, or the text.
        is_float: Whether a number has an exponent, so that it is a double by itself.
    """

    value: int | Decimal | str
    is_float: bool = False


@dataclass(frozen=True)
class Place:
    """Where a literal is among the values of a type.

    Args:
        below: The largest value that is not larger; `None` if every value is larger.
        above: The smallest value that is not smaller; `None` if every value is smaller. The same object as `below`
            where the literal is a value.
    """

    below: Scalar | None
    above: Scalar | None

    @property
    def is_value(self) -> bool:
        """Whether the literal is a value of the type."""
        return self.below is self.above


def literal_of(tree: Any) -> Literal | None:  # noqa: ANN401 - a tree of sqlglot
    """A number, maybe with a sign, or a text; `None` for anything else.

    Raises:
        InvalidInputError: The number has more digits than any type holds.
    """
    is_negative = is_signed = False
    while (kind := type(tree).__name__) in ("Paren", "Neg"):
        if kind == "Neg":
            is_negative, is_signed = not is_negative, True
        tree = tree.this
    if kind != "Literal" or (is_signed and tree.is_string):
        return None
    text: str = tree.this
    if tree.is_string:
        return Literal(text)
    if len(text) > _MOST_DIGITS:
        raise InvalidInputError(f"a number has {len(text)} characters, expected at most {_MOST_DIGITS}")
    try:
        number = int(text) if text.isdecimal() else Decimal(text)
    except DecimalException as error:
        raise InvalidInputError(f"the number {text} cannot be read: its exponent is too large") from error
    if is_negative:
        number = -number if isinstance(number, int) else number.copy_negate()
    return Literal(number, is_float="e" in text.lower())


def scalar_of(literal: Literal) -> Scalar:
    """The value of a literal by itself: a string, `bigint`, `decimal` or, with an exponent, a `double`.

    Raises:
        InvalidInputError: No type holds the number.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    value = literal.value
    if isinstance(value, str):
        return pa.scalar(value, pa.string())
    if literal.is_float:
        number = float(value)
        if math.isinf(number):
            raise InvalidInputError(f"the number {value} is too large for a double")
        return pa.scalar(number, pa.float64())
    if isinstance(value, int) and _LEAST_LONG <= value <= _MOST_LONG:
        return pa.scalar(value, pa.int64())
    return _decimal_scalar(Decimal(value))


def _decimal_scalar(value: Decimal) -> Scalar:
    import pyarrow as pa  # noqa: PLC0415

    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    precision = max(len(digits), scale, 1)
    if precision > _DECIMAL256:
        raise InvalidInputError(
            f"the number {value} has {precision} digits, and a decimal at most {_DECIMAL128}"
        )
    make = pa.decimal128 if precision <= _DECIMAL128 else pa.decimal256
    return pa.scalar(value, make(precision, scale))


def decimal_of(value: int) -> Scalar:
    """A whole number as a decimal with as many digits as it has."""
    return _decimal_scalar(Decimal(value))


def value_of(literal: Literal, kind: pa.DataType) -> Scalar:
    """The value of a type that a literal is.

    Raises:
        InvalidInputError: The type has no such value.
    """
    place = place_of(literal, kind)
    if place is None or not place.is_value:
        raise InvalidInputError(f"{literal.value!r} is not a value of type {kind}")
    return place.below


def place_of(literal: Literal, kind: Any) -> Place | None:  # noqa: ANN401 - a type
    """The place among the values of a type; `None` for a type that literals are not converted to.

    Raises:
        InvalidInputError: The literal is of another kind.
    """
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    value = literal.value
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if types.is_date(kind) or types.is_timestamp(kind) or types.is_time(kind):
        return _moment(value, kind)
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return _bytes(value, kind)
    if types.is_floating(kind):
        return _float(_number(value), kind)
    if types.is_integer(kind):
        bits = kind.bit_width
        least = -(2 ** (bits - 1)) if types.is_signed_integer(kind) else 0
        return _among(
            _units(_number(value), 0), least, least + 2**bits - 1, lambda each: pa.scalar(each, kind)
        )
    if types.is_decimal(kind):
        most = 10**kind.precision - 1
        make = _decimal_maker(kind)
        return _among(_units(_number(value), kind.scale), -most, most, make)
    return None


def _decimal_maker(kind: Any) -> Any:  # noqa: ANN401 - a type, a function
    import pyarrow as pa  # noqa: PLC0415

    return lambda units: pa.scalar(_EXACT.scaleb(Decimal(units), -kind.scale), kind)


def _number(value: int | Decimal | str) -> int | Decimal:
    """A number, or the number that a text is."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        if len(text) > _MOST_DIGITS:
            raise InvalidInputError(f"a number has {len(text)} characters, expected at most {_MOST_DIGITS}")
        number = Decimal(text)
    except DecimalException as error:
        raise InvalidInputError(f"expected a number, found {value!r}") from error
    if number.is_nan():
        raise InvalidInputError("nothing equals NaN: a number cannot be compared with it")
    return number


def _units(number: int | Decimal, scale: int) -> tuple[int, bool]:
    """How many units of 10^-scale a number is, rounded down, and whether it is so many exactly."""
    exact = Decimal(number)
    if not exact.is_finite() or exact.adjusted() + scale > _LARGE:
        beyond: int = 10**_LARGE
        return (-beyond if exact.is_signed() else beyond), True
    if exact.is_zero():
        return 0, True
    if exact.adjusted() + scale < -1:
        return (-1 if exact.is_signed() else 0), False
    sign, digits, exponent = exact.as_tuple()
    unscaled = int("".join(map(str, digits))) * (-1 if sign else 1)
    shift = int(exponent) + scale
    if shift >= 0:
        return unscaled * 10**shift, True
    floor, rest = divmod(unscaled, 10**-shift)
    return floor, rest == 0


def _among(found: tuple[int, bool], least: int, most: int, make: Any) -> Place:  # noqa: ANN401 - a function
    """The place among the whole numbers of a range."""
    floor, is_exact = found
    if is_exact and least <= floor <= most:
        value = make(floor)
        return Place(value, value)
    ceiling = floor if is_exact else floor + 1
    below = None if floor < least else make(min(floor, most))
    above = None if ceiling > most else make(max(ceiling, least))
    return Place(below, above)


def _float(number: int | Decimal, kind: pa.DataType) -> Place:
    """The nearest float. A number beyond the largest one is between it and infinity."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    try:
        double = float(number)
    except OverflowError:
        double = -math.inf if number < 0 else math.inf
    nearest = pc.cast(pa.scalar(double, pa.float64()), kind, safe=False)
    if not math.isinf(nearest.as_py()) or (isinstance(number, Decimal) and number.is_infinite()):
        return Place(nearest, nearest)
    last = pa.scalar(math.copysign(_LARGEST[kind.bit_width], double), pa.float64()).cast(kind)
    return Place(last, nearest) if double > 0 else Place(nearest, last)


_LARGEST = {16: 65504.0, 32: 3.4028234663852886e38, 64: 1.7976931348623157e308}
"""The largest float of so many bits."""


def _bytes(value: object, kind: Any) -> Place:  # noqa: ANN401 - a type
    """Bytes of hexadecimal digits, or of a UUID."""
    import pyarrow as pa  # noqa: PLC0415

    if not isinstance(value, str):
        raise InvalidInputError(f"expected hexadecimal digits, found the number {value}")
    fixed = getattr(kind, "byte_width", None) if pa.types.is_fixed_size_binary(kind) else None
    try:
        is_uuid = fixed == _UUID_BYTES and _UUID.fullmatch(value.strip())
        found = uuid.UUID(value.strip()).bytes if is_uuid else bytes.fromhex(value)
    except ValueError as error:
        raise InvalidInputError(f"expected hexadecimal digits, found {value!r}") from error
    if fixed is not None and len(found) != fixed:
        raise InvalidInputError(f"expected {fixed} bytes, found {len(found)} in {value!r}")
    made = pa.scalar(found, kind)
    return Place(made, made)


def _moment(value: int | Decimal | str, kind: Any) -> Place:  # noqa: ANN401 - a type
    """A day, a time of day or a moment."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if isinstance(value, Decimal):
        raise InvalidInputError(f"expected a date or a time, found the number {value}")
    least, most = _LEAST_LONG, _MOST_LONG
    if types.is_date(kind):
        day = kind.bit_width == 32  # noqa: PLR2004 - bits
        if day:
            least, most = -(2**31), 2**31 - 1
        found = _days(value) if isinstance(value, str) else (value, True)
        if not day:
            found = (found[0] * 86_400_000, found[1])
    elif types.is_time(kind):
        one = _ONE_SECOND[kind.unit]
        least, most = 0, 86_400 * one - 1
        found = _converted(_read(value, pa.time64("us")), one) if isinstance(value, str) else (value, True)
    else:
        one = _ONE_SECOND[kind.unit]
        read = _read(value, pa.timestamp("us", kind.tz)) if isinstance(value, str) else None
        found = (int(value), True) if read is None else _converted(read, one)
    whole = pa.int32() if kind.bit_width == 32 else pa.int64()  # noqa: PLR2004 - bits
    return _among(found, least, most, lambda each: pa.scalar(each, whole).cast(kind))


def _days(text: str) -> tuple[int, bool]:
    """Days from 1970-01-01. A moment of a day is between it and the next."""
    import pyarrow as pa  # noqa: PLC0415

    micros, one = _read(text, pa.timestamp("us"))
    day, rest = divmod(micros, _DAY * one // 1_000_000)
    return day, rest == 0


def _converted(read: tuple[int, int], one: int) -> tuple[int, bool]:
    units, of_second = read
    floor, rest = divmod(units * one, of_second)
    return floor, rest == 0


def _read(text: str, kind: Any) -> tuple[int, int]:  # noqa: ANN401 - a type
    """What a text means in a type of microseconds or, with more digits, nanoseconds; and how many are a second."""
    import pyarrow as pa  # noqa: PLC0415

    is_time = pa.types.is_time(kind)
    # Arrow reads no times of day, but those of a day.
    written = pa.scalar(f"1970-01-01T{text.strip()}" if is_time else text.strip(), pa.string())
    zone = None if is_time else kind.tz
    try:
        return written.cast(pa.timestamp("us", zone)).value, _ONE_SECOND["us"]
    except pa.ArrowException:
        pass
    try:
        return written.cast(pa.timestamp("ns", zone)).value, _ONE_SECOND["ns"]
    except pa.ArrowException:
        raise InvalidInputError(f"expected {_EXAMPLES[_kind_of(kind)]}, found {text!r}") from None


def _kind_of(kind: Any) -> str:  # noqa: ANN401 - a type
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_time(kind):
        return "time"
    return "timestamp" if kind.tz is None else "timestamptz"


_EXAMPLES = {
    "time": "a time of day such as '10:00:00'",
    "timestamp": "a date or a time without a zone, such as '2020-01-01' or '2020-01-01 10:00:00'",
    "timestamptz": "a time with a zone, such as '2020-01-01T10:00:00+00:00'",
}


def timestamp_of(text: str) -> Scalar:
    """The value of `TIMESTAMP '...'`: with a zone where the text has one, and in nanoseconds where it needs them.

    Raises:
        InvalidInputError: The text is not a time.
    """
    import pyarrow as pa  # noqa: PLC0415

    for zone in (None, "UTC"):
        try:
            units, of_second = _read(text, pa.timestamp("us", zone))
        except InvalidInputError:
            continue
        unit = "us" if of_second == _ONE_SECOND["us"] else "ns"
        return pa.scalar(units, pa.int64()).cast(pa.timestamp(unit, zone))
    raise InvalidInputError(f"expected a time such as '2020-01-01 10:00:00', found {text!r}")
