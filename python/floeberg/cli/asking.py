"""Who agrees to what a verb removes?

Invariant: nothing is removed that was not confirmed: by `--yes`, or by an answer at a terminal.
"""

from __future__ import annotations

import sys

import typer

from floeberg.cli.exits import UnconfirmedError

__all__ = ["confirm"]


def confirm(question: str, *, yes: bool) -> None:
    """Asks whether to go on.

    Args:
        question: What will be done.
        yes: Whether the answer was given by `--yes`.

    Raises:
        UnconfirmedError: The answer was no, or there is no terminal to ask at.
    """
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        error = UnconfirmedError(f"there is no terminal to ask at: {question}")
        error.add_note("look with --dry-run what would be done, and confirm with --yes")
        raise error
    try:
        agreed = typer.confirm(question, default=False, err=True)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if not agreed:
        raise UnconfirmedError("nothing was done")
