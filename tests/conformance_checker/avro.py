"""Avro files as they are: their metadata, the schema that they were written with, and rows by names.

Logical types are left alone: a date is a number, a decimal its bytes.
"""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

Schema = Any
Decoder = Callable[["Bytes"], Any]


class Bytes:
    """Bytes that are read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """The next so many bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise ValueError(f"{count} bytes wanted at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count : self.at]

    def long(self) -> int:
        """A zigzag number of variable length."""
        data, at, shift, value = self.data, self.at, 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        self.at = at
        return (value >> 1) ^ -(value & 1)

    def sized(self) -> bytes:
        """Bytes behind their length."""
        return self.take(self.long())


@dataclass(frozen=True)
class AvroFile:
    """An Avro file.

    Attributes:
        schema: The schema that it was written with.
        metadata: The rest of its metadata.
        rows: Its rows.
        size: Its length in bytes.
    """

    schema: Schema
    metadata: dict[str, str]
    rows: list[dict[str, Any]]
    size: int


def read(content: bytes) -> AvroFile:
    """An Avro file out of its bytes. Raises `ValueError` and `IndexError`."""
    data = Bytes(content)
    if data.take(4) != b"Obj\x01":
        raise ValueError("it does not begin as Avro files do")
    metadata = _header(data)
    sync = data.take(16)
    schema = json.loads(metadata.pop("avro.schema"))
    codec = metadata.pop("avro.codec", "null")
    decode = decoder(schema, {})
    rows: list[dict[str, Any]] = []
    while data.at < len(content):
        count = data.long()
        block = Bytes(_decompressed(codec, data.sized()))
        rows.extend(decode(block) for _ in range(count))
        if block.at != len(block.data):
            raise ValueError(f"{len(block.data) - block.at} bytes are left in a block")
        if data.take(16) != sync:
            raise ValueError("a block does not end with the marker of the file")
    return AvroFile(schema, metadata, rows, len(content))


def _header(data: Bytes) -> dict[str, str]:
    found = {}
    while count := data.long():
        if count < 0:
            count = -count
            data.long()
        for _ in range(count):
            key = data.sized().decode()
            found[key] = data.sized().decode()
    return found


def _decompressed(codec: str, block: bytes) -> bytes:
    match codec:
        case "null":
            return block
        case "deflate":
            return zlib.decompress(block, -15)
        case "zstandard":
            with pa.CompressedInputStream(pa.BufferReader(block), "zstd") as stream:
                return stream.read()
        case "snappy":
            length, shift = 0, 0
            for byte in block:
                length |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            plain = pa.decompress(block[:-4], decompressed_size=length, codec="snappy", asbytes=True)
            if zlib.crc32(plain) != int.from_bytes(block[-4:], "big"):
                raise ValueError("a block has another checksum than it says")
            return plain
    raise ValueError(f"the codec {codec!r} is not one of Avro's")


def plain_json(content: bytes) -> Any:
    """The JSON of a metadata file, be it compressed."""
    return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)


def decoder(schema: Schema, named: dict[str, Decoder]) -> Decoder:
    """What reads a value of a schema; `named` are the types that were declared before."""
    if isinstance(schema, list):
        branches = [decoder(branch, named) for branch in schema]
        return lambda data: branches[data.long()](data)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, (dict, list)):
        return decoder(kind, named)
    simple: dict[str, Decoder] = {
        "null": lambda _: None,
        "boolean": lambda data: data.take(1) != b"\x00",
        "int": Bytes.long,
        "long": Bytes.long,
        "float": lambda data: struct.unpack("<f", data.take(4))[0],
        "double": lambda data: struct.unpack("<d", data.take(8))[0],
        "string": lambda data: data.sized().decode(),
        "bytes": Bytes.sized,
    }
    if kind in simple:
        return simple[kind]
    if kind in named:
        return named[kind]
    if kind == "fixed":
        size = schema["size"]
        named[schema["name"]] = made = lambda data: data.take(size)
        return made
    if kind == "record":
        fields = [(each["name"], decoder(each["type"], named)) for each in schema["fields"]]
        named[schema["name"]] = made = lambda data: {name: decode(data) for name, decode in fields}
        return made
    if kind == "array":
        return _repeated(decoder(schema["items"], named))
    if kind == "map":
        value = decoder(schema["values"], named)
        pairs = _repeated(lambda data: (data.sized().decode(), value(data)))
        return lambda data: dict(pairs(data))
    raise ValueError(f"the type {kind!r} is not one of Avro's")


def _repeated(item: Decoder) -> Decoder:
    def decode(data: Bytes) -> list[Any]:
        found: list[Any] = []
        while count := data.long():
            if count < 0:
                count = -count
                data.long()
            found.extend(item(data) for _ in range(count))
        return found

    return decode
