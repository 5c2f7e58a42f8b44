"""How long does something take, and how much memory, in a process of its own?

A subject is a function of a module of this folder that takes a location and does its work once; what it returns (a
count) must be the same for all subjects that are compared.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

RUNS = 5


@dataclass(frozen=True)
class Times:
    """Seconds of some runs, what they counted, and the highest resident memory in MB where it was measured."""

    seconds: list[float]
    count: int
    peak_mb: int | None

    @property
    def median(self) -> float:
        """The middle one."""
        return median(self.seconds)

    def __str__(self) -> str:
        """Median and spread."""
        scale, unit = (1, "s") if self.median >= 1 else (1000, "ms")
        low, high = min(self.seconds) * scale, max(self.seconds) * scale
        return f"{self.median * scale:.3g} {unit} ({low:.3g}-{high:.3g})"


def warm(subject: str, location: Path) -> Times:
    """Five runs in one process, after one that does not count."""
    return _child(subject, location, RUNS)


def alternating(subject: str, locations: list[Path], threads: int | None = None) -> list[Times]:
    """Five runs of each location in one process, taken in turn after one that does not count, on so many threads.

    For ratios near 1: what the machine does meanwhile falls on all of them. The highest memory is that of all together.
    """
    return _children(subject, locations, RUNS, threads)


def cold(subject: str, location: Path) -> Times:
    """Five fresh processes that run once each; importing does not count."""
    runs = [_child(subject, location, 0) for _ in range(RUNS)]
    return Times([each.seconds[0] for each in runs], runs[0].count, max(each.peak_mb or 0 for each in runs))


def _child(subject: str, location: Path, runs: int) -> Times:
    (times,) = _children(subject, [location], runs)
    return times


def _children(subject: str, locations: list[Path], runs: int, threads: int | None = None) -> list[Times]:
    command = [sys.executable, __file__, subject, str(runs), *map(str, locations)]
    environment = os.environ | ({} if threads is None else {"FLOEBERG_THREADS": str(threads)})
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent, env=environment
    ).stdout
    return [Times(**facts) for facts in json.loads(output.splitlines()[-1])]


def compare(title: str, rows: list[tuple[str, Times]]) -> None:
    """Print a table; ratios are to the first row, which counted the same."""
    print(f"\n{title}")
    first = rows[0][1]
    for name, times in rows:
        ratio = times.median / first.median
        memory = "" if times.peak_mb is None else f"   peak {times.peak_mb} MB"
        print(f"  {name:<44} {times!s:<28} {ratio:>7.2f} x{memory}")


def folder() -> Path:
    """Where bench tables are kept between runs."""
    return Path(os.environ.get("FLOEBERG_BENCH_DIR", Path.home() / ".cache" / "floeberg" / "bench"))


# What a subject's name begins with, and what it would import in its first run: importing does not count.
LIBRARIES = {
    "floeberg": ("floeberg", "pyarrow"),
    "pyarrow": ("pyarrow.dataset",),
    "pyiceberg": ("pyiceberg.table", "pyiceberg.io.pyarrow"),
}


def main(subject: str, runs: int, locations: list[str]) -> None:
    """What the child does."""
    module, name = subject.split(":")
    for library in LIBRARIES[name.split("_")[0]]:
        importlib.import_module(library)
    run = getattr(importlib.import_module(module), name)
    seconds: list[list[float]] = [[] for _ in locations]
    counts = [0 for _ in locations]
    for _ in range(runs + 1):
        for at, location in enumerate(locations):
            started = time.perf_counter()
            counts[at] = run(location)
            seconds[at].append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    facts = [
        {"seconds": each[1:] or each, "count": count, "peak_mb": peak}
        for each, count in zip(seconds, counts, strict=True)
    ]
    print(json.dumps(facts))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
