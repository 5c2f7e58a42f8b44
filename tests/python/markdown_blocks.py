"""What is code in a Markdown text, and what is prose?"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

CODE = "python"
CODE_THAT_NEEDS_MORE = "python no-run"
OUTPUT = "text"


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


def run_page(page: Path, names: dict[str, object]) -> None:
    """Run the code of a page with these names, and hold what it prints against what stands below it."""
    printed = ""
    ran = 0
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.kind in {CODE, CODE_THAT_NEEDS_MORE}:
            # Lines of the page, so that a failure says where it stands.
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        if block.kind == CODE:
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(code, names)
            printed, ran = output.getvalue(), ran + 1
        elif block.kind == OUTPUT and block.follows and ran:
            assert printed == block.text, f"{page}:{block.line}"
            printed = ""
    assert ran > 0
