"""How much processor time do subjects take that are run in turn, in one process?

A subject is a function of a module of this folder that takes a location and returns what is measured. Threads count, so
that times of a busy machine can be compared. The memory is the highest of the process, above what it had at first.
"""

from __future__ import annotations

import gc
import importlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import highest_memory


@dataclass(frozen=True)
class Spent:
    """Seconds of processor time of some runs, what they counted, and megabytes of all subjects of the process."""

    seconds: list[float]
    count: int
    peak_mb: int

    @property
    def median(self) -> float:
        """The middle one."""
        return median(self.seconds)

    def __str__(self) -> str:
        """Median and spread, in milliseconds."""
        low, high = min(self.seconds) * 1000, max(self.seconds) * 1000
        return f"{self.median * 1000:.4g} ms ({low:.4g}-{high:.4g})"


def in_turn(subjects: list[str], location: Path, runs: int, *, afresh: bool = False) -> list[Spent]:
    """Runs after one that does not count, or, afresh, the first run of so many preparations."""
    command = [sys.executable, __file__, str(runs), str(int(afresh)), str(location), *subjects]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
    ).stdout
    return [Spent(**facts) for facts in json.loads(done.splitlines()[-1])]


def show(title: str, names: list[str], spent: list[Spent]) -> float:
    """Print a table, and return the ratio of the first to the second."""
    print(f"\n{title}")
    ratio = spent[0].median / spent[1].median if len(spent) > 1 else 1.0
    for name, each in zip(names, spent, strict=True):
        print(f"  {name:<40} {each!s}")
    if len(spent) > 1:
        print(f"  {'ratio':<40} {ratio:.4g} x")
    return ratio


def main(runs: int, location: Path, names: list[str], *, afresh: bool) -> None:
    """What the child does."""
    modules = [name.split(":") for name in names]
    subjects = [getattr(importlib.import_module(module), function) for module, function in modules]
    measured = [None if afresh else subject(location) for subject in subjects]
    before = highest_memory()
    seconds: list[list[float]] = [[] for _ in names]
    counts = [0 for _ in names]
    for _ in range(runs + 1):
        for at, subject in enumerate(subjects):
            run = measured[at] or subject(location)
            gc.collect()
            started = time.process_time()
            counts[at] = run()
            seconds[at].append(time.process_time() - started)
    peak = (highest_memory() - before) // 1024
    facts = [
        {"seconds": each[1:], "count": count, "peak_mb": peak}
        for each, count in zip(seconds, counts, strict=True)
    ]
    print(json.dumps(facts))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[3]), sys.argv[4:], afresh=sys.argv[2] == "1")
