"""Avro files of rows, uncompressed: as much of the format as manifests need."""

from __future__ import annotations

import json
import struct
from typing import Any

Schema = Any
SYNC = bytes(range(16))


def container(schema: Schema, rows: list[dict[str, Any]], metadata: dict[str, str]) -> bytes:
    """A file of one block."""
    entries = {"avro.schema": json.dumps(schema), "avro.codec": "null"} | metadata
    header = (
        long(len(entries)) + b"".join(text(key) + text(value) for key, value in entries.items()) + long(0)
    )
    data = b"".join(encode(schema, row) for row in rows)
    block = long(len(rows)) + long(len(data)) + data + SYNC if rows else b""
    return b"Obj\x01" + header + SYNC + block


def long(value: int) -> bytes:
    """A zigzag number of variable length."""
    rest = (value << 1) ^ (value >> 63)
    out = bytearray()
    while rest >= 0x80:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def text(value: str) -> bytes:
    """A text behind its length."""
    return sized(value.encode())


def sized(value: bytes) -> bytes:
    """Bytes behind their length."""
    return long(len(value)) + value


def encode(schema: Schema, value: Any) -> bytes:  # noqa: C901 - a branch a type
    """The bytes of a value; `["null", type]` is the only union."""
    if isinstance(schema, list):
        return long(0) if value is None else long(1) + encode(schema[1], value)
    kind = schema["type"] if isinstance(schema, dict) else schema
    match kind:
        case "record":
            return b"".join(encode(field["type"], value[field["name"]]) for field in schema["fields"])
        case "array":
            items = b"".join(encode(schema["items"], item) for item in value)
            return (long(len(value)) + items if value else b"") + long(0)
        case "boolean":
            return bytes([value])
        case "int" | "long":
            return long(value)
        case "float":
            return struct.pack("<f", value)
        case "double":
            return struct.pack("<d", value)
        case "string":
            return text(value)
        case "bytes":
            return sized(value)
        case "fixed":
            assert len(value) == schema["size"]
            return value
    raise AssertionError(schema)


def field(number: int, name: str, kind: Schema, *, optional: bool = True) -> Schema:
    """A field of a record, null where it may be and nothing is given."""
    return {"name": name, "type": ["null", kind] if optional else kind, "field-id": number}


def record(name: str, fields: list[Schema]) -> Schema:
    """A record."""
    return {"type": "record", "name": name, "fields": fields}


def array(number: int, items: Schema) -> Schema:
    """A list whose elements have an id."""
    return {"type": "array", "items": items, "element-id": number}


def pairs(key: int, value: int, kind: Schema) -> Schema:
    """A map with whole numbers as keys: a list of pairs."""
    fields = [field(key, "key", "int", optional=False), field(value, "value", kind, optional=False)]
    return {"type": "array", "logicalType": "map", "items": record(f"k{key}_v{value}", fields)}
