"""How long does a developer wait after an edit of one file?

    python tools/measure_rebuilds.py                               # a file of each room that is edited often
    python tools/measure_rebuilds.py --times 5 rust/x/src/y.rs     # these

A comment line is put above the first item of the file, so every line below it moves, as it does in an edit. Then each
command is run, once to be up to date and then `--times` after such an edit. What is printed is medians in seconds:
on the clock, and of the processor (user and system), which a busy machine changes less.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from cargo_workspace import ROOT, load

FILES = (
    "rust/floeberg-commit/src/fit.rs",
    "rust/floeberg-iceberg/src/read/task_rows.rs",
    "rust/floeberg-iceberg/src/plan/plan_job.rs",
)
FIRST_ITEM = re.compile(r"^(?!//!|\s*$)", re.MULTILINE)


def commands() -> dict[str, list[str]]:
    """Return what developers run after an edit: while they write, for the tests, for the package."""
    libraries = [
        argument
        for package in load()["workspace_default_members"]
        for argument in ("-p", package.split("#")[0].rsplit("/", 1)[1])
    ]
    return {
        "check": ["cargo", "check", "--locked", "--quiet", "-p", "floeberg-python"],
        "tests": ["cargo", "test", "--locked", "--quiet", "--no-run", *libraries],
        "install": [sys.executable, str(ROOT / "tools" / "install_dev.py")],
    }


def run(command: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds on the clock and of the processor."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    clock, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return clock, used


def edit(path: Path) -> None:
    """Put a comment line above the first item of a file."""
    source = path.read_text()
    first = FIRST_ITEM.search(source)
    place = first.start() if first else 0
    path.write_text(f"{source[:place]}// An edit.\n{source[place:]}")


def measure(command: list[str], path: Path, times: int) -> tuple[float, ...]:
    """Edit a file and run a command, a few times; return the medians."""
    found = []
    for _ in range(times):
        edit(path)
        found.append(run(command))
    return tuple(statistics.median(column) for column in zip(*found, strict=True))


def main() -> None:
    """Edit, run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", default=FILES, help="from the root of the checkout")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", choices=list(commands()), action="append", help="which of the commands")
    arguments = parser.parse_args()
    sources = {ROOT / file: (ROOT / file).read_text() for file in arguments.files}
    try:
        for name, command in commands().items():
            if arguments.only and name not in arguments.only:
                continue
            run(command)
            for path in sources:
                clock, used = measure(command, path, arguments.times)
                place = str(path.relative_to(ROOT))
                print(f"{name:8} {place:45} {clock:7.1f} s {used:7.1f} s of the processor", flush=True)
    finally:
        for path, source in sources.items():
            path.write_text(source)


if __name__ == "__main__":
    main()
