"""Puffin files, and the deletion vectors in them. Spec: Puffin; Deletion Vectors."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

Json = dict[str, Any]
MAGIC = b"PFA1"
VECTOR_MAGIC = b"\xd1\xd3\x39\x64"
SERIAL, SERIAL_WITH_RUNS = 12_346, 12_347
CONTAINER, MOST_LISTED, OFFSETS_FROM = 1 << 16, 4_096, 4


def blobs_of(content: bytes) -> list[Json]:
    """What the footer of a Puffin file says of its blobs. Raises `ValueError`."""
    if content[:4] != MAGIC or content[-4:] != MAGIC or len(content) < 20:
        raise ValueError("it does not begin and end as a Puffin file does")
    length, flags = struct.unpack("<iI", content[-12:-4])
    start = len(content) - 12 - length
    if flags or start < 8 or content[start - 4 : start] != MAGIC:
        raise ValueError(f"its footer of {length} bytes, flags {flags}, does not begin at {start}")
    blobs: list[Json] = json.loads(content[start : start + length])["blobs"]
    return blobs


def positions_of(blob: bytes) -> list[int]:
    """The positions of a deletion vector, ascending. Raises `ValueError` and `struct.error`."""
    (length,) = struct.unpack(">I", blob[:4])
    body, (checksum,) = blob[4:-4], struct.unpack(">I", blob[-4:])
    if length != len(body) or body[:4] != VECTOR_MAGIC or checksum != zlib.crc32(body):
        raise ValueError(f"length {length} of {len(body)}, magic {body[:4].hex()}, or checksum is wrong")
    (bitmaps,) = struct.unpack("<Q", body[4:12])
    at, found = 12, []
    for _ in range(bitmaps):
        (key,) = struct.unpack("<I", body[at : at + 4])
        low, at = _bitmap(body, at + 4)
        found += [key << 32 | each for each in low]
    if at != len(body) or found != sorted(set(found)):
        raise ValueError(f"it ends at {at} of {len(body)}, or positions are not ascending")
    return found


def _bitmap(body: bytes, start: int) -> tuple[list[int], int]:
    """The values of a 32-bit bitmap, and where it ends."""
    (cookie,) = struct.unpack("<I", body[start : start + 4])
    if cookie & 0xFFFF == SERIAL_WITH_RUNS:
        count = (cookie >> 16) + 1
        flags = (count + 7) // 8
        runs = int.from_bytes(body[start + 4 : start + 4 + flags], "little")
        at, has_offsets = start + 4 + flags, count >= OFFSETS_FROM
    elif cookie == SERIAL:
        (count,) = struct.unpack("<I", body[start + 4 : start + 8])
        runs, at, has_offsets = 0, start + 8, True
    else:
        raise ValueError(f"a bitmap begins with {cookie}")
    heads = [struct.unpack("<HH", body[at + 4 * each : at + 4 * each + 4]) for each in range(count)]
    at += 4 * count * (2 if has_offsets else 1)
    found = []
    for number, (key, less_one) in enumerate(heads):
        low, at = _container(body, at, less_one + 1, is_run=bool(runs >> number & 1))
        found += [key << 16 | each for each in low]
    return found, at


def _container(body: bytes, at: int, count: int, *, is_run: bool) -> tuple[list[int], int]:
    """The values of a container, and where it ends."""
    if is_run:
        (runs,) = struct.unpack("<H", body[at : at + 2])
        pairs = struct.unpack(f"<{2 * runs}H", body[at + 2 : at + 2 + 4 * runs])
        spans = zip(pairs[::2], pairs[1::2], strict=True)
        return [each for first, more in spans for each in range(first, first + more + 1)], at + 2 + 4 * runs
    if count <= MOST_LISTED:
        return list(struct.unpack(f"<{count}H", body[at : at + 2 * count])), at + 2 * count
    end = at + CONTAINER // 8
    bits = int.from_bytes(body[at:end], "little")
    return [each for each in range(CONTAINER) if bits >> each & 1], end
