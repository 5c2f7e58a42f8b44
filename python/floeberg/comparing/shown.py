"""How is a difference shown, as Markdown and as HTML?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._display import facts_html, rows_html, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["difference_html", "difference_markdown", "table_rows"]


def table_rows(columns: Sequence[str], changes: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """A line for each change: what it is, and the values. A value that changed is `old -> new`."""
    return [[each["_change"], *_values(columns, each)] for each in changes]


def _values(columns: Sequence[str], change: Mapping[str, Any]) -> list[str]:
    before, after = change["before"], change["after"]
    changed = set(change["_changed_columns"] or ())
    row = before if after is None else after
    return [
        f"{shown(before[name])} -> {shown(after[name])}" if name in changed else shown(row[name])
        for name in columns
    ]


def difference_markdown(
    title: str, facts: Mapping[str, object], columns: Sequence[str], rows: Sequence[Sequence[str]], more: str
) -> str:
    """A heading, facts, and a table of rows."""
    lines = [f"### {_cell(title)}", ""]
    lines += [f"- {name}: {_cell(value)}" for name, value in facts.items()]
    if rows:
        heads = ["change", *columns]
        lines += ["", _line(heads), _line("---" for _ in heads), *map(_line, rows)]
    if more:
        lines += ["", more]
    return "\n".join(lines) + "\n"


def difference_html(
    title: str, facts: Mapping[str, object], columns: Sequence[str], rows: Sequence[Sequence[str]], more: str
) -> str:
    """The same as HTML."""
    below = [rows_html([shown(each) for each in ("change", *columns)], rows)] if rows else []
    return facts_html(title, facts, *below, f"<p>{more}</p>" if more else "")


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(cell if cell == "---" else _cell(cell) for cell in cells) + " |"


def _cell(value: object) -> str:
    """A value as Markdown that says no more than its characters."""
    text = shown(value)
    return "".join(f"\\{each}" if each in "\\|`*_[]<>#" else each for each in text)
