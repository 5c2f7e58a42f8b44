"""The commands of the guide and of the README run, and show what stands below them."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
from cargo_workspace import ROOT
from typer.testing import CliRunner

from floeberg.cli.app import app
from markdown_blocks import blocks_of

PAGES = {"docs/guide/command-line.md": 15, "README.md": 3}
"""Pages, and how many commands of Floeberg each has at least."""


def commands(page):
    """Each command, its line, and what it shows."""
    for block in blocks_of((ROOT / page).read_text(encoding="utf-8")):
        # Other blocks install packages.
        if block.kind == "console" and "$ floeberg " in block.text:
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


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_show_what_stands_below_them(page, monkeypatch):
    # As at a terminal that has no colours and wide enough for names of temporary folders.
    for name, value in {"TTY_COMPATIBLE": "1", "TERM": "dumb", "COLUMNS": "300", "LINES": "40"}.items():
        monkeypatch.setenv(name, value)
    ran = 0
    for command, line, shown in commands(page):
        if command.startswith("export "):
            monkeypatch.setenv(*command.removeprefix("export ").split("="))
        elif not command.startswith("floeberg "):
            subprocess.run(command, shell=True, check=True)
        else:
            found = shown_by(command)
            assert re.fullmatch(pattern(shown), found), f"{page}:{line}: {command}\n{found}"
            ran += 1
    assert ran >= PAGES[page]


def shown_by(command: str) -> str:
    """What a command shows, whatever it exits with: first what it says beside its result."""
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    return done.stderr + done.stdout
