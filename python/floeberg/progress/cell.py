"""How does a notebook show how far an operation is?

In: reports. Out: one output of the cell, which is shown again with each report.
"""

from __future__ import annotations

import sys
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from floeberg.progress.line import line_of

if TYPE_CHECKING:
    from floeberg.progress.report import ProgressReport

__all__ = ["ProgressCell", "is_notebook"]


def is_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    # Nobody who did not import it runs cells.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


class ProgressCell:
    """An output of a cell that says how far an operation is: a bar, and the line that a terminal would show."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last: ProgressReport | None = None

    def __call__(self, report: ProgressReport) -> None:
        """Shows a report."""
        self._last = report
        if self._handle is None:
            # Only a notebook has it.
            display = import_module("IPython.display").display
            self._handle = display(_Shown(report), display_id=True)
        else:
            self._handle.update(_Shown(report))

    def end(self) -> None:
        """Shows the last report as done."""
        if self._handle is not None and self._last is not None:
            self._handle.update(_Shown(self._last, is_done=True))

    def stop(self) -> None:
        """The operation failed: what was shown last stays."""


class _Shown:
    """A report, as a notebook shows it."""

    def __init__(self, report: ProgressReport, *, is_done: bool = False) -> None:
        self._report, self._is_done = report, is_done

    def __repr__(self) -> str:
        return line_of(self._report)

    def _repr_html_(self) -> str:
        report = self._report
        if self._is_done:
            value = 'value="1" max="1"'
        elif report.share is not None:
            value = f'value="{report.share:.3f}" max="1"'
        else:
            # How much is left is not known.
            value = ""
        return f'<progress {value} aria-label="{escape(report.step)}"></progress> {escape(line_of(report))}'
