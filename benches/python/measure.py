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
    """Seconds of some runs, what they counted, and the highest resident memory in MB."""

    seconds: list[float]
    count: int
    peak_mb: int

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


def cold(subject: str, location: Path) -> Times:
    """Five fresh processes that run once each; importing does not count."""
    runs = [_child(subject, location, 0) for _ in range(RUNS)]
    return Times([each.seconds[0] for each in runs], runs[0].count, max(each.peak_mb for each in runs))


def _child(subject: str, location: Path, runs: int) -> Times:
    command = [sys.executable, __file__, subject, str(location), str(runs)]
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent
    ).stdout
    facts = json.loads(output.splitlines()[-1])
    return Times(facts["seconds"], facts["count"], facts["peak_mb"])


def compare(title: str, rows: list[tuple[str, Times]]) -> None:
    """Print a table; ratios are to the first row, which counted the same."""
    print(f"\n{title}")
    first = rows[0][1]
    for name, times in rows:
        ratio = times.median / first.median
        print(f"  {name:<44} {times!s:<28} {ratio:>7.2f} x   peak {times.peak_mb} MB")


def folder() -> Path:
    """Where bench tables are kept between runs."""
    return Path(os.environ.get("FLOEBERG_BENCH_DIR", Path.home() / ".cache" / "floeberg" / "bench"))


# What a subject's name begins with, and what it would import in its first run: importing does not count.
LIBRARIES = {
    "floeberg": ("floeberg", "pyarrow"),
    "pyarrow": ("pyarrow.dataset",),
    "pyiceberg": ("pyiceberg.table", "pyiceberg.io.pyarrow"),
}


def main(subject: str, location: str, runs: int) -> None:
    """What the child does."""
    module, name = subject.split(":")
    for library in LIBRARIES[name.split("_")[0]]:
        importlib.import_module(library)
    run = getattr(importlib.import_module(module), name)
    seconds, count = [], 0
    for _ in range(runs + 1):
        started = time.perf_counter()
        count = run(location)
        seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"seconds": seconds[1:] or seconds, "count": count, "peak_mb": peak}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
