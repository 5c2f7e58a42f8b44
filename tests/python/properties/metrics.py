"""What a manifest says of the columns of a file: exact, loosened or missing, and never wrong."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

from properties.kinds import Kind


@dataclass(frozen=True)
class Told:
    """What is told of a column.

    Attributes:
        counts: Whether values and nulls are counted.
        nans: Whether NaNs are counted.
        lower: Whether there is a lower bound.
        upper: Whether there is an upper bound.
        length: Characters or bytes that bounds of texts and bytes are cut to.
    """

    counts: bool
    nans: bool
    lower: bool
    upper: bool
    length: int


@dataclass(frozen=True)
class Metrics:
    """Counts and bounds of a column; `None` is not told."""

    values: int | None = None
    nulls: int | None = None
    nans: int | None = None
    lower: bytes | None = None
    upper: bytes | None = None


def metrics(kind: Kind, values: list[Any], told: Told) -> Metrics:
    """What is told of the values of a column."""
    there = [value for value in values if value is not None]
    numbers = [value for value in there if not (kind.is_float and math.isnan(value))]
    lower = upper = None
    if numbers:
        ordered = sorted(numbers, key=lambda value: order(kind, value))
        lower, upper = ordered[0], ordered[-1]
        if kind.name in ("string", "binary"):
            lower, upper = lower[: told.length], cut_upper(upper, told.length)
    return Metrics(
        values=len(values) if told.counts else None,
        nulls=len(values) - len(there) if told.counts else None,
        nans=len(there) - len(numbers) if told.nans and kind.is_float else None,
        lower=kind.pack(lower) if told.lower and lower is not None else None,
        upper=kind.pack(upper) if told.upper and upper is not None else None,
    )


def order(kind: Kind, value: Any) -> Any:
    """What values are ordered by; -0.0 comes before 0.0."""
    return (value, math.copysign(1, value)) if kind.is_float else value


def cut_upper(value: Any, length: int) -> Any:
    """Nothing below it: a beginning with its last part raised; `None` where there is none."""
    if len(value) <= length:
        return value
    parts = [ord(part) for part in value[:length]] if isinstance(value, str) else list(value[:length])
    most = 0x10FFFF if isinstance(value, str) else 0xFF
    while parts:
        last = parts.pop()
        if last == most:
            continue
        # No text holds a surrogate.
        raised = 0xE000 if isinstance(value, str) and last == 0xD7FF else last + 1
        parts.append(raised)
        return "".join(map(chr, parts)) if isinstance(value, str) else bytes(parts)
    return None


def same_bits(value: Any) -> Any:
    """A value that is equal only to itself: NaN is, and the zeros differ."""
    if not isinstance(value, float):
        return value
    return "NaN" if math.isnan(value) else struct.pack("<d", value)
