"""How does a statement become another one, with other pieces instead of some of its own?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.spark.sql.text.statement import read_statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.spark.sql.text.statement import Statement

__all__ = ["Edit", "edited", "rewritten"]


@dataclass(frozen=True)
class Edit:
    """A piece of the text, and what stands there instead."""

    start: int
    end: int
    text: str
    frame: int | None = None
    """Which frame's name stands there instead of a text."""


def edited(statement: Statement, changes: Sequence[Edit]) -> str:
    """The text of a statement, with other pieces instead of some of its own."""
    text, begin = statement.text, statement.start
    for edit in sorted(changes, key=lambda each: each.start, reverse=True):
        text = text[: edit.start - begin] + edit.text + text[edit.end - begin :]
    return text


def rewritten(statement: Statement, changes: Sequence[Edit]) -> Statement | None:
    """The statement that it becomes, which is read only where it is another one; `None` where that fails."""
    return read_statement(edited(statement, changes)) if changes else statement
