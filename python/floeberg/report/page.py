"""How do the parts of a report become one page?

In: parts, each with a heading and blocks of HTML. Out: a whole HTML file.

Invariant: the page asks for nothing, over the network or from a disk, and runs no script: its own policy forbids both.
What comes from a table is escaped where it becomes HTML, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg._display import Html, escaped, rows_html
from floeberg.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["Number", "Page", "Part", "card", "cards", "code", "numbers_below", "scrolled"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Number:
    """A number that stands at the top.

    Attributes:
        name: What it counts.
        value: The number, as text.
        more: What belongs to it.
    """

    name: str
    value: str
    more: str | None = None


@dataclass(frozen=True)
class Part:
    """A part of a report.

    Attributes:
        key: Its anchor.
        title: Its heading.
        lead: What it says, in a sentence or two.
        blocks: What stands below.
    """

    key: str
    title: str
    lead: str
    blocks: Sequence[Html] = field(default=())


def card(*blocks: str, title: str | None = None) -> Html:
    """Blocks in a frame."""
    heading = "" if title is None else f"<h3>{escaped(title)}</h3>"
    return Html(f'<div class="card">{heading}{"".join(blocks)}</div>')


def cards(*each: str) -> Html:
    """Cards beside each other, where there is room."""
    return Html(f'<div class="cards">{"".join(each)}</div>')


def code(text: str) -> Html:
    """A call, or a filter."""
    return Html(f"<code>{escaped(text)}</code>")


def scrolled(
    columns: Sequence[str],
    rows: Iterable[Iterable[object]],
    *,
    caption: str,
    numbers: Collection[int] = (),
) -> Html:
    """A table that scrolls by itself where it is wider than the window, by keys too."""
    table = rows_html(columns, rows, caption=caption, numbers=numbers)
    return Html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}">{table}</div>'
    )


def numbers_below(
    columns: Sequence[str], rows: Iterable[Iterable[object]], *, caption: str, numbers: Collection[int] = ()
) -> Html:
    """The numbers of a chart, for whoever reads rather than looks."""
    table = scrolled(columns, rows, caption=caption, numbers=numbers)
    return Html(f"<details><summary>Numbers: {escaped(caption)}</summary>{table}</details>")


@dataclass(frozen=True)
class Page:
    """The whole page.

    Attributes:
        title: The name of the table.
        place: Where the table is.
        facts: What the table is, in a line.
        numbers: What stands at the top.
        parts: What stands below.
    """

    title: str
    place: str
    facts: str
    numbers: Sequence[Number]
    parts: Sequence[Part]

    def html(self, made: str) -> str:
        """The page as HTML, with a line about its making."""
        title = escaped(self.title)
        links = "".join(f'<li><a href="#{each.key}">{escaped(each.title)}</a></li>' for each in self.parts)
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="referrer" content="no-referrer">\n'
            f"<title>{title} - Floeberg report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f'<a class="skip" href="#content">Skip to the report</a>\n'
            f'<header>\n<h1>{title}</h1>\n<p class="place">{escaped(self.place)}</p>\n'
            f'<p class="small">{escaped(self.facts)}</p>\n'
            f'<nav aria-label="Parts of the report"><ul>{links}</ul></nav>\n</header>\n'
            f'<main id="content" tabindex="-1">\n<dl class="numbers">{"".join(map(_number, self.numbers))}</dl>\n'
            f"{''.join(map(_section, self.parts))}</main>\n<footer>{escaped(made)}</footer>\n</body>\n</html>\n"
        )


def _number(number: Number) -> str:
    more = "" if number.more is None else f'<span class="small">{escaped(number.more)}</span>'
    return f"<div><dt>{escaped(number.name)}</dt><dd>{escaped(number.value)}{more}</dd></div>"


def _section(part: Part) -> str:
    return (
        f'<section id="{part.key}" aria-labelledby="{part.key}-title">\n'
        f'<h2 id="{part.key}-title">{escaped(part.title)}</h2>\n<p class="lead">{escaped(part.lead)}</p>\n'
        f"{''.join(part.blocks)}\n</section>\n"
    )
