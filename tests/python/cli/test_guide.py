"""The commands of the guide run, and show what stands below them."""

from __future__ import annotations

import re
import shlex
import subprocess

from cargo_workspace import ROOT
from typer.testing import CliRunner

from floeberg.cli.app import app
from markdown_blocks import blocks_of

GUIDE = ROOT / "docs" / "guide" / "command-line.md"


def commands():
    """Each command, its line, and what it shows."""
    for block in blocks_of(GUIDE.read_text(encoding="utf-8")):
        if block.kind == "console":
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                yield command, block.line, shown


def pattern(shown: str) -> str:
    """What is expected, as a pattern: three dots are anything, and ends of lines may have spaces."""
    lines = shown.splitlines()
    # A last line of dots stands for all that follows.
    texts = [re.escape(line).replace(r"\.\.\.", ".*") + " *" for line in lines]
    if lines[-1:] == ["..."]:
        texts[-1] = "(.|\n)*"
    return "\n".join(texts).strip("\n") + "\n*"


def test_the_commands_of_the_guide_show_what_stands_below_them(monkeypatch):
    # As at a terminal that has no colours and wide enough for names of temporary folders.
    for name, value in {"TTY_COMPATIBLE": "1", "TERM": "dumb", "COLUMNS": "300", "LINES": "40"}.items():
        monkeypatch.setenv(name, value)
    ran = 0
    for command, line, shown in commands():
        if command.startswith("export "):
            monkeypatch.setenv(*command.removeprefix("export ").split("="))
        elif not command.startswith("floeberg "):
            subprocess.run(command, shell=True, check=True)
        else:
            found = shown_by(command)
            assert re.fullmatch(pattern(shown), found), f"{GUIDE}:{line}: {command}\n{found}"
            ran += 1
    assert ran >= 15


def shown_by(command: str) -> str:
    """What a command shows, whatever it exits with: first what it says beside its result."""
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    return done.stderr + done.stdout
