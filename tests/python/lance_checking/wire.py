"""Messages of protobuf as lists of fields, for tests that change them: it knows no message, and nothing of Floeberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Message", "packed", "unpacked"]

_WIDTHS = {1: 8, 5: 4}


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


def packed(numbers: Sequence[int]) -> bytes:
    """Numbers as a packed field."""
    return b"".join(map(_varint, numbers))


def unpacked(data: bytes) -> list[int]:
    """The numbers of a packed field; those of 32 bits with their signs."""
    at, numbers = 0, []
    while at < len(data):
        value, at = _read_varint(data, at)
        numbers.append(value - (1 << 64) if value >> 63 else value)
    return numbers


class Message:
    """The fields of a message, in order: number, kind and value."""

    def __init__(self, data: bytes = b"") -> None:
        self.fields: list[tuple[int, int, int | bytes]] = []
        at = 0
        while at < len(data):
            key, at = _read_varint(data, at)
            number, kind = divmod(key, 8)
            value: int | bytes
            if kind == 0:
                value, at = _read_varint(data, at)
            else:
                length, at = _read_varint(data, at) if kind == 2 else (_WIDTHS[kind], at)
                value, at = data[at : at + length], at + length
            self.fields.append((number, kind, value))

    def all(self, number: int) -> list[int | bytes]:
        """All values of a field."""
        return [value for each, _, value in self.fields if each == number]

    def number(self, number: int) -> int:
        """The last number of a field; 0 where there is none."""
        found = self.all(number)
        return int(found[-1]) if found else 0

    def data_of(self, number: int, place: int = 0) -> bytes:
        """A value of a field that is bytes."""
        found = self.all(number)[place]
        assert isinstance(found, bytes)
        return found

    def drop(self, number: int) -> None:
        """Leave a field out."""
        self.fields = [each for each in self.fields if each[0] != number]

    def add(self, number: int, value: int | bytes) -> None:
        """Add a value of a field, behind the others."""
        self.fields.append((number, 0 if isinstance(value, int) else 2, value))

    def put(self, number: int, value: int | bytes) -> None:
        """Give a field one value."""
        self.drop(number)
        self.add(number, value)

    def change(self, number: int, place: int, change: Callable[[Message], object]) -> None:
        """Change a message in a field, by its place among those of the field."""
        places = [at for at, each in enumerate(self.fields) if each[0] == number]
        inner = Message(self.data_of(number, place))
        change(inner)
        self.fields[places[place]] = (number, 2, inner.data())

    def data(self) -> bytes:
        """The bytes."""
        out = bytearray()
        for number, kind, value in self.fields:
            out += _varint(number * 8 + kind)
            if isinstance(value, int):
                out += _varint(value)
            else:
                out += _varint(len(value)) + value if kind == 2 else value
        return bytes(out)
