"""What partition transforms make of values, by the specification alone. Spec: Partition Transforms; Appendix B."""

from __future__ import annotations

import struct
from datetime import date, timedelta

from conformance_checker.single_values import Comparable, decimal_bytes
from conformance_checker.types import Type, kind_of

HOUR, DAY = 3_600_000_000, 86_400_000_000


def apply(transform: str, type_: Type, value: Comparable) -> Comparable:
    """The value of a transform of a value of a type."""
    name, _, width = transform.rstrip("]").partition("[")
    if value is None or name == "void":
        return None
    if name == "identity":
        return value
    if name == "bucket":
        return (murmur3(_hashed(type_, value)) & 0x7FFF_FFFF) % int(width)
    if name == "truncate":
        return _truncated(type_, value, int(width))
    return _point_in_time(name, type_, value)


def _truncated(type_: Type, value: Comparable, width: int) -> Comparable:
    kind = kind_of(type_)
    if kind == "string":
        return value.decode()[:width].encode()
    if kind == "binary":
        return value[:width]
    down = value - value % width
    bits = {"int": 32, "long": 64}.get(kind)
    if bits is not None and down < -(2 ** (bits - 1)):
        # Java's numbers wrap around.
        down += 2**bits
    return down


def _point_in_time(name: str, type_: Type, value: int) -> int:
    kind = kind_of(type_)
    micros = value * DAY if kind == "date" else value // 1000 if kind.endswith("_ns") else value
    if name == "hour":
        return micros // HOUR
    days = micros // DAY
    if name == "day":
        return days
    years, month = _civil(days)
    return years - 1970 if name == "year" else (years - 1970) * 12 + month - 1


def _civil(days: int) -> tuple[int, int]:
    """Year and month of a day, beyond the years that Python has too."""
    cycles, rest = divmod(days + 719_162, 146_097)
    day = date(1, 1, 1) + timedelta(days=rest)
    return day.year + 400 * cycles, day.month


def _hashed(type_: Type, value: Comparable) -> bytes:
    kind = kind_of(type_)
    if kind == "decimal":
        return decimal_bytes(value)
    if kind.endswith("_ns"):
        return struct.pack("<q", value // 1000)
    return struct.pack("<q", value) if isinstance(value, int) else value


def murmur3(data: bytes) -> int:
    """Murmur3, x86, 32 bits, seed 0."""
    state = 0
    for start in range(0, len(data) - 3, 4):
        state ^= _block(int.from_bytes(data[start : start + 4], "little"))
        state = (_rotated(state, 13) * 5 + 0xE654_6B64) & 0xFFFF_FFFF
    if tail := data[len(data) & ~3 :]:
        state ^= _block(int.from_bytes(tail, "little"))
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EB_CA6B & 0xFFFF_FFFF
    state = (state ^ state >> 13) * 0xC2B2_AE35 & 0xFFFF_FFFF
    return state ^ state >> 16


def _block(value: int) -> int:
    return _rotated(value * 0xCC9E_2D51 & 0xFFFF_FFFF, 15) * 0x1B87_3593 & 0xFFFF_FFFF


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & 0xFFFF_FFFF
