"""Lance tables of many fragments, or of many versions, in a moment: manifests alone, whose data files are nowhere.

The encoder below knows just enough of protocol buffers for that.
"""

from __future__ import annotations

import shutil
import struct
import uuid
from pathlib import Path

COLUMNS = 8
ROWS = 1000
"""Rows of a fragment."""
SIZE = 9_000
"""Bytes of a data file, as manifests say."""


def fragments_table(folder: Path, count: int, *, stable: bool) -> Path:
    """A table of one version with so many fragments, made when it is not there."""
    return _made(folder / f"lance-fragments-{count}{'-stable' if stable else ''}", 1, count, stable=stable)


def versions_table(folder: Path, count: int) -> Path:
    """A table of so many versions with one fragment."""
    return _made(folder / f"lance-versions-{count}", count, 1, stable=True)


def _made(folder: Path, versions: int, fragments: int, *, stable: bool) -> Path:
    if (folder / "made").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "_versions").mkdir(parents=True)
    (folder / "data").mkdir()
    parts = [_fragment(place, stable=stable) for place in range(fragments)]
    for version in range(1, versions + 1):
        name = f"{(1 << 64) - 1 - version:020}.manifest"
        (folder / "_versions" / name).write_bytes(_manifest(version, parts, stable=stable))
    (folder / "made").touch()
    return folder


def _manifest(version: int, fragments: list[bytes], *, stable: bool) -> bytes:
    """The file of a version without indices and transaction."""
    parts = [_span(1, _column(place)) for place in range(COLUMNS)]
    parts += [_span(2, each) for each in fragments]
    parts += [_number(3, version), _span(7, _number(1, 1_700_000_000 + version))]
    parts += [_number(9, 2), _number(10, 2)] if stable else []
    parts.append(_some_number(11, len(fragments) - 1))
    parts.append(_span(13, _span(1, b"synthetic") + _span(2, b"0.0.0")))
    parts += [_number(14, len(fragments) * ROWS)] if stable else []
    parts.append(_span(15, _span(1, b"lance") + _span(2, b"2.2")))
    message = b"".join(parts)
    return struct.pack("<I", len(message)) + message + struct.pack("<qhh", 0, 0, 2) + b"LANC"


def _column(place: int) -> bytes:
    """A column of 64-bit integers."""
    name = _span(2, f"c{place}".encode())
    return _number(1, 2) + name + _number(3, place) + _number(4, -1) + _span(5, b"int64") + _number(6, 1)


def _fragment(place: int, *, stable: bool) -> bytes:
    """A fragment of one file with all columns."""
    columns = b"".join(_varint(each) for each in range(COLUMNS))
    raw = uuid.uuid5(uuid.NAMESPACE_OID, str(place)).bytes
    path = "".join(f"{byte:08b}" for byte in raw[:3]) + raw[3:].hex() + ".lance"
    file = _span(1, path.encode()) + _span(2, columns) + _span(3, columns)
    file += _number(4, 2) + _number(5, 2) + _number(6, SIZE)
    first = place * ROWS
    ids = _span(5, _span(1, _span(1, _number(1, first) + _number(2, first + ROWS)))) if stable else b""
    return _number(1, place) + _span(2, file) + _number(4, ROWS) + ids


def _varint(value: int) -> bytes:
    """A number, seven bits a byte; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(tag: int, value: int) -> bytes:
    """A number, left out where it is zero."""
    return _some_number(tag, value) if value else b""


def _some_number(tag: int, value: int) -> bytes:
    return _varint(tag << 3) + _varint(value)


def _span(tag: int, content: bytes) -> bytes:
    """Bytes, text, packed numbers or a message."""
    return _varint(tag << 3 | 2) + _varint(len(content)) + content
