"""How does a person see how far an operation is?

In: reports. Out: one line on stderr. In a terminal it is written again with each report; elsewhere once, at the end.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from floeberg._display import bytes_shown

if TYPE_CHECKING:
    from floeberg.progress.report import ProgressReport

__all__ = ["ProgressLine", "line_of"]

_CELLS = 20
"""The characters of a whole bar."""


class ProgressLine:
    """A line of text that says how far an operation is."""

    def __init__(self) -> None:
        # It may be another one, or none, when the operation begins.
        self._out = sys.stderr
        self._is_terminal = self._out is not None and self._out.isatty()
        self._width = 0
        self._last: ProgressReport | None = None

    def __call__(self, report: ProgressReport) -> None:
        """Shows a report."""
        self._last = report
        if self._is_terminal:
            self._write(line_of(report), ends=False)

    def end(self) -> None:
        """Shows the last report, and ends the line."""
        if self._last is not None and self._out is not None:
            self._write(line_of(self._last), ends=True)

    def stop(self) -> None:
        """Ends the line of an operation that failed, where it was begun."""
        if self._width:
            print(file=self._out, flush=True)
            self._width = 0

    def _write(self, text: str, *, ends: bool) -> None:
        start = "\r" if self._is_terminal else ""
        # What was longer before is blanked out.
        print(f"{start}{text.ljust(self._width)}", end="\n" if ends else "", file=self._out, flush=True)
        self._width = 0 if ends else len(text)


def line_of(report: ProgressReport) -> str:
    """A report as a line of text."""
    # Where files say how far it is, a filter may leave few of the rows that they have.
    of_rows = 0 if report.of_files else report.of_rows
    parts = [_counted(report.rows, of_rows, "rows"), _counted(report.files, report.of_files, "files")]
    if report.of_bytes:
        parts.append(f"{bytes_shown(report.bytes)} of {bytes_shown(report.of_bytes)}")
    parts.append(f"{report.seconds:.1f} s")
    share, remaining = report.share, report.remaining_seconds
    if share is not None and remaining:
        parts.append(f"about {remaining:.0f} s left")
    return f"{report.step}: {_bar(share)}{', '.join(parts)}"


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    cells = int(_CELLS * share)
    return f"[{'#' * cells}{'.' * (_CELLS - cells)}] "


def _counted(done: int, of_all: int, what: str) -> str:
    return f"{done:,} of {of_all:,} {what}" if of_all else f"{done:,} {what}"
