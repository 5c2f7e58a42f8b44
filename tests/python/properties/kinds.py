"""The types that random columns have, their values, and the bytes of these.

Values are plain: whole numbers for dates, times, moments and the unscaled part of decimals, bytes for uuid and fixed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa

from floeberg.expressions import TypedLiteral

NAN = float("nan")
DAY = 86_400_000_000
NUMBERS = (-(2**31), -1001, -1, 0, 1, 2, 9, 10, 1000, 2**31 - 1)
TEXTS = ("", "a", "ab", "abc", "abd", "b", "é", "漢字", "\U0010ffff", "a\U0010ffff", "zzzzzzzzzzzzzzzzzzzz")
RAW = (b"", b"\x00", b"a", b"ab", b"\x7f", b"\x80", b"\xff", b"\xff\xff", b"\xff\xff\x01")
MOMENTS = (
    -DAY * 366,
    -DAY - 1,
    -DAY,
    -3_600_000_001,
    -1,
    0,
    1,
    3_600_000_000,
    DAY,
    DAY * 31,
    DAY * 18_262 + 5,
)


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """A type.

    Attributes:
        name: As the table's schema says it.
        arrow: As files store it.
        plain: As the oracle compares it.
        avro: As a manifest has it as a partition value.
        values: What columns hold; null comes besides.
        pack: A value as bounds have it.
        literal: A value as a filter has it.
        promotions: What the column may become, with what its values become.
    """

    name: str
    arrow: pa.DataType
    plain: pa.DataType
    avro: Any
    values: tuple[Any, ...]
    pack: Callable[[Any], bytes]
    literal: Callable[[Any], Any]
    promotions: tuple[tuple[str, Callable[[Any], Any]], ...] = ()
    version: int = 1
    scale: int = 0

    def __repr__(self) -> str:
        """Its name: the rest follows from it."""
        return self.name

    @property
    def is_float(self) -> bool:
        """Whether there is NaN."""
        return self.name in ("float", "double")

    def array(self, values: list[Any]) -> pa.Array:
        """Values as a file stores them."""
        if pa.types.is_fixed_size_binary(self.arrow):
            return pa.array(values, self.arrow)
        return self.plain_array(values).cast(self.arrow)

    def plain_array(self, values: list[Any]) -> pa.Array:
        """Values as the oracle compares them."""
        if self.name.startswith("decimal"):
            values = [None if each is None else Decimal(f"{each}e-{self.scale}") for each in values]
        return pa.array(values, self.plain)


def _same(value: Any) -> Any:
    return value


def _packed(form: str) -> Callable[[Any], bytes]:
    return lambda value: struct.pack(form, value)


def _minimal(value: int) -> bytes:
    return value.to_bytes((value if value >= 0 else ~value).bit_length() // 8 + 1, "big", signed=True)


def _clock(micros: int) -> time:
    seconds, micros = divmod(micros, 1_000_000)
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60, micros)


def _decimal(precision: int, scale: int, *more: int) -> Kind:
    most = 10**precision - 1
    size = next(size for size in range(1, 17) if 2 ** (8 * size - 1) > most)
    return Kind(
        f"decimal({precision}, {scale})",
        pa.decimal128(precision, scale),
        pa.decimal128(precision, scale),
        # The encoder writes the bytes of a fixed as they are.
        {
            "type": "fixed",
            "name": f"decimal_{precision}_{scale}",
            "size": size,
            "logicalType": "decimal",
            "precision": precision,
            "scale": scale,
        },
        # Truncated, the least is still a value of the type.
        (99 - most, -101, -100, -1, 0, 1, 99, 100, 128, most),
        _minimal,
        lambda value: Decimal(f"{value}e-{scale}"),
        tuple((f"decimal({wider}, {scale})", _same) for wider in more),
        scale=scale,
    )


def _moment(name: str, unit: str, zone: str | None, factor: int, version: int) -> Kind:
    logical = {"us": "timestamp-micros", "ns": "timestamp-nanos"}[unit]
    return Kind(
        name,
        pa.timestamp(unit, zone),
        pa.int64(),
        {"type": "long", "logicalType": logical, "adjust-to-utc": zone is not None},
        tuple(moment * factor for moment in MOMENTS),
        _packed("<q"),
        lambda value: TypedLiteral(name, value),  # type: ignore[arg-type]
        version=version,
    )


def _days(day: int) -> Any:
    return TypedLiteral("date", day)


KINDS = {
    kind.name: kind
    for kind in [
        Kind(
            "boolean", pa.bool_(), pa.bool_(), "boolean", (False, True), lambda value: bytes([value]), _same
        ),
        Kind("int", pa.int32(), pa.int32(), "int", NUMBERS, _packed("<i"), _same, (("long", _same),)),
        Kind("long", pa.int64(), pa.int64(), "long", (*NUMBERS, -(2**63), 2**63 - 1), _packed("<q"), _same),
        Kind(
            "float",
            pa.float32(),
            pa.float32(),
            "float",
            (NAN, float("-inf"), -1.5, -0.0, 0.0, 0.25, 1.5, float("inf")),
            _packed("<f"),
            _same,
            (("double", _same),),
        ),
        Kind(
            "double",
            pa.float64(),
            pa.float64(),
            "double",
            (NAN, float("-inf"), -1e300, -0.1, -0.0, 0.0, 0.1, 1.5, float("inf")),
            _packed("<d"),
            _same,
        ),
        _decimal(9, 2, 18),
        _decimal(18, 2),
        _decimal(38, 10),
        Kind(
            "date",
            pa.date32(),
            pa.int32(),
            {"type": "int", "logicalType": "date"},
            (-719_162, -366, -365, -1, 0, 1, 30, 31, 18_262),
            _packed("<i"),
            _days,
            (("timestamp", lambda day: day * DAY),),
        ),
        Kind(
            "time",
            pa.time64("us"),
            pa.int64(),
            {"type": "long", "logicalType": "time-micros"},
            (0, 1, 3_600_000_000, DAY - 1),
            _packed("<q"),
            _clock,
        ),
        _moment("timestamp", "us", None, 1, 1),
        _moment("timestamptz", "us", "UTC", 1, 1),
        _moment("timestamp_ns", "ns", None, 999, 3),
        _moment("timestamptz_ns", "ns", "UTC", 999, 3),
        Kind("string", pa.string(), pa.string(), "string", TEXTS, str.encode, _same),
        Kind("binary", pa.binary(), pa.binary(), "bytes", RAW, _same, _same),
        Kind(
            "fixed[3]",
            pa.binary(3),
            pa.binary(),
            {"type": "fixed", "name": "fixed_3", "size": 3},
            (b"\0\0\0", b"abc", b"abd", b"\x80\0\0", b"\xff\xff\xff"),
            _same,
            _same,
        ),
        Kind(
            "uuid",
            pa.binary(16),
            pa.binary(),
            {"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"},
            (bytes(16), bytes([1] * 16), bytes([0x7F] * 16), bytes([0x80] * 16), bytes([0xFF] * 16)),
            _same,
            lambda value: UUID(bytes=value),
        ),
    ]
}
