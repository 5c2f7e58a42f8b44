"""How is what a call did shown?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from floeberg.cli.exits import leave_pipe
from floeberg.cli.output import plain

if TYPE_CHECKING:
    from floeberg.cli.output import Output

__all__ = ["facts_of", "said_of", "show_result", "texts_of"]


def show_result(output: Output, result: object) -> None:
    """Shows a result: all of it as JSON, and as text what is not zero or empty.

    What was done stays done where it cannot be shown: a job that does it again would do it twice.
    """
    facts = facts_of(result)
    output.check_form()
    try:
        if output.is_json:
            output.json(facts)
        else:
            output.pairs(said_of(facts) or {"changed": "nothing"})
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as failure:
        leave_pipe()
        output.note(f"warning: it was done, and the result cannot be shown: {failure.strerror}")


def texts_of(facts: dict[str, object]) -> list[str]:
    """The same as lines, for what is said before a question."""
    return [f"{name}: {value}" for name, value in said_of(facts).items()]


def facts_of(result: object) -> dict[str, object]:
    """The parts of a result by their names. Those of the commit of an upsert are among them."""
    facts: dict[str, object] = dict(plain(result))
    commit = facts.pop("commit", None)
    return {**facts, **commit} if isinstance(commit, dict) else facts


def said_of(facts: dict[str, object]) -> dict[str, object]:
    """What a text says of a result: lists by their lengths, and nothing that is zero or empty."""
    said: dict[str, object] = {}
    for name, value in facts.items():
        shown = len(value) if isinstance(value, (list, dict)) else value
        if shown not in (None, 0, "") and name != "seconds":
            said[name.replace("_", " ")] = shown
    return said
