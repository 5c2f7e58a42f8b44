"""What is in a variant, with the names of its types?

In: `metadata` and `value`. Out: the encoding that `tests/conformance/README.md` describes: `{"type": .., "value": ..}`,
nested.

It shares no code with the package, and checks that values have the order and the length that their encoding says.
"""

from __future__ import annotations

import math
import struct
import uuid
from typing import Any

from corpus.scalars import date, special, time, timestamp

CONSTANTS = {0: ("null", None), 1: ("boolean_true", True), 2: ("boolean_false", False)}
INTEGERS = {3: ("int8", 1), 4: ("int16", 2), 5: ("int32", 4), 6: ("int64", 8)}
DECIMALS = {8: ("decimal4", 4), 9: ("decimal8", 8), 10: ("decimal16", 16)}
FLOATS = {7: ("double", "<d"), 14: ("float", "<f")}
MOMENTS = {
    12: ("timestamptz", 6, "+00:00"),
    13: ("timestampntz", 6, ""),
    18: ("timestamptz_nanos", 9, "+00:00"),
    19: ("timestampntz_nanos", 9, ""),
}


def encode_variant(metadata: bytes, value: bytes) -> dict[str, Any]:
    """One variant, encoded."""
    encoded, length = _value(_names(metadata), value)
    assert length == len(value), f"{len(value) - length} bytes after a value"
    return encoded


def _names(metadata: bytes) -> list[str]:
    assert metadata[0] & 15 == 1, "version"
    width = (metadata[0] >> 6) + 1
    count = _unsigned(metadata[1 : 1 + width])
    start = 1 + width * (count + 2)
    ends = [_unsigned(metadata[1 + width * number :][:width]) for number in range(1, count + 2)]
    assert start + ends[-1] == len(metadata), "bytes after the metadata"
    return [metadata[start + ends[at] : start + ends[at + 1]].decode() for at in range(count)]


def _value(names: list[str], data: bytes) -> tuple[dict[str, Any], int]:
    kind, flags = data[0] & 3, data[0] >> 2
    if kind == 0:
        (name, value), length = _primitive(flags, data[1:])
        return {"type": name, "value": value}, 1 + length
    if kind == 1:
        return {"type": "string", "value": data[1 : 1 + flags].decode()}, 1 + flags
    is_object = kind == 2
    offset_width, id_width = (flags & 3) + 1, ((flags >> 2) & 3) + 1 if is_object else 0
    count_width = 4 if flags & (16 if is_object else 4) else 1
    count = _unsigned(data[1 : 1 + count_width])
    ids = 1 + count_width
    offsets = ids + count * id_width
    start = offsets + (count + 1) * offset_width
    places = [
        start + _unsigned(data[offsets + at * offset_width :][:offset_width]) for at in range(count + 1)
    ]
    end = places.pop()
    values = [_value(names, data[place:end])[0] for place in places]
    if not is_object:
        return {"type": "array", "value": values}, end
    keys = [names[_unsigned(data[ids + at * id_width :][:id_width])] for at in range(count)]
    assert keys == sorted(set(keys), key=str.encode), "fields out of order"
    return {"type": "object", "value": dict(zip(keys, values, strict=True))}, end


def _primitive(number: int, data: bytes) -> tuple[tuple[str, Any], int]:
    if number in CONSTANTS:
        return CONSTANTS[number], 0
    if number in INTEGERS:
        name, length = INTEGERS[number]
        return (name, _signed(data[:length])), length
    if number in DECIMALS:
        name, length = DECIMALS[number]
        return (name, _decimal(_signed(data[1 : 1 + length]), data[0])), 1 + length
    if number in FLOATS:
        name, form = FLOATS[number]
        value = struct.unpack_from(form, data)[0]
        return (name, value if math.isfinite(value) else special(value)), struct.calcsize(form)
    if number in MOMENTS:
        name, digits, zone = MOMENTS[number]
        return (name, timestamp(_signed(data[:8]), digits) + zone), 8
    if number == 11:
        return ("date", date(_signed(data[:4]))), 4
    if number == 17:
        return ("time", time(_signed(data[:8]), 6)), 8
    if number == 20:
        return ("uuid", str(uuid.UUID(bytes=data[:16]))), 16
    assert number in (15, 16), number
    length = _unsigned(data[:4])
    content = data[4 : 4 + length]
    return (("binary", content.hex()) if number == 15 else ("string", content.decode())), 4 + length


def _decimal(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    whole, part = digits[: len(digits) - scale], digits[len(digits) - scale :]
    return f"{'-' if unscaled < 0 else ''}{whole}{'.' if scale else ''}{part}"


def _unsigned(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)
