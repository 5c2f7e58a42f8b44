"""What is a part of a report that cannot be made?

A report is for tables that need help too: where a file is damaged or gone, the other parts are made.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._display import escaped, moment_shown
from floeberg.errors import FloebergError, UnsupportedError
from floeberg.report.page import Part, card

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["made_at", "part_or_error"]

_LONGEST = 2000
_PIECE = 100
"""Characters that are escaped at once."""


def part_or_error(key: str, title: str, make: Callable[[], Part]) -> Part:
    """A part, or one that says why it cannot be made."""
    try:
        return make()
    except (FloebergError, ArithmeticError, ValueError) as error:
        # The last two are of values that Python cannot hold, such as a date after the year 9999.
        kind = "warn" if isinstance(error, UnsupportedError) else "bad"
        said = card(f'<p><span class="mark {kind}">{type(error).__name__}</span> {_whole(error)}</p>')
        return Part(key, title, "This part could not be made.", [said])


def _whole(error: Exception) -> str:
    """The text of an error, which says at its end what to do. Values are shown shorter."""
    text = str(error)[:_LONGEST]
    return "".join(escaped(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE))


def made_at() -> str:
    """The last line of the page."""
    now = int(datetime.now(timezone.utc).timestamp() * 1000)
    return f"Made by Floeberg {_native.__version__} at {moment_shown(now)[:19]} UTC."
