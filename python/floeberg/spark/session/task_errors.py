"""Which error of Floeberg did a task of Spark, or the process that plans a read, raise?

In: an error of PySpark, whose text has the traceback of a worker. Out: the error that the worker raised, of the same
class and with the same message.

Invariant: only the class that Python itself wrote behind a traceback counts, and only one of `floeberg.errors`. What
stands in messages, which may have values of rows, is never taken for a class, nor evaluated.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from floeberg import errors
from floeberg.errors import FloebergError, NotInstalledError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["own_errors", "raised_by_task"]

_TRACEBACK = "Traceback (most recent call last):\n"
_FOLLOWS = re.compile(
    r"\n\n(?:The above exception was the direct cause of the following exception|"
    r"During handling of the above exception, another exception occurred):\n\n" + re.escape(_TRACEBACK)
)
_PLANS = "[PYTHON_DATA_SOURCE_ERROR]"
"""Begins the text of an error of the process that plans a read, where only Floeberg's code runs."""
_WITHOUT_TRACEBACK = re.compile(
    r"\s*(?:An exception was thrown from the Python worker[^\n]*\n)?"
    r"(?:\[PYTHON_EXCEPTION\] An exception was thrown from the Python worker: )?"
)
_OWN = re.compile(r"floeberg\.errors\.(\w+)(?:: (.*))?", re.DOTALL)
_CANNOT_IMPORT = re.compile(
    r"ImportError: (Spark runs its Python workers with .+? which cannot import Floeberg: [^\n]*)"
)
_END = re.compile(r"\n(?:\tat |\s*SQLSTATE: \w{5}|\s*JVM stacktrace:|\s*Driver stacktrace:)")
"""What Spark writes after the text of a worker."""


@contextmanager
def own_errors() -> Iterator[None]:
    """Raises errors of Floeberg that tasks raised in the block, instead of those of PySpark that tell of them."""
    try:
        yield
    except FloebergError:
        raise
    except Exception as error:
        own = raised_by_task(error)
        if own is None:
            raise
        raise own from error


def raised_by_task(error: Exception) -> FloebergError | None:
    """The error that a worker raised; `None` where that is not known to be one of Floeberg."""
    if not any(kind.__module__.startswith(("pyspark.", "py4j.")) for kind in type(error).__mro__):
        return None
    text = str(error)
    found = _last_exception(text)
    if found is None:
        return None
    if cannot := _CANNOT_IMPORT.match(found):
        return NotInstalledError(cannot[1])
    own = _OWN.match(found)
    if own is None or own[1] not in errors.__all__:
        return None
    kind: type[FloebergError] = getattr(errors, own[1])
    return kind((own[2] or "").rstrip())


def _last_exception(text: str) -> str | None:
    """The class and the message that end the traceback of a worker.

    The first traceback is Python's own: before it stand words of Spark alone. Another one after its message is Python's
    where it chains errors. A message may pretend that, so that this is only believed where no code of the user ran.
    """
    at = text.find(_TRACEBACK)
    if at < 0:
        begin = _WITHOUT_TRACEBACK.match(text)
        rest = text[begin.end() :] if begin is not None and begin.end() else ""
    else:
        rest = text[at + len(_TRACEBACK) :]
        if text.startswith(_PLANS):
            rest = _FOLLOWS.split(rest)[-1]
        rest = _behind_frames(rest)
    end = _END.search(rest)
    return (rest if end is None else rest[: end.start()]) or None


def _behind_frames(text: str) -> str:
    """What follows the lines of a traceback, which are indented."""
    at = 0
    while text.startswith(" ", at):
        line = text.find("\n", at)
        if line < 0:
            return ""
        at = line + 1
    return text[at:]
