"""Which snapshot does a name ask for?

`VERSION AS OF 3`, `VERSION AS OF 'audit'`, `TIMESTAMP AS OF <constant>`, with `FOR` before and `SYSTEM_` words as Spark
has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.spark.sql.text.tokens import closing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.spark.sql.text.tokens import Token

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


def find_time_travel(text: str, tokens: Sequence[Token]) -> dict[int, TimeTravel]:
    """All time travel of a statement, by the offset at which the name before it ends."""
    found: dict[int, TimeTravel] = {}
    words = [token.upper for token in tokens]
    for at in range(1, len(tokens) - 3):
        kind = words[at]
        if kind not in _VERSIONS + _MOMENTS or words[at + 1 : at + 3] != ["AS", "OF"]:
            continue
        begin = at - 1 if words[at - 1] == "FOR" else at
        if not _is_table(tokens, begin - 1):
            continue
        first = tokens[at + 3]
        end: int | None = at + 3
        if kind in _MOMENTS:
            end = _end_of_constant(tokens, at + 3)
        elif not (first.upper[:1].isdigit() or first.is_string):
            continue
        last = tokens[at + 3 if end is None else end]
        version = first.text if first.is_string else first.text.rstrip("lL")
        found[tokens[begin - 1].end] = TimeTravel(
            tokens[begin].start,
            last.end,
            of_version=kind in _VERSIONS,
            asked=version if kind in _VERSIONS else text[first.start : last.end],
            is_constant=end is not None,
        )
    return found


def _is_table(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token ends a name that stands where tables do, and not where columns do."""
    if at < 0 or not tokens[at].is_name:
        return False
    first = at
    while first > 1 and tokens[first - 1].upper == "." and tokens[first - 2].is_name:
        first -= 2
    if first == 0 or tokens[first - 1].upper not in _BEFORE_TABLES:
        return False
    return tokens[first].upper not in _BEFORE_EXPRESSIONS


def _end_of_constant(tokens: Sequence[Token], at: int) -> int | None:
    """The last token of a constant: literals, calls and brackets with `+` and `-` between; `None` where it is none."""
    while True:
        end = _end_of_operand(tokens, at)
        if end is None or end + 2 >= len(tokens) or tokens[end + 1].upper not in {"+", "-"}:
            return end
        at = end + 2


def _end_of_operand(tokens: Sequence[Token], at: int) -> int | None:  # noqa: PLR0911 - one return a form
    first, last = tokens[at], len(tokens) - 1
    if first.upper == "-" and at < last:
        return _end_of_operand(tokens, at + 1)
    if first.upper == "(":
        return closing(tokens, at) or last
    if first.upper[:1].isdigit() or first.is_string:
        return at
    if first.upper == "INTERVAL" and at + 2 <= last:
        # A unit follows the number or the text.
        return at + 2
    if at < last and tokens[at + 1].is_string:
        return at + 1
    if at < last and tokens[at + 1].upper == "(":
        return closing(tokens, at + 1) or last
    return at if first.upper in {"CURRENT_TIMESTAMP", "CURRENT_DATE"} else None
