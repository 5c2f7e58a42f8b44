"""What is code in a Markdown text, and what is prose?"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """A fenced block: what its fence says, its lines, and the line of the file that its first line is."""

    kind: str
    text: str
    line: int
    follows: bool
    """Is there nothing but empty lines between it and the block before?"""


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a Markdown text."""
    found: list[Block] = []
    kind, body, start, follows, between = None, [], 0, False, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if kind is None and (opening := re.fullmatch(r"```(.*)", line)):
            kind, body, start, follows = opening.group(1).strip(), [], number + 1, not between.strip()
        elif kind is not None and line == "```":
            found.append(Block(kind, "\n".join(body) + "\n", start, follows and bool(found)))
            kind, between = None, ""
        elif kind is not None:
            body.append(line)
        else:
            between += line
    assert kind is None, f"the block that begins at line {start} is not closed"
    return found


def prose_of(text: str) -> str:
    """A Markdown text without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
