"""How does a Python object become a literal of a filter, and back?

A literal crosses into Rust as `(kind, value)`; the kinds are listed in `expression/literal.rs`. Objects of
numpy and pandas are recognised by shape, so that neither is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, cast
from typing import Literal as OneOf
from uuid import UUID

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError

__all__ = ["LiteralTree", "LiteralValue", "TypedLiteral", "from_tree", "normalised", "to_tree"]

LiteralTree = tuple[str, Any]
TemporalType = OneOf["date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"]

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps without a zone count from here
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=timezone.utc)
_EPOCH_DAY = _EPOCH.toordinal()
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class TypedLiteral:
    """A date or timestamp that no class of the standard library can represent.

    Nanoseconds, and years outside of 1 to 9999.

    Args:
        type: The Iceberg type.
        value: Days, microseconds or, for the `_ns` types, nanoseconds from 1970-01-01.

    Examples:
        >>> TypedLiteral("timestamp_ns", 1_700_000_000_123_456_789)
        TypedLiteral(type='timestamp_ns', value=1700000000123456789)
    """

    type: TemporalType
    value: int


LiteralValue = bool | int | float | str | bytes | Decimal | date | time | datetime | UUID | TypedLiteral


def normalised(value: object) -> LiteralValue:
    """Converts an object to a literal of the standard library's types. Raises `InvalidInputError` for others."""
    if value is None:
        raise InvalidInputError("None cannot be a literal: use IsNull or NotNull")
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, str):
        return str(checked_text("literal", value))
    if isinstance(value, datetime) and hasattr(value, "to_pydatetime"):
        return _from_pandas(value)
    library = type(value).__module__.partition(".")[0]
    if library == "numpy":
        return _from_numpy(value)
    if library == "pyarrow" and hasattr(value, "as_py"):
        return normalised(cast("Any", value).as_py())
    if isinstance(value, (bool, int, float, str, bytes, Decimal, date, time, UUID, TypedLiteral)):
        return value
    raise InvalidInputError(f"an object of type {type(value).__name__} cannot be a literal of a filter")


def _from_pandas(value: datetime) -> LiteralValue:
    stamp = cast("Any", value)
    if stamp != stamp:  # noqa: PLR0124 - as NaN, NaT is not equal to itself
        raise InvalidInputError("NaT cannot be a literal: use IsNull or NotNull")
    moment = stamp.to_pydatetime(warn=False)
    if stamp.nanosecond == 0:
        return moment
    kind, micros = to_tree(moment)
    return TypedLiteral(cast("TemporalType", f"{kind}_ns"), micros * 1000 + stamp.nanosecond)


def _from_numpy(value: object) -> LiteralValue:
    scalar = cast("Any", value)
    if not hasattr(scalar, "item") or not hasattr(scalar, "ndim") or scalar.ndim:
        raise InvalidInputError(f"an object of type {type(value).__name__} cannot be a literal of a filter")
    plain = scalar.item()
    kind = scalar.dtype.kind
    if kind == "M":
        if plain is None:
            raise InvalidInputError("NaT cannot be a literal: use IsNull or NotNull")
        if isinstance(plain, int):
            return TypedLiteral("timestamp_ns", int(scalar.astype("datetime64[ns]").astype("int64")))
    elif kind not in "biufSU":
        raise InvalidInputError(f"a numpy scalar of type {scalar.dtype} cannot be a literal of a filter")
    return normalised(plain)


def to_tree(value: LiteralValue) -> LiteralTree:  # noqa: C901, PLR0911 - one return a type
    """The form in which a literal crosses into Rust."""
    if isinstance(value, bool):
        return "boolean", bool(value)
    if isinstance(value, int):
        return "integer", int(value)
    if isinstance(value, float):
        return "float", float(value)
    if isinstance(value, str):
        return "string", str(value)
    if isinstance(value, bytes):
        return "binary", bytes(value)
    if isinstance(value, Decimal):
        return "decimal", _decimal_parts(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return "timestamp", (value - _EPOCH) // _MICROSECOND
        return "timestamptz", (value - _EPOCH_UTC) // _MICROSECOND
    if isinstance(value, date):
        return "date", value.toordinal() - _EPOCH_DAY
    if isinstance(value, time):
        return "time", _time_micros(value)
    if isinstance(value, UUID):
        return "uuid", value.bytes
    return value.type, value.value


def _decimal_parts(value: Decimal) -> tuple[int, int]:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise InvalidInputError(f"the decimal {value} cannot be a literal of a filter: it is not a number")
    unscaled = int("".join(map(str, digits)))
    return (-unscaled if sign else unscaled), -exponent


def _time_micros(value: time) -> int:
    if value.tzinfo is not None:
        raise InvalidInputError("a time of day with a zone cannot be a literal: the type time has no zone")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def from_tree(tree: LiteralTree) -> LiteralValue:  # noqa: PLR0911 - one return a type
    """The Python object of a literal that Rust made."""
    kind, value = tree
    if kind == "decimal":
        unscaled, scale = value
        return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
    if kind == "uuid":
        return UUID(bytes=value)
    if kind == "time":
        return (_EPOCH + value * _MICROSECOND).time()
    if kind in {"boolean", "integer", "float", "string", "binary"}:
        return cast("LiteralValue", value)
    try:
        if kind == "date":
            return date.fromordinal(_EPOCH_DAY + value)
        if kind == "timestamp":
            return _EPOCH + value * _MICROSECOND
        if kind == "timestamptz":
            return _EPOCH_UTC + value * _MICROSECOND
    except (OverflowError, ValueError):
        pass  # Years that datetime cannot hold stay numbers.
    return TypedLiteral(cast("TemporalType", kind), value)
