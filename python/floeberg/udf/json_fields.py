"""What does an object of JSON have, and is it of the type that the specification says?

In: an object, and the name of a field. Out: its value, or an error that names the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from floeberg.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["JsonObject"]

_KINDS = {str: "a text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}
_MOST = (1 << 63) - 1


class JsonObject:
    """An object of JSON, with the place where it stands.

    Args:
        value: The object.
        place: Where it stands, for errors: `definitions[0]`.
    """

    def __init__(self, value: object, place: str = "") -> None:
        if not isinstance(value, dict):
            _refused(place or "the metadata", "an object", value)
        self.value: dict[str, Any] = value
        self._place = place

    def text(self, name: str) -> str:
        """A text."""
        return str(self._needed(name, str))

    def number(self, name: str) -> int:
        """A whole number of 64 bits."""
        found = int(self._needed(name, int))
        if not -_MOST <= found <= _MOST:
            _refused(self.at(name), "a whole number of 64 bits", found)
        return found

    def items(self, name: str) -> list[Any]:
        """A list."""
        found: list[Any] = self._needed(name, list)
        return found

    def objects(self, name: str) -> list[JsonObject]:
        """A list of objects."""
        return [JsonObject(each, f"{self.at(name)}[{at}]") for at, each in enumerate(self.items(name))]

    def optional_text(self, name: str) -> str | None:
        """A text, or `None`."""
        return None if self.value.get(name) is None else self.text(name)

    def optional_bool(self, name: str, *, default: bool) -> bool:
        """True or false, or the default."""
        return default if self.value.get(name) is None else bool(self._needed(name, bool))

    def optional_number(self, name: str) -> int | None:
        """A whole number, or `None`."""
        return None if self.value.get(name) is None else self.number(name)

    def one_of(self, name: str, known: Sequence[str], default: str | None = None) -> str:
        """One of some texts."""
        if default is not None and self.value.get(name) is None:
            return default
        found = self.text(name)
        if found not in known:
            _refused(self.at(name), f"one of {', '.join(map(repr, known))}", found)
        return found

    def texts(self, name: str) -> dict[str, str]:
        """An object of texts; empty where there is none."""
        found = self.value.get(name)
        if found is None:
            return {}
        if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
            _refused(self.at(name), "an object of texts", found)
        return dict(found)

    def at(self, name: str) -> str:
        """Where a field stands."""
        return f"{self._place}.{name}" if self._place else name

    def _needed(self, name: str, kind: type) -> Any:  # noqa: ANN401 - of the kind
        found = self.value.get(name)
        # A bool of Python is a number.
        if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
            if found is None:
                raise InvalidDataError(f"{self.at(name)} is missing: expected {_KINDS[kind]}")
            _refused(self.at(name), _KINDS[kind], found)
        return found


def _refused(place: str, expected: str, found: object, most: int = 60) -> NoReturn:
    written = repr(found)
    shown = written if len(written) <= most else f"{written[:most]}.."
    raise InvalidDataError(f"{place}: expected {expected}, found {shown}")
