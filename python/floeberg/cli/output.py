"""In which forms are results shown?

Invariant: what a verb answers goes to standard output, and everything else to standard error. At a terminal, text is
laid out in its width. Elsewhere it is plain: a line for each row, with tabs between the columns, and no colour.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from floeberg._display import moment_shown, shown
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Form", "Output", "plain"]


class Form(str, Enum):
    """A form of results. All but the first two are of rows."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"


class Output:
    """Where a verb shows what it found.

    Args:
        form: The form.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self._console = Console(file=sys.stdout, highlight=False, soft_wrap=False)

    @property
    def is_json(self) -> bool:
        """Whether programs read the result."""
        return self.form is not Form.TEXT

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads the result."""
        return self._console.is_terminal

    def check_form(self) -> None:
        """Checks that the form is one of results without rows.

        Raises:
            InvalidInputError: It is one of rows.
        """
        if self.form not in (Form.TEXT, Form.JSON):
            raise InvalidInputError(
                f"--output: expected text or json, found {self.form.value}, which is a form of rows"
            )

    def json(self, value: object) -> None:
        """Shows a value as JSON."""
        sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")

    def text(self, text: object) -> None:
        """Shows lines of text as they are."""
        sys.stdout.write("".join(f"{_printable(line)}\n" for line in str(text).split("\n")))

    def facts(self, facts: Mapping[str, object], title: str | None = None) -> None:
        """Shows names with their values: an object of JSON, or a line for each."""
        self.check_form()
        if self.is_json:
            self.json(facts)
        else:
            self.pairs(facts, title)

    def pairs(self, facts: Mapping[str, object], title: str | None = None) -> None:
        """Shows names with their values as text."""
        texts = {name: _cell(value) for name, value in facts.items()}
        if not self.is_terminal:
            self._write([[*each] for each in texts.items()])
            return
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in texts.items():
            if facts[name] is not None:
                grid.add_row(Text(name), Text(value))
        self._print(grid, title)

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None
    ) -> None:
        """Shows rows with names of columns: a list of objects of JSON, or a line for each."""
        self.check_form()
        if self.is_json:
            self.json([dict(zip(columns, row, strict=True)) for row in rows])
        else:
            self.grid(columns, rows, title)

    def grid(
        self, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None
    ) -> None:
        """Shows rows with names of columns as text."""
        kept = list(rows)
        if not self.is_terminal:
            self._write([[_printable(each) for each in columns], *([*map(_cell, row)] for row in kept)])
            return
        values = {name: [row[number] for row in kept] for number, name in enumerate(columns)}
        # Columns without a value would take the room of the others.
        shown_columns = [
            name for name in values if not kept or any(each is not None for each in values[name])
        ]
        table = Table(header_style="bold", show_edge=False, pad_edge=False, box=SIMPLE_HEAD)
        for name in shown_columns:
            is_number = all(each is None or _is_number(each) for each in values[name])
            is_whole = is_number or all(each is None or isinstance(each, datetime) for each in values[name])
            table.add_column(
                Text(_printable(name)),
                justify="right" if is_number else "left",
                no_wrap=is_whole,
                overflow="ellipsis" if is_whole else "fold",
            )
        for number in range(len(kept)):
            table.add_row(*(Text(_cell(values[name][number])) for name in shown_columns))
        self._print(table, title)

    def note(self, text: str) -> None:
        """Says something beside the result, on standard error."""
        sys.stderr.write(f"{_printable(text)}\n")

    def _print(self, content: Table, title: str | None) -> None:
        if title is not None:
            self._console.print(Text(_printable(title), style="bold cyan"))
        self._console.print(content)

    def _write(self, rows: list[list[str]]) -> None:
        sys.stdout.write("".join("\t".join(row) + "\n" for row in rows))


def plain(value: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """A value of the package as JSON has it.

    Examples:
        >>> plain({("db", "t"): (1, b"x")})
        {'db.t': [1, '78']}
    """
    if value is None or (isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {
            ".".join(key) if isinstance(key, tuple) else str(key): plain(each) for key, each in value.items()
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value.hex() if isinstance(value, (bytes, bytearray)) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: object) -> str:
    """A value in one line of a text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return moment_shown(int(value.timestamp() * 1000))
    if isinstance(value, (dict, list, tuple)) or dataclasses.is_dataclass(value):
        return shown(json.dumps(plain(value), ensure_ascii=False))
    return shown(value)


def _printable(text: str) -> str:
    """Text of a table without what would steer a terminal."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
