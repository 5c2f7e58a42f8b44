"""The types that columns of random tables have, and values of them."""

from __future__ import annotations

import datetime
import math
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

NAN = float("nan")
DAY = 86_400_000_000
INTS = (-(2**31), -1001, -1, 0, 1, 7, 100, 2**31 - 1)
LONGS = (-(2**63), -(2**31) - 1, -1, 0, 1, 34, 10**12, 2**63 - 1)
FLOATS = (-1.5, -0.0, 0.0, 0.5, 1024.25, NAN, float("inf"), float("-inf"))
TEXTS = (
    "",
    "a",
    "abc",
    "Zürich",
    "漢字",
    "\U0001f9ca berg",
    "x" * 40,
    "\U0010ffff" * 20,
    "a/b=c&d e%",
    "null",
)
RAW = (b"", b"\x00", b"abc", b"\xff" * 20, bytes(range(32)))
MOMENTS = (-DAY * 366 * 70, -DAY - 1, -3_600_000_001, -1, 0, 1, DAY, DAY * 18_262 + 5, DAY * 366 * 60)
UUIDS = tuple(
    uuid.UUID(int=number).bytes for number in (0, 1, 2**64, 2**127, 2**128 - 1, 0x0F14D0AB96054A62A9E4)
)
TEMPORAL = ("year", "month", "day", "hour")


@dataclass(frozen=True)
class Kind:
    """A primitive type.

    Attributes:
        name: As the specification writes it.
        arrow: As rows are given.
        values: What columns hold; null comes besides.
        transforms: What it may be partitioned by.
        version: The first format version that has it.
        becomes: What it may be promoted to.
    """

    name: str
    arrow: pa.DataType
    values: tuple[Any, ...]
    transforms: tuple[str, ...] = ()
    version: int = 1
    becomes: tuple[str, ...] = ()

    @property
    def finite(self) -> tuple[Any, ...]:
        """The values but NaN and the infinities."""
        return tuple(each for each in self.values if not isinstance(each, float) or math.isfinite(each))

    def array(self, values: list[Any]) -> pa.Array:
        """Values as rows have them."""
        if isinstance(self.arrow, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(self.arrow, pa.array(values, self.arrow.storage_type))
        return pa.array(values, self.arrow)


def _numbers(width: int) -> tuple[str, ...]:
    return ("identity", "bucket[4]", f"truncate[{width}]", "void")


KINDS = {
    each.name: each
    for each in (
        Kind("boolean", pa.bool_(), (True, False), ("identity",)),
        Kind("int", pa.int32(), INTS, _numbers(10), becomes=("long",)),
        Kind("long", pa.int64(), LONGS, _numbers(1000)),
        Kind("float", pa.float32(), FLOATS, (), becomes=("double",)),
        Kind("double", pa.float64(), FLOATS),
        Kind(
            "decimal(9, 2)",
            pa.decimal128(9, 2),
            tuple(map(Decimal, ("-9999949.99", "-0.01", "0.00", "10.65", "9999999.99"))),
            _numbers(50),
            becomes=("decimal(18, 2)",),
        ),
        Kind(
            "decimal(18, 2)",
            pa.decimal128(18, 2),
            (Decimal("-1.00"), Decimal("1234567890123.45")),
            _numbers(50),
        ),
        Kind(
            "decimal(38, 10)",
            pa.decimal128(38, 10),
            (Decimal("-1234567890123456789012345678.0123456789"), Decimal("0.0000000001")),
            ("identity", "bucket[4]"),
        ),
        Kind(
            "date",
            pa.date32(),
            tuple(map(datetime.date, (1900, 1969, 1970, 2026), (1, 12, 1, 11), (1, 31, 1, 21))),
            ("identity", "bucket[4]", "year", "month", "day"),
        ),
        Kind("time", pa.time64("us"), (0, 1, 43_200_000_000, DAY - 1), ("identity", "bucket[4]")),
        Kind("timestamp", pa.timestamp("us"), MOMENTS, ("bucket[4]", *TEMPORAL)),
        Kind("timestamptz", pa.timestamp("us", "UTC"), MOMENTS, ("bucket[4]", *TEMPORAL)),
        Kind("string", pa.string(), TEXTS, ("identity", "bucket[4]", "truncate[2]", "void")),
        Kind("uuid", pa.uuid(), UUIDS, ("bucket[4]",)),
        Kind("fixed[16]", pa.binary(16), UUIDS, ("bucket[4]",)),
        Kind("fixed[5]", pa.binary(5), (b"\x00" * 5, b"hello", b"\xff" * 5), ("bucket[4]",)),
        Kind("binary", pa.binary(), RAW, ("bucket[4]", "truncate[2]")),
        Kind(
            "timestamp_ns",
            pa.timestamp("ns"),
            (-DAY * 1000 - 1, -1, 0, 999, 1_700_000_000_123_456_789),
            ("day",),
            3,
        ),
        Kind("timestamptz_ns", pa.timestamp("ns", "UTC"), (-1, 0, 1_700_000_000_123_456_789), ("hour",), 3),
    )
}
