"""How does the corpus write rows down?

In: Arrow. Out: the encoding that `tests/conformance/README.md` describes.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import uuid
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

from corpus.cases import line

EPOCH = datetime.date(1970, 1, 1).toordinal()
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def encode(table: pa.Table) -> list[str]:
    """The rows of a table as sorted lines of JSON."""
    rows: list[str] = []
    for batch in table.to_batches():
        columns = [encode_array(column) for column in batch.columns]
        rows.extend(line(list(row)) for row in zip(*columns, strict=True))
    return sorted(rows, key=str.encode)


def checksum(lines: Iterable[str]) -> str:
    """The checksum of a set of rows, given as lines."""
    ordered = sorted(text.encode() for text in lines)
    return hashlib.sha256(b"".join(text + b"\n" for text in ordered)).hexdigest()


def encode_array(array: pa.Array) -> list[Any]:
    """The values of an array, encoded."""
    valid = array.is_valid().to_pylist()
    return [value if known else None for value, known in zip(_values(array), valid, strict=True)]


def _values(array: pa.Array) -> list[Any]:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return [value and str(uuid.UUID(bytes=value)) for value in array.storage.to_pylist()]
        return encode_array(array.storage)
    if pa.types.is_struct(kind):
        # `flatten` counts a child of a null struct as null.
        fields = [encode_array(child) for child in array.flatten()]
        names = [kind.field(number).name for number in range(kind.num_fields)]
        return [dict(zip(names, values, strict=True)) for values in zip(*fields, strict=True)] or [{}] * len(
            array
        )
    if pa.types.is_map(kind):
        keys, items = encode_array(array.keys), encode_array(array.items)
        pairs = [list(pair) for pair in zip(keys, items, strict=True)]
        return [sorted(group, key=lambda pair: line(pair[0]).encode()) for group in _groups(array, pairs)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _groups(array, encode_array(array.values))
    return _scalars(array)


def _groups(array: pa.Array, items: list[Any]) -> list[list[Any]]:
    offsets = array.offsets.to_pylist()
    return [items[start:end] for start, end in pairwise(offsets)]


def _scalars(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_floating(kind):
        return [
            value if value is None or math.isfinite(value) else _special(value) for value in array.to_pylist()
        ]
    if pa.types.is_decimal(kind):
        return [None if value is None else _decimal(value, kind.scale) for value in array.to_pylist()]
    if pa.types.is_date32(kind):
        return [None if days is None else _date(days) for days in array.cast(pa.int32()).to_pylist()]
    if pa.types.is_time64(kind):
        digits = UNITS[kind.unit]
        return [
            None if ticks is None else _time(ticks, digits) for ticks in array.cast(pa.int64()).to_pylist()
        ]
    if pa.types.is_timestamp(kind):
        digits, zone = UNITS[kind.unit], "+00:00" if kind.tz else ""
        assert kind.tz in (None, "UTC", "+00:00"), kind
        ticks_of = array.cast(pa.int64()).to_pylist()
        return [None if ticks is None else _timestamp(ticks, digits) + zone for ticks in ticks_of]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return [None if value is None else value.hex() for value in array.to_pylist()]
    return array.to_pylist()


def _special(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal, scale: int) -> str:
    return f"{value:.{scale}f}"


def _date(days: int) -> str:
    return datetime.date.fromordinal(EPOCH + days).isoformat()


def _time(ticks: int, digits: int) -> str:
    seconds, fraction = divmod(ticks, 10**digits)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:0{digits}}"


def _timestamp(ticks: int, digits: int) -> str:
    days, rest = divmod(ticks, 86_400 * 10**digits)
    return f"{_date(days)}T{_time(rest, digits)}"
