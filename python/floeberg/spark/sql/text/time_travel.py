"""Which snapshot does a name ask for?

`VERSION AS OF 3`, `VERSION AS OF 'audit'`, `TIMESTAMP AS OF <constant>`, with `FOR` before and `SYSTEM_` words as Spark
has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.spark.sql.text.dialect import dialect

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TimeTravel", "find_time_travel"]

_VERSIONS = ("VERSION", "SYSTEM_VERSION")
_MOMENTS = ("TIMESTAMP", "SYSTEM_TIME")
_BEFORE_TABLES = ("FROM", "JOIN", "TABLE", "USING", "LATERAL", ",", "(")
_BEFORE_EXPRESSIONS = ("SELECT", "DISTINCT", "ALL", "NOT", "CASE", "EXISTS")
"""TokenReader after which a column may stand that is called `version` or `timestamp`."""


@dataclass(frozen=True)
class TimeTravel:
    """What stands after `AS OF`."""

    start: int
    end: int
    of_version: bool
    asked: str
    """A snapshot's id or the name of a ref; or the text of an expression that gives a moment."""
    is_constant: bool = True
    """Whether what was asked is a constant, as Spark wants it."""


def find_time_travel(text: str, tokens: Sequence[Any]) -> dict[int, TimeTravel]:
    """All time travel of a statement, by the offset at which the name before it ends."""
    found: dict[int, TimeTravel] = {}
    words = [token.text.upper() for token in tokens]
    for at in range(1, len(tokens) - 3):
        kind = words[at]
        if kind not in _VERSIONS + _MOMENTS or words[at + 1 : at + 3] != ["AS", "OF"]:
            continue
        begin = at - 1 if words[at - 1] == "FOR" else at
        if not _is_table(text, tokens, begin - 1):
            continue
        first = tokens[at + 3]
        end: int | None = at + 3
        if kind in _MOMENTS:
            end = _end_of_constant(text, tokens, at + 3)
        elif not (text[first.start].isdigit() or text[first.start] in dialect().string_quotes):
            continue
        last = tokens[at + 3 if end is None else end]
        asked = first.text if kind in _VERSIONS else text[first.start : last.end + 1]
        found[tokens[begin - 1].end + 1] = TimeTravel(
            tokens[begin].start,
            last.end + 1,
            of_version=kind in _VERSIONS,
            asked=asked,
            is_constant=end is not None,
        )
    return found


def _is_table(text: str, tokens: Sequence[Any], at: int) -> bool:
    """Whether a token ends a name that stands where tables do, and not where columns do."""
    if at < 0 or not _is_word(text, tokens[at]):
        return False
    first = at
    while first > 1 and tokens[first - 1].text == "." and _is_word(text, tokens[first - 2]):
        first -= 2
    if first == 0 or tokens[first - 1].text.upper() not in _BEFORE_TABLES:
        return False
    is_quoted = text[tokens[first].start] in dialect().name_quotes
    return is_quoted or tokens[first].text.upper() not in _BEFORE_EXPRESSIONS


def _is_word(text: str, token: Any) -> bool:  # noqa: ANN401 - sqlglot publishes few types
    last = text[token.end]
    return last in dialect().name_quotes or last == "_" or last.isalnum()


def _end_of_constant(text: str, tokens: Sequence[Any], at: int) -> int | None:
    """The last token of a constant: literals, calls and brackets with `+` and `-` between; `None` where it is none."""
    while True:
        end = _end_of_operand(text, tokens, at)
        if end is None or end + 2 >= len(tokens) or tokens[end + 1].text not in {"+", "-"}:
            return end
        at = end + 2


def _end_of_operand(text: str, tokens: Sequence[Any], at: int) -> int | None:  # noqa: PLR0911 - one return a form
    first = text[tokens[at].start]
    if first == "-" and at + 1 < len(tokens):
        return _end_of_operand(text, tokens, at + 1)
    if first == "(":
        return _closing(tokens, at)
    if first.isdigit() or first in dialect().string_quotes:
        return at
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if tokens[at].text.upper() == "INTERVAL" and at + 2 < len(tokens):
        # A unit follows the number or the text.
        return at + 2
    if following is not None and text[following.start] in dialect().string_quotes:
        return at + 1
    if following is not None and following.text == "(":
        return _closing(tokens, at + 1)
    return at if tokens[at].text.upper() in {"CURRENT_TIMESTAMP", "CURRENT_DATE"} else None


def _closing(tokens: Sequence[Any], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[place].text, 0)
        if depth == 0:
            return place
    return len(tokens) - 1
