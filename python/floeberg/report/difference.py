"""What differs between two states, as a part of a report?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._display import Html, escaped, rows_html
from floeberg.report.page import Part, card, scrolled

if TYPE_CHECKING:
    from floeberg.comparing import TableDiff

__all__ = ["difference_part"]

_ROWS = 20


def difference_part(diff: TableDiff) -> Part:
    """Facts, and the first rows that differ."""
    title, facts, names, rows, more = diff._shown(_ROWS)  # noqa: SLF001 - of this package
    blocks = [card(rows_html(("what", "difference"), facts.items(), caption="what differs"))]
    if rows:
        below = f'<p class="small">{escaped(more)} are left out.</p>' if more else ""
        caption = "the first rows that differ; a value that changed is old -> new"
        blocks.append(card(scrolled(("change", *names), rows, caption=caption), Html(below)))
    return Part("difference", "What changed", f"{title}.", blocks)
