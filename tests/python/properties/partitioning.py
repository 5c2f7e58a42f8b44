"""What partition transforms make of values: the specification's arithmetic, written down once more."""

from __future__ import annotations

import struct
from datetime import date, timedelta
from typing import Any

from properties.kinds import DAY, KINDS, Kind, _minimal

HOUR = 3_600_000_000
EPOCH = date(1970, 1, 1)


def transforms_of(kind: Kind) -> list[str]:
    """The transforms that a column may be partitioned by."""
    found = ["identity", "void"]
    if kind.name not in ("boolean", "float", "double"):
        found += ["bucket[4]", "bucket[1]"]
    if kind.name in ("int", "long", "string", "binary") or kind.name.startswith("decimal"):
        found += ["truncate[1]", "truncate[10]"]
    if kind.name == "date":
        found += ["year", "month", "day"]
    if kind.name.startswith("timestamp"):
        found += ["year", "month", "day", "hour"]
    return found


def result_kind(transform: str, kind: Kind) -> Kind:
    """The type of a transform's values."""
    if transform.startswith("bucket") or transform in ("year", "month", "hour"):
        return KINDS["int"]
    return KINDS["date"] if transform == "day" else kind


def apply(transform: str, kind: Kind, value: Any) -> Any:
    """The value of a transform."""
    if value is None or transform == "void":
        return None
    if transform == "identity":
        return value
    name, _, width = transform.rstrip("]").partition("[")
    if name == "bucket":
        return (murmur(hashed(kind, value)) & 0x7FFF_FFFF) % int(width)
    if name == "truncate":
        return _truncated(kind, value, int(width))
    return _time(name, kind, value)


def _truncated(kind: Kind, value: Any, width: int) -> Any:
    if isinstance(value, str | bytes):
        return value[:width]
    floor = value - value % width
    # Writers wrap around below the least number.
    bits = {"int": 32, "long": 64}.get(kind.name)
    return floor if bits is None else (floor + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def _time(name: str, kind: Kind, value: int) -> int:
    micros = value * DAY if kind.name == "date" else value // 1000 if kind.name.endswith("_ns") else value
    if name == "hour":
        return micros // HOUR
    days = micros // DAY
    if name == "day":
        return days
    day = EPOCH + timedelta(days=days)
    return day.year - 1970 if name == "year" else (day.year - 1970) * 12 + day.month - 1


def hashed(kind: Kind, value: Any) -> bytes:
    """The bytes that are hashed."""
    if kind.name.startswith("decimal"):
        return _minimal(value)
    if kind.name.endswith("_ns"):
        return struct.pack("<q", value // 1000)
    if isinstance(value, int):
        return struct.pack("<q", value)
    return value.encode() if isinstance(value, str) else value


def murmur(data: bytes) -> int:
    """Murmur3, 32 bits, of seed 0."""
    mask = 0xFFFF_FFFF

    def mixed(block: int) -> int:
        block = block * 0xCC9E_2D51 & mask
        return ((block << 15 | block >> 17) & mask) * 0x1B87_3593 & mask

    value = 0
    whole = len(data) // 4 * 4
    for start in range(0, whole, 4):
        value ^= mixed(int.from_bytes(data[start : start + 4], "little"))
        value = (value << 13 | value >> 19) & mask
        value = (value * 5 + 0xE654_6B64) & mask
    value ^= mixed(int.from_bytes(data[whole:], "little"))
    value ^= len(data)
    for shift, factor in ((16, 0x85EB_CA6B), (13, 0xC2B2_AE35), (16, 1)):
        value = (value ^ value >> shift) * factor & mask
    return value
