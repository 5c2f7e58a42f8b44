"""Which snapshot does a name ask for?

`VERSION AS OF 3`, `VERSION AS OF 'audit'`, `TIMESTAMP AS OF <constant>`, with `FOR` before and `SYSTEM_` words as Spark
has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TimeTravel", "find_time_travel"]

_VERSIONS = ("VERSION", "SYSTEM_VERSION")
_MOMENTS = ("TIMESTAMP", "SYSTEM_TIME")


@dataclass(frozen=True)
class TimeTravel:
    """What stands after `AS OF`."""

    start: int
    end: int
    of_version: bool
    asked: str
    """A snapshot's id or the name of a ref; or the text of an expression that gives a moment."""


def find_time_travel(text: str, tokens: Sequence[Any]) -> dict[int, TimeTravel]:
    """All time travel of a statement, by the place where the name before it ends."""
    found: dict[int, TimeTravel] = {}
    words = [token.text.upper() for token in tokens]
    for at in range(1, len(tokens) - 3):
        kind = words[at]
        if kind not in _VERSIONS + _MOMENTS or words[at + 1 : at + 3] != ["AS", "OF"]:
            continue
        begin = at - 1 if words[at - 1] == "FOR" else at
        before = tokens[begin - 1]
        if begin == 0 or not (
            text[before.end] == "`" or text[before.end] == "_" or text[before.end].isalnum()
        ):
            continue
        first = tokens[at + 3]
        if kind in _VERSIONS:
            if not (text[first.start].isdigit() or text[first.start] in "'\""):
                continue
            asked, last = first.text, at + 3
        else:
            last = _end_of_constant(text, tokens, at + 3)
            asked = text[first.start : tokens[last].end + 1]
        found[before.end + 1] = TimeTravel(
            tokens[begin].start, tokens[last].end + 1, of_version=kind in _VERSIONS, asked=asked
        )
    return found


def _end_of_constant(text: str, tokens: Sequence[Any], at: int) -> int:
    """The last token of a constant: literals, calls and brackets with `+` and `-` between."""
    while True:
        at = _end_of_operand(text, tokens, at)
        if at + 2 < len(tokens) and tokens[at + 1].text in {"+", "-"}:
            at += 2
            continue
        return at


def _end_of_operand(text: str, tokens: Sequence[Any], at: int) -> int:  # noqa: PLR0911 - one return a form
    first = text[tokens[at].start]
    if first == "-":
        return _end_of_operand(text, tokens, at + 1)
    if first == "(":
        return _closing(tokens, at)
    if first.isdigit() or first in "'\"":
        return at
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if tokens[at].text.upper() == "INTERVAL" and at + 2 < len(tokens):
        # A unit follows the number or the text.
        return at + 2
    if following is not None and text[following.start] in "'\"":
        return at + 1
    if following is not None and following.text == "(":
        return _closing(tokens, at + 1)
    if tokens[at].text.upper() in {"CURRENT_TIMESTAMP", "CURRENT_DATE"}:
        return at
    raise InvalidInputError(
        f"AS OF: expected a constant as '2026-01-31 00:00:00', TIMESTAMP '2026-01-31 00:00:00' or "
        f"current_timestamp() - INTERVAL '1' DAY, found {tokens[at].text!r}"
    )


def _closing(tokens: Sequence[Any], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[place].text, 0)
        if depth == 0:
            return place
    return len(tokens) - 1
