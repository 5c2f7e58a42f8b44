"""Deletion vectors, in Puffin files."""

from __future__ import annotations

import json
import struct
import zlib

from properties.tables import File


def blob(file: File) -> bytes:
    """The vector of a file's positions: one bitmap of one container, which is a list of 16-bit numbers."""
    positions = [position for _, position in file.positions]
    bitmap = struct.pack("<IIHHI", 12346, 1, 0, len(positions) - 1, 16)
    body = (
        b"\xd1\xd3\x39\x64"
        + struct.pack("<QI", 1, 0)
        + bitmap
        + struct.pack(f"<{len(positions)}H", *positions)
    )
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def puffin(file: File) -> bytes:
    """A file of one vector."""
    content = blob(file)
    described = {
        "type": "deletion-vector-v1",
        "fields": [2_147_483_645],
        "snapshot-id": -1,
        "sequence-number": -1,
        "offset": 4,
        "length": len(content),
        "properties": {"cardinality": str(len(file.positions))},
    }
    footer = json.dumps({"blobs": [described]}).encode()
    return b"PFA1" + content + b"PFA1" + footer + struct.pack("<i", len(footer)) + bytes(4) + b"PFA1"
