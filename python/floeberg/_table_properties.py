"""What are the values of table properties? Keys, defaults and parsers are those of Rust."""

from __future__ import annotations

import difflib
from functools import cache
from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg._warnings import warn_user

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["flag_of", "warn_of_misspelt", "whole_of", "word_of"]

_ALIKE = 0.9
"""Keys are long: one with two letters wrong is still so much like the right one."""


def flag_of(properties: Mapping[str, str], key: str) -> bool:
    """The value of a boolean property. Raises `InvalidInputError` for another string."""
    return cast("bool", _native.table_property(dict(properties), key))


def whole_of(properties: Mapping[str, str], key: str) -> int:
    """The value of an integer property. Raises `InvalidInputError` for another string."""
    return cast("int", _native.table_property(dict(properties), key))


def word_of(properties: Mapping[str, str], key: str) -> str:
    """The value of a property with fixed values. Raises `InvalidInputError` for another one."""
    return cast("str", _native.table_property(dict(properties), key))


def warn_of_misspelt(keys: Iterable[str]) -> None:
    """Warns of keys that are probably misspelt, and would have no effect."""
    for key in keys:
        if near := _near(key):
            warn_user(
                f"unknown table property {key!r}: did you mean {' or '.join(map(repr, near))}? The property is stored, "
                "and has no effect."
            )


def _near(key: str) -> list[str]:
    """Up to three known keys that are similar to a key; an empty list for a known key."""
    whole, prefixes = _known()
    if key in whole or any(key.startswith(prefix) for prefix in prefixes):
        return []
    near = difflib.get_close_matches(key, whole, cutoff=_ALIKE)
    for prefix in prefixes:
        # What begins nearly as properties of columns do.
        begin = key[: len(prefix) + 1].rpartition(".")[0] + "."
        if difflib.get_close_matches(begin, [prefix], cutoff=_ALIKE):
            near.append(prefix + key[len(begin) :])
    return near[:3]


@cache
def _known() -> tuple[frozenset[str], tuple[str, ...]]:
    keys = [key for key, *_ in _native.table_properties()]
    return frozenset(key for key in keys if not key.endswith(".")), tuple(k for k in keys if k.endswith("."))
