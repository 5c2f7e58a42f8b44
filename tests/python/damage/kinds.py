"""How can the bytes of a file be damaged?

In: a seeded random generator and the bytes. Out: other bytes, or None for a file that is gone.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Damage = Callable[[Random, bytes], bytes | None]


def truncate(random: Random, data: bytes) -> bytes:
    """Only the beginning is left: the file of a writer that died."""
    return data[: random.randrange(len(data))]


def behead(random: Random, data: bytes) -> bytes:
    """Only the end is left."""
    return data[random.randrange(1, len(data) + 1) :]


def flip_bits(random: Random, data: bytes) -> bytes:
    """One to eight bits are the other way round."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 8)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def zero_range(random: Random, data: bytes) -> bytes:
    """A block was never written."""
    start, length = _range(random, data)
    return data[:start] + bytes(length) + data[start + length :]


def scramble_range(random: Random, data: bytes) -> bytes:
    """A block of another file stands in this one."""
    start, length = _range(random, data)
    return data[:start] + random.randbytes(length) + data[start + length :]


def swap_ranges(random: Random, data: bytes) -> bytes:
    """Two blocks changed places."""
    first, length = _range(random, data)
    second = random.randrange(len(data) - length + 1)
    if second < first:
        first, second = second, first
    length = min(length, second - first)
    one, other = data[first : first + length], data[second : second + length]
    return data[:first] + other + data[first + length : second] + one + data[second + length :]


def repeat_range(random: Random, data: bytes) -> bytes:
    """A block was written twice."""
    start, length = _range(random, data)
    return data[: start + length] + data[start:]


def cut_range(random: Random, data: bytes) -> bytes:
    """A block is missing."""
    start, length = _range(random, data)
    return data[:start] + data[start + length :]


def large_number(random: Random, data: bytes) -> bytes:
    """A length, a count or an offset is huge: four or eight bytes are all ones, or the largest signed number."""
    word = random.choice(
        (b"\xff" * 4, b"\xff" * 8, b"\xff\xff\xff\x7f", b"\xff" * 7 + b"\x7f", b"\xff" * 9 + b"\x01")
    )
    start = random.randrange(len(data))
    return data[:start] + word + data[start + len(word) :]


def grow(random: Random, data: bytes) -> bytes:
    """The file is longer than its writer said."""
    return data + random.randbytes(random.randint(1, 64))


def remove(_random: Random, _data: bytes) -> None:
    """The file is gone."""


def empty(_random: Random, _data: bytes) -> bytes:
    """The file was made and never written."""
    return b""


DAMAGES: tuple[Damage, ...] = (
    *(truncate, behead, flip_bits, flip_bits, flip_bits, zero_range, scramble_range, swap_ranges),
    *(repeat_range, cut_range, large_number, large_number, grow, remove, empty),
)

# After these nothing that was left can be taken for the whole file.
LOSSES: tuple[Damage, ...] = (truncate, behead, remove, empty)


def _range(random: Random, data: bytes) -> tuple[int, int]:
    start = random.randrange(len(data))
    return start, random.randint(1, min(64, len(data) - start))
