"""What does the value of an option say?

In: a string. Out: what it means, or an error that names the option and says what was expected.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from floeberg._moments import milliseconds
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["column_names", "flag", "integer", "moment", "object_of_strings"]


def integer(options: Mapping[str, str], key: str, *, least: int | None) -> int | None:
    """A number of 64 bits, where the option is given."""
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
    """True or false, which is what it is unless it is given."""
    text = options.get(key, "false").strip().lower()
    if text not in {"true", "false"}:
        raise InvalidInputError(f"the option {key!r}: expected true or false, found {options[key]!r}")
    return text == "true"


def moment(text: str) -> int:
    """The milliseconds of `as-of-timestamp`."""
    try:
        return milliseconds(int(text) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) else text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"the option 'as-of-timestamp': expected milliseconds, or an ISO 8601 time with a zone: {error}"
        ) from error


_NAME = re.compile(r"""\s*(?:`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|([^,`"]*?))\s*(,|$)""")


def column_names(text: str) -> tuple[str, ...]:
    """Names out of a list of JSON, or out of names between commas, which backticks or double quotes may enclose."""
    names = _json_names(text) if text.lstrip().startswith("[") else _comma_names(text)
    if not names or not all(names):
        raise InvalidInputError(f"the option 'columns': expected names of columns, found {text!r}")
    return tuple(names)


def _json_names(text: str) -> list[str]:
    try:
        names = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(
            f"the option 'columns': expected a list of JSON, found {text!r}: {error}"
        ) from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"the option 'columns': expected strings in the list, found {text!r}")
    return names


def _comma_names(text: str) -> list[str]:
    names: list[str] = []
    place, more = 0, True
    while more:
        match = _NAME.match(text, place)
        if match is None:
            raise InvalidInputError(
                f"the option 'columns': expected names between commas, found {text!r}; names with commas or quotes "
                f"stand in `backticks`, or in a list of JSON"
            )
        ticked, quoted, bare, comma = match.groups()
        if ticked is not None:
            names.append(ticked.replace("``", "`"))
        else:
            names.append(bare if quoted is None else quoted.replace('""', '"'))
        place, more = match.end(), bool(comma)
    return names


def object_of_strings(options: Mapping[str, str], key: str, example: str) -> dict[str, str]:
    """An object of JSON whose values are strings; empty where the option is not given. The example is for the error."""
    text = options.get(key, "{}")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(
            f"the option {key!r}: expected an object of JSON, found {text!r}: {error}"
        ) from error
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise InvalidInputError(
            f"the option {key!r}: expected an object of JSON, as {example}, found {text!r}"
        )
    return found
