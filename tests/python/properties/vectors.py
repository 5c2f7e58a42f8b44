"""Deletion vectors, in Puffin files.

```text
vector     bitmaps: u64, { key: u32, bitmap } ...                          little-endian, as all that follows
bitmap     12346, containers: u32, u32 | { key, cardinality - 1: u16, u16 } ... | offset: u32 ... | containers
           12347 | (containers - 1) << 16, a bit for each: is it runs? | keys | offsets, from four on | containers
container  runs: u16, { start, length - 1: u16, u16 } ...
           up to 4,096 values: u16 ...
           more: a bit for each of 65,536
```
"""

from __future__ import annotations

import itertools
import json
import struct
import zlib
from collections.abc import Iterable, Iterator

from properties.tables import File

ARRAY = 4_096
"""The most values of a container that is a list of them."""
CONTAINER = 1 << 16


def blob(file: File) -> bytes:
    """The vector of a file's positions."""
    positions = sorted(position for _, position in file.positions)
    bitmaps = [(key, _bitmap(low, has_runs=file.runs)) for key, low in _split(positions, 1 << 32)]
    vector = struct.pack("<Q", len(bitmaps))
    vector += b"".join(struct.pack("<I", key) + bitmap for key, bitmap in bitmaps)
    body = b"\xd1\xd3\x39\x64" + vector
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


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of the ascending numbers that follow one another."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] + 1 == number:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _split(numbers: list[int], size: int) -> Iterator[tuple[int, list[int]]]:
    """Ascending numbers by their upper part."""
    for key, group in itertools.groupby(numbers, lambda number: number // size):
        yield key, [number % size for number in group]


def _bitmap(numbers: list[int], *, has_runs: bool) -> bytes:
    """A 32-bit bitmap. With runs, containers that they make smaller are runs, as writers have it."""
    containers = []
    for key, low in _split(numbers, CONTAINER):
        plain, runs = _plain(low), _runs(low)
        is_run = has_runs and len(runs) < len(plain)
        containers.append((key, len(low), is_run, runs if is_run else plain))
    keys = b"".join(struct.pack("<HH", key, count - 1) for key, count, _, _ in containers)
    if any(is_run for _, _, is_run, _ in containers):
        head = struct.pack("<I", 12_347 | (len(containers) - 1) << 16)
        bits = sum(1 << place for place, (_, _, is_run, _) in enumerate(containers) if is_run)
        head += bits.to_bytes((len(containers) + 7) // 8, "little")
        has_offsets = len(containers) >= 4
    else:
        head, has_offsets = struct.pack("<II", 12_346, len(containers)), True
    start = len(head) + len(keys) + 4 * len(containers) * has_offsets
    sizes = (len(content) for _, _, _, content in containers)
    ends = itertools.accumulate(sizes, initial=start)
    offsets = b"".join(struct.pack("<I", end) for end, _ in zip(ends, containers, strict=False))
    return head + keys + offsets * has_offsets + b"".join(content for _, _, _, content in containers)


def _plain(low: list[int]) -> bytes:
    if len(low) <= ARRAY:
        return struct.pack(f"<{len(low)}H", *low)
    bits = bytearray(CONTAINER // 8)
    for number in low:
        bits[number // 8] |= 1 << number % 8
    return bytes(bits)


def _runs(low: list[int]) -> bytes:
    runs = runs_of(low)
    pairs = (number for first, last in runs for number in (first, last - first))
    return struct.pack(f"<H{2 * len(runs)}H", len(runs), *pairs)
