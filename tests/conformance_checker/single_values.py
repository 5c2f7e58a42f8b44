"""Single values out of bytes, as they are compared. Spec: Appendix D, Binary single-value serialization.

A value is compared as: a number for numbers, dates and times; the unscaled number of a decimal; bytes for texts, uuids,
fixed and binary.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from conformance_checker.types import Type, kind_of, length_of

Comparable = Any

FORMATS = {
    "int": "<i",
    "date": "<i",
    "long": "<q",
    "time": "<q",
    "timestamp": "<q",
    "timestamptz": "<q",
    "timestamp_ns": "<q",
    "timestamptz_ns": "<q",
    "float": "<f",
    "double": "<d",
}
SIZED = {"boolean": 1, "uuid": 16, "fixed": 0}


def from_bytes(type_: Type, data: bytes) -> Comparable:
    """A value out of its bytes. Raises `ValueError` where they are not of the type."""
    kind = kind_of(type_)
    if kind in SIZED:
        size = length_of(type_) if kind == "fixed" else SIZED[kind]
        if len(data) != size:
            raise ValueError(f"{type_} in {len(data)} bytes")
        return data != b"\x00" if kind == "boolean" else data
    if kind in FORMATS:
        if len(data) != struct.calcsize(FORMATS[kind]):
            raise ValueError(f"{kind} in {len(data)} bytes")
        return struct.unpack(FORMATS[kind], data)[0]
    if kind == "decimal":
        value = int.from_bytes(data, "big", signed=True)
        if data != decimal_bytes(value):
            raise ValueError(f"{data.hex()} is not the shortest form of the decimal {value}")
        return value
    if kind == "string":
        data.decode()
    elif kind != "binary":
        raise ValueError(f"{type_} has no single values")
    return data


def decimal_bytes(value: int) -> bytes:
    """The fewest bytes of a decimal."""
    size = ((value if value >= 0 else ~value).bit_length() + 8) // 8
    return value.to_bytes(size, "big", signed=True)


def is_nan(value: Comparable) -> bool:
    """Is it NaN?"""
    return isinstance(value, float) and math.isnan(value)


def is_below(one: Comparable, other: Comparable) -> bool:
    """Is one value below another? -0.0 is below 0.0."""
    if isinstance(one, float) and one == other:
        return math.copysign(1, one) < math.copysign(1, other)
    return bool(one < other)


def from_avro(type_: Type, value: Any) -> Comparable:
    """A partition value as its manifest has it."""
    if value is None:
        return None
    kind = kind_of(type_)
    if kind == "decimal":
        return int.from_bytes(value, "big", signed=True)
    return value.encode() if kind == "string" else value
