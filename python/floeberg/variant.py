"""How are variants decoded and encoded?

In: the two byte strings of a variant, as scans return them. Out: plain Python values. And the reverse.

The encoding is that of `VariantEncoding.md` in the Parquet project. Importing this module imports nothing large.
"""

from __future__ import annotations

import datetime as dt
import struct
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.errors import InvalidDataError, LimitExceededError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

__all__ = ["Value", "from_pylist", "from_python", "to_pylist", "to_python"]

Scalar: TypeAlias = (
    bool | int | float | str | bytes | Decimal | dt.date | dt.time | dt.datetime | uuid.UUID | None
)
Value: TypeAlias = Scalar | list["Value"] | dict[str, "Value"]

_DEEPEST = 200
_OBJECT = 2
_EPOCH = dt.date(1970, 1, 1).toordinal()
_MICROS_OF_DAY = 86_400_000_000


def to_python(metadata: bytes, value: bytes) -> Value:
    """Decodes a variant.

    Args:
        metadata: Its metadata, with the field names.
        value: Its value.

    Returns:
        The value: `None` for a variant null, otherwise a `bool`, `int`, `float`, `str`, `bytes`, `Decimal`, `date`,
        `time`, `datetime` (in UTC if it is an instant), `UUID`, `list`, or `dict` by field name. Nanoseconds are
        truncated to microseconds. Dates and times out of the range of `datetime` are an `int`, counted from 1970.

    Raises:
        InvalidDataError: The bytes are not a variant.
        LimitExceededError: Values nest deeper than 200 levels.
        UnsupportedError: The version of the encoding, or a type, is not supported.

    Examples:
        >>> from floeberg.variant import to_python
        >>> to_python(bytes([1, 1, 0, 1, 97]), bytes([2, 1, 0, 0, 2, 12, 42]))
        {'a': 42}
    """
    return _Reader(metadata, value).value(0, len(value), 0)


def to_pylist(array: pa.Array[Any] | pa.ChunkedArray[Any]) -> list[Value]:
    """Decodes a column of variants.

    Args:
        array: A column of a scan, as a pyarrow `Array` or `ChunkedArray`.

    Returns:
        The values, as `to_python` returns them. Both a null in the column and a variant null are `None`.

    Raises:
        InvalidDataError: As for `to_python`.
        LimitExceededError: As for `to_python`.
        UnsupportedError: As for `to_python`.

    Examples:
        >>> import pyarrow as pa
        >>> from floeberg.variant import to_pylist
        >>> to_pylist(pa.array([{"metadata": bytes([1, 0, 0]), "value": bytes([12, 42])}, None]))
        [42, None]
    """
    return [None if row is None else to_python(row["metadata"], row["value"]) for row in array.to_pylist()]


def from_python(value: object) -> tuple[bytes, bytes]:
    """Encodes a value as a variant.

    Args:
        value: `None` for a variant null, or a value that `to_python` returns: a `bool`, `int`, `float`, `str`, `bytes`,
            `Decimal`, `date`, `time`, `datetime`, `UUID`; a `list` or `tuple` of such values, or a mapping of them by
            `str`. Numbers of numpy work too. A `datetime` with a time zone is an instant; without one, it is a local
            time. An integer of more than 64 bits becomes a decimal.

    Returns:
        Its metadata and its value.

    Raises:
        InvalidInputError: The value has no variant type. The error says where it is.

    Examples:
        >>> from floeberg.variant import from_python, to_python
        >>> to_python(*from_python({"a": [1, "x"]}))
        {'a': [1, 'x']}
    """
    return _native.encode_variant(value)


def from_pylist(values: Iterable[object]) -> pa.Array[Any]:
    """Encodes a column of variants, to write it to a table.

    Args:
        values: The values, as for `from_python`. But `None` is a null in the column, not a variant null.

    Returns:
        A pyarrow array of structs of `metadata` and `value`.

    Raises:
        InvalidInputError: A value has no variant type. The error names the row, and the place in the value.

    Examples:
        >>> from floeberg.variant import from_pylist, to_pylist
        >>> to_pylist(from_pylist([{"a": 1}, None, 2.5]))
        [{'a': 1}, None, 2.5]
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return cast("pa.Array[Any]", pa.array(cast("Any", _native.encode_variants(list(values)))))


class _Reader:
    """A value and its metadata."""

    def __init__(self, metadata: bytes, value: bytes) -> None:
        self._bytes = value
        self._metadata = metadata
        if not metadata:
            raise _damaged("its metadata is empty")
        if metadata[0] & 15 != 1:
            raise UnsupportedError(
                f"a variant has the encoding version {metadata[0] & 15}, and only version 1 is supported"
            )
        self._width = (metadata[0] >> 6) + 1
        self._names = _unsigned(metadata, 1, self._width)
        # A value takes a byte at least. Values that lie upon each other could be more than anybody can wait for.
        self._left = len(value)

    def value(self, start: int, end: int, depth: int) -> Value:
        """The value that starts there."""
        if depth > _DEEPEST:
            raise LimitExceededError(f"the values of a variant nest deeper than {_DEEPEST}")
        self._left -= 1
        if self._left < 0:
            raise _damaged("its values overlap")
        header = _take(self._bytes, start, 1, end)[0]
        kind, flags = header & 3, header >> 2
        if kind == 0:
            return self._primitive(flags, start + 1, end)
        if kind == 1:
            return _text(_take(self._bytes, start + 1, flags, end))
        return self._container(flags, start + 1, end, depth, is_object=kind == _OBJECT)

    def _container(self, flags: int, start: int, end: int, depth: int, *, is_object: bool) -> Value:
        offset_width = (flags & 3) + 1
        id_width = ((flags >> 2) & 3) + 1 if is_object else 0
        is_large = flags >> 4 & 1 if is_object else flags >> 2 & 1
        count_width = 4 if is_large else 1
        count = _unsigned(self._bytes, start, count_width, end)
        ids = start + count_width
        offsets = ids + count * id_width
        values = offsets + (count + 1) * offset_width
        if values > end:
            raise _damaged(f"it is too short for its {count} values")

        def offset(number: int) -> int:
            return values + _unsigned(self._bytes, offsets + number * offset_width, offset_width, end)

        last = offset(count)
        if last > end:
            raise _damaged("its values are cut off")
        if not is_object:
            return [self.value(offset(number), last, depth + 1) for number in range(count)]
        return {
            self._name(_unsigned(self._bytes, ids + number * id_width, id_width, end)): self.value(
                offset(number), last, depth + 1
            )
            for number in range(count)
        }

    def _name(self, number: int) -> str:
        if number >= self._names:
            raise _damaged(f"a field has name number {number}, and there are {self._names} names")
        first = 1 + self._width
        names = first + (self._names + 1) * self._width
        start = _unsigned(self._metadata, first + number * self._width, self._width)
        end = _unsigned(self._metadata, first + (number + 1) * self._width, self._width)
        return _text(_take(self._metadata, names + start, end - start))

    def _primitive(self, number: int, start: int, end: int) -> Scalar:
        if number in _CONSTANTS:
            return _CONSTANTS[number]
        if number in _SIZED:
            length = _unsigned(self._bytes, start, 4, end)
            return _SIZED[number](_take(self._bytes, start + 4, length, end))
        if number not in _FIXED:
            raise UnsupportedError(f"a variant holds a value of the unknown type {number}")
        length, convert = _FIXED[number]
        return convert(_take(self._bytes, start, length, end))


def _take(data: bytes, start: int, length: int, end: int | None = None) -> bytes:
    stop = start + length
    if length < 0 or start < 0 or stop > (len(data) if end is None else end):
        raise _damaged("it is cut off")
    return data[start:stop]


def _unsigned(data: bytes, start: int, width: int, end: int | None = None) -> int:
    return int.from_bytes(_take(data, start, width, end), "little")


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _damaged("a string is not UTF-8") from error


def _decimal(data: bytes) -> Decimal:
    unscaled = _signed(data[1:])
    digits = tuple(map(int, str(abs(unscaled))))
    return Decimal((int(unscaled < 0), digits, -data[0]))


def _date(days: int) -> dt.date | int:
    ordinal = _EPOCH + days
    return dt.date.fromordinal(ordinal) if 1 <= ordinal <= dt.date.max.toordinal() else days


def _time(micros: int) -> dt.time:
    if not 0 <= micros < _MICROS_OF_DAY:
        raise _damaged(f"a time has {micros} microseconds from midnight, which is out of range")
    return _moment(micros, None).time()


def _moment(micros: int, zone: dt.tzinfo | None) -> dt.datetime:
    return dt.datetime(1970, 1, 1, tzinfo=zone) + dt.timedelta(microseconds=micros)


def _timestamp(*, per_micro: int, zone: dt.tzinfo | None) -> Callable[[bytes], dt.datetime | int]:
    def convert(data: bytes) -> dt.datetime | int:
        ticks = _signed(data)
        try:
            return _moment(ticks // per_micro, zone)
        except OverflowError:
            return ticks

    return convert


def _damaged(why: str) -> InvalidDataError:
    return InvalidDataError(f"a variant is damaged: {why}")


_CONSTANTS: dict[int, Scalar] = {0: None, 1: True, 2: False}
_SIZED: dict[int, Callable[[bytes], Scalar]] = {15: bytes, 16: _text}
# The bytes of a type, and their conversion.
_FIXED: dict[int, tuple[int, Callable[[bytes], Scalar]]] = {
    3: (1, _signed),
    4: (2, _signed),
    5: (4, _signed),
    6: (8, _signed),
    7: (8, lambda data: struct.unpack("<d", data)[0]),
    8: (5, _decimal),
    9: (9, _decimal),
    10: (17, _decimal),
    11: (4, lambda data: _date(_signed(data))),
    12: (8, _timestamp(per_micro=1, zone=dt.timezone.utc)),
    13: (8, _timestamp(per_micro=1, zone=None)),
    14: (4, lambda data: struct.unpack("<f", data)[0]),
    17: (8, lambda data: _time(_signed(data))),
    18: (8, _timestamp(per_micro=1000, zone=dt.timezone.utc)),
    19: (8, _timestamp(per_micro=1000, zone=None)),
    20: (16, lambda data: uuid.UUID(bytes=data)),
}
