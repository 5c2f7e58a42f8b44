"""Do arguments have the types of their annotations?

They are checked before they cross into Rust, so that a wrong type is an `InvalidInputError` that names the argument.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from typing import SupportsIndex

_LONGS = range(-(2**63), 2**63)
_DAY = 86_400


def _wrong(name: str, expected: str, value: object) -> InvalidInputError:
    return InvalidInputError(f"{name}: expected {expected}, found {_described(value)}")


def _described(value: object) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__
    return f"the {kind} {value!r}" if isinstance(value, (str, int, float)) else f"an object of type {kind}"


def _integer(name: str, value: object) -> int:
    """An integer of any size, of any class with `__index__`; a bool is none."""
    try:
        number = None if isinstance(value, bool) else operator.index(cast("SupportsIndex", value))
    except TypeError:
        number = None
    if number is None:
        raise _wrong(name, "an integer", value)
    return number


def checked_int(name: str, value: object) -> int:
    """An integer of 64 bits, of any class with `__index__`."""
    number = _integer(name, value)
    if number not in _LONGS:
        raise _wrong(name, "an integer of 64 bits", number)
    return number


def checked_size(name: str, value: object, least: int = 0) -> int:
    """An integer of at least 0, or of another number."""
    size = checked_int(name, value)
    if size < least:
        raise InvalidInputError(f"{name}: expected an integer of at least {least}, found {size}")
    return size


def checked_share(name: str, value: object) -> float:
    """A part of a whole: a number above 0 and at most 1."""
    number = None if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
    if number is None or not 0 < number <= 1:
        raise _wrong(name, "a share above 0 and at most 1", value)
    return number


def checked_seconds(name: str, value: object) -> float:
    """A time in seconds, above 0 and of at most a day."""
    number = None if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
    if number is None or not 0 < number <= _DAY:
        raise _wrong(name, f"seconds above 0 and at most {_DAY}", value)
    return number


def checked_version(name: str, value: object) -> int:
    """A version of a Lance table: an integer of 64 bits without a sign. Those with the highest bit are detached."""
    number = _integer(name, value)
    if number not in range(2**64):
        raise _wrong(name, "an integer of at least 0 and of 64 bits", number)
    return number


def checked_text(name: str, value: object) -> str:
    """A string that UTF-8 can encode."""
    if not isinstance(value, str):
        raise _wrong(name, "a str", value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{name}: expected text that UTF-8 can encode, found {value!a}") from error
    return value


def checked_bool(name: str, value: object) -> bool:
    """`True` or `False`."""
    if not isinstance(value, bool):
        raise _wrong(name, "a bool", value)
    return value


def checked_path(name: str, value: object) -> str:
    """A path or a URI."""
    if not isinstance(value, (str, os.PathLike)):
        raise _wrong(name, "a str or a path", value)
    return checked_text(name, os.fspath(cast("str | os.PathLike[str]", value)))


def checked_locations(name: str, value: object) -> list[str]:
    """One path or URI, or several."""
    if isinstance(value, (str, os.PathLike)):
        return [checked_path(name, value)]
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise _wrong(name, "a path, or a sequence of paths", value)
    return [checked_path(name, each) for each in cast("Iterable[object]", value)]


def checked_names(name: str, value: object) -> list[str]:
    """A sequence of strings. A single string is an error."""
    if isinstance(value, str):
        raise _wrong(name, f"a sequence of names, such as ({value!r},)", value)
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise _wrong(name, "a sequence of names", value)
    return [checked_text(name, each) for each in cast("Iterable[object]", value)]


def checked_paths(name: str, value: object) -> list[tuple[str, str]]:
    """Pairs of paths from a mapping."""
    return [(checked_path(name, key), checked_path(name, target)) for key, target in _items(name, value)]


def checked_options(name: str, value: object) -> dict[str, str]:
    """Options by name. Errors do not show their values, which may be secret."""
    options: dict[str, str] = {}
    for key, option in _items(name, value):
        known = checked_text(name, key)
        if not isinstance(option, str):
            raise InvalidInputError(
                f"{name}: expected a str as {known!r}, found an object of type {type(option).__name__}"
            )
        try:
            option.encode()
        except UnicodeEncodeError:
            raise InvalidInputError(f"{name}: expected text that UTF-8 can encode as {known!r}") from None
        options[known] = option
    return options


def checked_properties(name: str, value: object) -> dict[str, str]:
    """Properties by name. Numbers and bools become strings."""
    texts: dict[object, object] = {}
    for key, found in _items(name, value):
        known: object = found
        if isinstance(found, bool):
            known = str(found).lower()
        elif isinstance(found, (int, float)):
            known = str(found)
        texts[key] = known
    return checked_options(name, texts)


def _items(name: str, value: object) -> Iterable[tuple[object, object]]:
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        raise _wrong(name, "a mapping", value)
    return cast("Mapping[object, object]", value).items()
