"""Which errors does the command line show, and what does it exit with?

Invariant: an error is one message on standard error, with what to do about it, and never a traceback. Each kind of
error has an exit code of its own.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import suppress
from difflib import get_close_matches
from enum import IntEnum
from typing import TYPE_CHECKING

from floeberg._secrets import without_secrets
from floeberg.errors import FloebergError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ExitCode", "UnconfirmedError", "code_of", "leave_pipe", "near", "report"]


class ExitCode(IntEnum):
    """What a verb exits with."""

    DONE = 0
    FOUND = 1
    INVALID_INPUT = 2
    NOT_FOUND = 3
    ALREADY_EXISTS = 4
    CONFLICT = 5
    UNKNOWN_OUTCOME = 6
    PERMISSION = 7
    STORAGE = 8
    INVALID_DATA = 9
    UNSUPPORTED = 10
    UNCONFIRMED = 11
    LIMIT = 12
    INTERNAL = 70
    INTERRUPTED = 130


_CODES = {
    "invalid_input": ExitCode.INVALID_INPUT,
    "not_found": ExitCode.NOT_FOUND,
    "already_exists": ExitCode.ALREADY_EXISTS,
    "commit_conflict": ExitCode.CONFLICT,
    "commit_state_unknown": ExitCode.UNKNOWN_OUTCOME,
    "permission_denied": ExitCode.PERMISSION,
    "storage": ExitCode.STORAGE,
    "invalid_data": ExitCode.INVALID_DATA,
    "unsupported": ExitCode.UNSUPPORTED,
    "unconfirmed": ExitCode.UNCONFIRMED,
    "limit_exceeded": ExitCode.LIMIT,
    "cancelled": ExitCode.INTERRUPTED,
}
_HINTS = {
    "commit_conflict": "nothing was changed: run the command again",
    "commit_state_unknown": "look with `floeberg snapshots` whether the change is there, before you repeat it",
    "internal": "this is a bug in Floeberg: please report it with the lines above",
}


_WORDS = {
    'schema_mode="merge"': "--merge-schema",
    "create_namespace": "`floeberg create namespace`",
    "open it with open_view": "look at it with `floeberg show`",
}
"""What errors of the package say to who writes Python, and its words here."""


class UnconfirmedError(FloebergError):
    """Nobody confirmed what the verb would remove."""

    kind = "unconfirmed"


def code_of(error: BaseException) -> ExitCode:
    """The exit code of an error."""
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    if isinstance(error, FloebergError):
        return _CODES.get(error.kind, ExitCode.INTERNAL)
    if isinstance(error, PermissionError):
        return ExitCode.PERMISSION
    if isinstance(error, FileNotFoundError):
        return ExitCode.NOT_FOUND
    return ExitCode.STORAGE if isinstance(error, OSError) else ExitCode.INTERNAL


def report(error: BaseException, *, as_json: bool) -> ExitCode:
    """Shows an error on standard error.

    Args:
        error: The error.
        as_json: Whether it is shown as JSON.

    Returns:
        What to exit with.
    """
    code = code_of(error)
    kind = getattr(error, "kind", code.name.lower())
    if code is ExitCode.INTERNAL and not isinstance(error, FloebergError):
        sys.stderr.write(without_secrets("".join(traceback.format_exception(error))))
        kind = "internal"
    message = (
        "interrupted" if isinstance(error, KeyboardInterrupt) else _in_words(without_secrets(_text_of(error)))
    )
    hints = [without_secrets(each) for each in getattr(error, "__notes__", ())]
    if kind in _HINTS:
        hints.append(_HINTS[kind])
    if as_json:
        shown = {"error": {"kind": kind, "message": message, "hints": hints, "exit_code": int(code)}}
        sys.stderr.write(json.dumps(shown) + "\n")
    else:
        sys.stderr.write(f"error: {message}\n" + "".join(map(_line, hints)))
    return code


def near(word: str, known: Iterable[str]) -> str:
    """What may be meant: near matches of a word, or a few of those that there are; empty where there is none.

    Examples:
        >>> near("ordrs", ["orders", "stock"])
        "did you mean 'orders'?"
        >>> near("x", ["orders", "stock"])
        'there are orders, stock'
    """
    names = sorted(known)
    if found := get_close_matches(word, names, n=3, cutoff=0.6):
        return f"did you mean {' or '.join(map(repr, found))}?"
    most = 10
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"there are {', '.join(names[:most])}{more}" if names else ""


def leave_pipe() -> None:
    """Writes nothing more to standard output, whose reader went away."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_words(message: str) -> str:
    for python, word in _WORDS.items():
        message = message.replace(python, word)
    return message


def _line(note: str) -> str:
    return f"  {note}\n" if note.startswith("caused by") else f"  hint: {note}\n"


def _text_of(error: BaseException) -> str:
    if isinstance(error, OSError) and not isinstance(error, FloebergError) and error.strerror:
        return f"{error.strerror} (path: {error.filename})" if error.filename else error.strerror
    return str(error.args[0]) if error.args else type(error).__name__
