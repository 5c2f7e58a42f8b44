"""How are the values of options parsed?

In: a string. Out: its value, or an error that names the option and says what was expected.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from floeberg._timestamps import milliseconds
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["column_names", "flag", "integer", "object_of_strings", "timestamp_ms"]


def integer(options: Mapping[str, str], key: str, *, least: int | None) -> int | None:
    """An integer of 64 bits; `None` where the option is not given."""
    if key not in options:
        return None
    text = options[key].strip()
    expected = "an integer" if least is None else f"an integer of at least {least}"
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", text):
        raise InvalidInputError(f"the option {key!r}: expected {expected}, found {options[key]!r}")
    number = int(text)
    if (least is not None and number < least) or not -(2**63) <= number < 2**63:
        raise InvalidInputError(f"the option {key!r}: expected {expected} of 64 bits, found {number}")
    return number


def flag(options: Mapping[str, str], key: str) -> bool:
    """A boolean; false where the option is not given."""
    text = options.get(key, "false").strip().lower()
    if text not in {"true", "false"}:
        raise InvalidInputError(f"the option {key!r}: expected true or false, found {options[key]!r}")
    return text == "true"


def timestamp_ms(options: Mapping[str, str], key: str) -> int | None:
    """The milliseconds of a time; `None` where the option is not given."""
    if key not in options:
        return None
    text = options[key]
    try:
        return milliseconds(int(text) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) else text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"the option {key!r}: expected milliseconds, or an ISO 8601 time with a zone: {error}"
        ) from error


_NAME = re.compile(r"""\s*(?:`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|([^,`"]*?))\s*(,|$)""")


def column_names(options: Mapping[str, str], key: str) -> tuple[str, ...] | None:
    """Names in a JSON list, or separated by commas; `None` where the option is not given.

    Backticks or double quotes may enclose a name.
    """
    if key not in options:
        return None
    text = options[key]
    names = _json_names(text, key) if text.lstrip().startswith("[") else _comma_names(text, key)
    if not names or not all(names):
        raise InvalidInputError(f"the option {key!r}: expected column names, found {text!r}")
    return tuple(names)


def _json_names(text: str, key: str) -> list[str]:
    try:
        names = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(
            f"the option {key!r}: expected a JSON list, found {text!r}: {error}"
        ) from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"the option {key!r}: expected strings in the list, found {text!r}")
    return names


def _comma_names(text: str, key: str) -> list[str]:
    names: list[str] = []
    place, more = 0, True
    while more:
        match = _NAME.match(text, place)
        if match is None:
            raise InvalidInputError(
                f"the option {key!r}: expected names separated by commas, found {text!r}; put names with commas or "
                f"quotes in `backticks`, or give a JSON list"
            )
        ticked, quoted, bare, comma = match.groups()
        if ticked is not None:
            names.append(ticked.replace("``", "`"))
        else:
            names.append(bare if quoted is None else quoted.replace('""', '"'))
        place, more = match.end(), bool(comma)
    return names


def object_of_strings(options: Mapping[str, str], key: str, example: str) -> dict[str, str]:
    """A JSON object of strings; empty where the option is not given. The example goes into errors."""
    text = options.get(key, "{}")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(
            f"the option {key!r}: expected a JSON object, found {text!r}: {error}"
        ) from error
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise InvalidInputError(
            f"the option {key!r}: expected a JSON object of strings, such as {example}, found {text!r}"
        )
    return found
