"""How is what a call did shown?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.cli.output import plain

if TYPE_CHECKING:
    from floeberg.cli.output import Output

__all__ = ["facts_of", "said_of", "show_result"]


def show_result(output: Output, result: object) -> None:
    """Shows a result: all of it as JSON, and as text what is not zero or empty."""
    facts = facts_of(result)
    output.check_form()
    if output.is_json:
        output.json(facts)
    else:
        output.pairs(said_of(facts) or {"changed": "nothing"})


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
