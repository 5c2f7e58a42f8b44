"""How does the corpus write rows down?

In: Arrow. Out: the encoding that `tests/conformance/README.md` describes.
"""

from __future__ import annotations

import hashlib
import math
import uuid
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pyarrow as pa

from corpus.cases import line
from corpus.scalars import date, decimal, special, time, timestamp
from corpus.variants import encode_variant

VARIANT = ("metadata", "value")
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def encode(table: pa.Table) -> list[str]:
    """The rows of a table as sorted lines of JSON."""
    rows: list[str] = []
    for batch in table.to_batches():
        columns = [encode_array(*each) for each in zip(batch.columns, batch.schema, strict=True)]
        rows.extend(line(list(row)) for row in zip(*columns, strict=True))
    return sorted(rows, key=str.encode)


def checksum(lines: Iterable[str]) -> str:
    """The checksum of a set of rows, given as lines."""
    ordered = sorted(text.encode() for text in lines)
    return hashlib.sha256(b"".join(text + b"\n" for text in ordered)).hexdigest()


def encode_array(array: pa.Array, field: pa.Field) -> list[Any]:
    """The values of an array, which is a column or part of one, encoded."""
    valid = array.is_valid().to_pylist()
    values = _variants(array, valid) if is_variant(field) else _values(array, field)
    return [value if known else None for value, known in zip(values, valid, strict=True)]


def is_variant(field: pa.Field) -> bool:
    """Is it a variant of Arrow's extension type, whose storage pyarrow gives, or one of Spark's?"""
    if (field.metadata or {}).get(b"ARROW:extension:name") == b"arrow.parquet.variant":
        assert field.type == pa.struct([pa.field(name, pa.binary(), nullable=False) for name in VARIANT]), (
            field
        )
        return True
    return pa.types.is_struct(field.type) and any(
        (child.metadata or {}).get(b"variant") == b"true" for child in field.type
    )


def _variants(array: pa.Array, valid: list[bool]) -> list[Any]:
    parts = [array.field(name).to_pylist() for name in VARIANT]
    return [encode_variant(*each) if known else None for *each, known in zip(*parts, valid, strict=True)]


def _values(array: pa.Array, field: pa.Field) -> list[Any]:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return [value and str(uuid.UUID(bytes=value)) for value in array.storage.to_pylist()]
        return encode_array(array.storage, field.with_type(array.storage.type))
    if pa.types.is_struct(kind):
        # `flatten` counts a child of a null struct as null.
        fields = [encode_array(*each) for each in zip(array.flatten(), kind, strict=True)]
        names = [kind.field(number).name for number in range(kind.num_fields)]
        return [dict(zip(names, values, strict=True)) for values in zip(*fields, strict=True)] or [{}] * len(
            array
        )
    if pa.types.is_map(kind):
        keys, items = encode_array(array.keys, kind.key_field), encode_array(array.items, kind.item_field)
        pairs = [list(pair) for pair in zip(keys, items, strict=True)]
        return [sorted(group, key=lambda pair: line(pair[0]).encode()) for group in _groups(array, pairs)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _groups(array, encode_array(array.values, kind.value_field))
    return _scalars(array)


def _groups(array: pa.Array, items: list[Any]) -> list[list[Any]]:
    offsets = array.offsets.to_pylist()
    return [items[start:end] for start, end in pairwise(offsets)]


def _scalars(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_floating(kind):
        return [
            value if value is None or math.isfinite(value) else special(value) for value in array.to_pylist()
        ]
    if pa.types.is_decimal(kind):
        return [None if value is None else decimal(value, kind.scale) for value in array.to_pylist()]
    if pa.types.is_date32(kind):
        return [None if days is None else date(days) for days in array.cast(pa.int32()).to_pylist()]
    if pa.types.is_time64(kind):
        digits = UNITS[kind.unit]
        return [
            None if ticks is None else time(ticks, digits) for ticks in array.cast(pa.int64()).to_pylist()
        ]
    if pa.types.is_timestamp(kind):
        digits, zone = UNITS[kind.unit], "+00:00" if kind.tz else ""
        assert kind.tz in (None, "UTC", "+00:00"), kind
        ticks_of = array.cast(pa.int64()).to_pylist()
        return [None if ticks is None else timestamp(ticks, digits) + zone for ticks in ticks_of]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return [None if value is None else value.hex() for value in array.to_pylist()]
    return array.to_pylist()
