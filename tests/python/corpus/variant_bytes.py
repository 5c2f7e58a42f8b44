"""Plain values as variants, by Parquet's `VariantEncoding.md` alone.

In: what `floeberg.variant` gives. Out: the two byte strings of a variant.
"""

from __future__ import annotations

import datetime
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

import floeberg as fb
from corpus.variants import DECIMALS, INTEGERS
from floeberg.types import NestedField, PrimitiveType, Schema

__all__ = ["PARTS", "table_of_variants", "variant", "variants"]

PARTS = pa.struct([pa.field(name, pa.binary(), nullable=False) for name in ("metadata", "value")])
_IS_VARIANT = {"ARROW:extension:name": "arrow.parquet.variant", "ARROW:extension:metadata": ""}
_DIGITS = {8: 9, 9: 18, 10: 38}
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def variants(rows: list[dict[str, Any]], name: str = "v") -> pa.Table:
    """Rows of a number `id` and a column of values, in which a missing one is null."""
    schema = pa.schema([pa.field("id", pa.int64()), pa.field(name, PARTS, metadata=_IS_VARIANT)])
    encoded = [row | ({name: variant(row[name])} if name in row else {}) for row in rows]
    return pa.Table.from_pylist(encoded, schema)


def table_of_variants(warehouse: Path, **creation: Any) -> fb.Table:
    """An empty table of `id` and a variant `v`, in a folder."""
    catalog = fb.load_catalog("variants", type="filesystem", warehouse=str(warehouse))
    catalog.create_namespace("ns")
    fields = [
        NestedField(1, "id", PrimitiveType("long"), required=False),
        NestedField(2, "v", PrimitiveType("variant"), required=False),
    ]
    properties = {"format-version": "3"} | creation.pop("properties", {})
    return catalog.create_table("ns.events", Schema(*fields), properties=properties, **creation)


def variant(value: Any) -> dict[str, bytes]:
    """A value, with the names that are in it."""
    names = sorted({name.encode() for name in _names(value)})
    ends = [sum(map(len, names[:count])) for count in range(len(names) + 1)]
    metadata = bytes([0x51]) + b"".join(end.to_bytes(2, "little") for end in [len(names), *ends])
    return {"metadata": metadata + b"".join(names), "value": _value(value, names)}


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(name for each in value.values() for name in _names(each))]
    return [name for each in value for name in _names(each)] if isinstance(value, list) else []


def _value(value: Any, names: list[bytes]) -> bytes:
    if value is None or isinstance(value, bool):
        return bytes([(0 if value is None else 1 if value else 2) << 2])
    if isinstance(value, int):
        widths = ((kind, width) for kind, (_, width) in INTEGERS.items())
        kind, width = next(fit for fit in widths if -1 << 8 * fit[1] - 1 <= value < 1 << 8 * fit[1] - 1)
        return _primitive(kind, value.to_bytes(width, "little", signed=True))
    if isinstance(value, float):
        return _primitive(7, struct.pack("<d", value))
    if isinstance(value, Decimal):
        scale = -int(value.as_tuple().exponent)
        unscaled = int(value.scaleb(scale))
        kind = next(kind for kind, digits in _DIGITS.items() if abs(unscaled) < 10**digits)
        return _primitive(kind, bytes([scale]) + unscaled.to_bytes(DECIMALS[kind][1], "little", signed=True))
    if isinstance(value, datetime.datetime):
        micros = (value - _EPOCH) // datetime.timedelta(microseconds=1)
        return _primitive(12, micros.to_bytes(8, "little", signed=True))
    if isinstance(value, datetime.date):
        return _primitive(11, (value - _EPOCH.date()).days.to_bytes(4, "little", signed=True))
    if isinstance(value, bytes):
        return _primitive(15, len(value).to_bytes(4, "little") + value)
    if isinstance(value, str):
        return _primitive(16, len(value.encode()).to_bytes(4, "little") + value.encode())
    if isinstance(value, dict):
        fields = sorted((name.encode(), each) for name, each in value.items())
        ids = [names.index(name) for name, _ in fields]
        return _parts(0b11111 << 2 | 2, ids, [_value(each, names) for _, each in fields])
    return _parts(0b111 << 2 | 3, [], [_value(each, names) for each in value])


def _parts(header: int, ids: list[int], values: list[bytes]) -> bytes:
    """An object or array, with four bytes of its count, every id and every offset."""
    ends = [sum(map(len, values[:count])) for count in range(len(values) + 1)]
    numbers = b"".join(number.to_bytes(4, "little") for number in [len(values), *ids, *ends])
    return bytes([header]) + numbers + b"".join(values)


def _primitive(number: int, data: bytes) -> bytes:
    return bytes([number << 2]) + data
