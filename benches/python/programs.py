"""The programs of the benches' Rust package, built as everything else is, and what they print."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def run(program: str, *arguments: str) -> dict[str, Any]:
    """Run a program; return the JSON of its last line."""
    cargo = ["cargo", "run", "--quiet", "--locked", "--profile", "dev", "-p", "floeberg-benches", "--bin"]
    output = subprocess.check_output([*cargo, program, "--", *arguments], text=True, cwd=ROOT)
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
