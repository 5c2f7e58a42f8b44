"""How are objects shown, in a terminal and as HTML in a notebook?

Names and values come from tables of others. So a terminal gets printable characters only, and all HTML is escaped.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta, timezone
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = [
    "Html",
    "bytes_shown",
    "escaped",
    "facts_html",
    "moment_shown",
    "result_html",
    "rows_html",
    "shown",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LONGEST = 200
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024
_MOST_PARTS = 3


def shown(value: object) -> str:
    """A value as one line of printable characters."""
    text = str(value)
    if not text.isprintable():
        text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def moment_shown(timestamp_ms: int) -> str:
    """A time in ISO 8601, or its number where it is out of range."""
    try:
        moment = _EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return f"{timestamp_ms} ms"
    return moment.isoformat(" ", "milliseconds")


def bytes_shown(size: int) -> str:
    """A number of bytes in a readable unit."""
    scaled, unit = float(size), 0
    while scaled >= _STEP and unit < len(_UNITS) - 1:
        scaled, unit = scaled / _STEP, unit + 1
    return f"{size} B" if unit == 0 else f"{scaled:.1f} {_UNITS[unit]}"


class Html(str):
    """Text that is HTML already: it stays as it is. Whoever makes one has escaped what came from a table."""

    __slots__ = ()


def escaped(value: object) -> Html:
    """A value as HTML: text that a browser shows, and does nothing else with."""
    return value if isinstance(value, Html) else Html(escape(shown(value)))


def facts_html(title: str, facts: Mapping[str, object], *below: str) -> Html:
    """A heading, a table of facts, and HTML below it."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escaped(name)}</th>'
        f'<td style="text-align:left">{escaped(value)}</td></tr>'
        for name, value in facts.items()
        if value is not None
    )
    return Html(f"<div><strong>{escaped(title)}</strong><table>{rows}</table>{''.join(below)}</div>")


def result_html(result: Any) -> Html:  # noqa: ANN401 - a dataclass
    """A result: its parts that say something, long ones by their number."""
    facts: dict[str, object] = {}
    for each in fields(result):
        value = getattr(result, each.name)
        if not value:
            continue
        name = each.name.replace("_", " ")
        if hasattr(value, "_repr_html_"):
            facts[name] = value._repr_html_()
        elif isinstance(value, (tuple, list, dict)):
            facts[name] = f"{len(value):,}" if len(value) > _MOST_PARTS else _parts_shown(value)
        elif isinstance(value, bool):
            facts[name] = "yes"
        elif isinstance(value, int):
            is_size = "bytes" in each.name
            is_count = "id" not in name.split() and name != "version"
            facts[name] = bytes_shown(value) if is_size else f"{value:,}" if is_count else value
        else:
            facts[name] = value
    title = type(result).__name__
    return facts_html(title, facts) if facts else facts_html(f"{title}: nothing changed", {})


def _parts_shown(parts: tuple[object, ...] | list[object] | dict[object, object]) -> str:
    if isinstance(parts, dict):
        return ", ".join(f"{name}: {value}" for name, value in parts.items())
    return ", ".join(map(str, parts))


def rows_html(
    columns: Iterable[str],
    rows: Iterable[Iterable[object]],
    *,
    caption: str | None = None,
    numbers: Collection[int] = (),
) -> Html:
    """A table of rows. Columns of numbers stand at the right."""
    heads = "".join(
        f'<th scope="col" style="{_aligned(place, numbers)}">{escaped(each)}</th>'
        for place, each in enumerate(columns)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_aligned(place, numbers)}">{"" if each is None else escaped(each)}</td>'
            for place, each in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    above = "" if caption is None else f"<caption>{escaped(caption)}</caption>"
    return Html(f"<table>{above}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")


def _aligned(place: int, numbers: Collection[int]) -> str:
    return f"text-align:{'right' if place in numbers else 'left'}"
