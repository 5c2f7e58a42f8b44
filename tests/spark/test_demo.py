"""The demo prints what the tour shows, and does what it can where Spark cannot start."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from cargo_workspace import ROOT

from markdown_blocks import blocks_of


def demo(**environment: str) -> str:
    """What the demo prints, in a process of its own."""
    return subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def shown() -> str:
    """What the tour shows."""
    blocks = blocks_of((ROOT / "docs/guide/tour.md").read_text(encoding="utf-8"))
    (text,) = [block.text for block in blocks if block.text.startswith("LOCATION = ")]
    return text


def untimed(text: str) -> str:
    """A text without how long something took."""
    return re.sub(r"\d+ ms", "_ ms", text)


def test_the_demo_prints_what_the_tour_shows(shown):
    printed = demo()
    assert untimed(printed) == untimed(shown)
    assert len(re.findall(r"\d+ ms", printed)) == 3


def test_without_java_the_demo_says_so_and_reads_from_python(shown, tmp_path):
    printed = demo(JAVA_HOME=str(tmp_path))
    assert "Java 17" in printed
    python = untimed(shown).partition("_ ms")[0]
    assert python in untimed(printed)
    assert "ms after" not in printed
