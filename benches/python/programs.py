"""The programs of the benches' Rust package, built as everything else is, and what they print."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@cache
def build(program: str) -> Path:
    """Build a program; return where it is."""
    cargo = ["cargo", "build", "--locked", "--profile", "dev", "-p", "floeberg-benches", "--bin", program]
    output = subprocess.check_output(
        [*cargo, "--message-format=json-render-diagnostics"], text=True, cwd=ROOT
    )
    messages = [json.loads(line) for line in output.splitlines()]
    (executable,) = (message["executable"] for message in messages if message.get("executable"))
    return Path(executable)


def run(program: str, *arguments: str) -> dict[str, Any]:
    """Run a program; return the JSON of its last line."""
    output = subprocess.check_output([str(build(program)), *arguments], text=True)
    return json.loads(output.splitlines()[-1])


def planning_table(folder: Path, files: int, **options: str) -> Path:
    """Write a table to plan where it is not there; return its metadata file. The options are the program's."""
    place = folder / "-".join(["planning", str(files), *options.values()])
    made = place / "metadata" / "v1.metadata.json"
    if not made.exists():
        shutil.rmtree(place, ignore_errors=True)
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        run("planning-table", str(place), "--files", str(files), *words)
    return made
