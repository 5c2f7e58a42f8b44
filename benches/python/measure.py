"""How long does something take, and how much memory, in a process of its own?

A subject is a function of a module of this folder that takes a location and does its work once; what it returns (a
count) must be the same for all subjects that are compared.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
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


def warm(subject: str, location: Path, *, runs: int = RUNS, python: str = sys.executable) -> Times:
    """Five runs, or so many, in one process, after one that does not count."""
    (times,) = in_turn([(subject, location)], runs=runs, python=python)
    return times


def alternating(subject: str, locations: list[Path], threads: int | None = None) -> list[Times]:
    """Five runs of each location in one process, taken in turn after one that does not count, on so many threads.

    For ratios near 1: what the machine does meanwhile falls on all of them. The highest memory is that of all together.
    """
    return in_turn([(subject, location) for location in locations], threads=threads)


def in_turn(
    pairs: Sequence[tuple[str, Path]],
    *,
    runs: int = RUNS,
    threads: int | None = None,
    python: str = sys.executable,
) -> list[Times]:
    """The same for subjects that differ, each with its location; without runs the first one counts."""
    command = [python, __file__, str(runs), *(str(word) for pair in pairs for word in pair)]
    environment = os.environ | ({} if threads is None else {"FLOEBERG_THREADS": str(threads)})
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent, env=environment
    ).stdout
    return [Times(**facts) for facts in json.loads(output.splitlines()[-1])]


def cold(subject: str, location: Path, *, runs: int = RUNS, python: str = sys.executable) -> Times:
    """Five fresh processes, or so many, that run once each; importing does not count."""
    found = [warm(subject, location, runs=0, python=python) for _ in range(runs)]
    return Times(
        [each.seconds[0] for each in found], found[0].count, max(each.peak_mb or 0 for each in found)
    )


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
    "floeberg": ("floeberg", "pyarrow.parquet", "floeberg.catalog.sql"),
    "pyarrow": ("pyarrow.dataset",),
    "pyiceberg": ("pyiceberg.table", "pyiceberg.io.pyarrow", "pyiceberg.catalog.sql"),
    "duckdb": ("duckdb", "duckdb_extension_iceberg", "duckdb_extension_avro"),
    "java": ("pyspark.sql",),
}


def main(runs: int, pairs: list[tuple[str, str]]) -> None:
    """What the child does."""
    subjects = [(loaded(subject), location) for subject, location in pairs]
    seconds: list[list[float]] = [[] for _ in pairs]
    counts = [0 for _ in pairs]
    for _ in range(runs + 1):
        for at, (run, location) in enumerate(subjects):
            started = time.perf_counter()
            counts[at] = run(location)
            seconds[at].append(time.perf_counter() - started)
    peak = highest_memory() // 1024
    facts = [
        {"seconds": each[1:] or each, "count": count, "peak_mb": peak}
        for each, count in zip(seconds, counts, strict=True)
    ]
    print(json.dumps(facts))


def highest_memory() -> int:
    """Kilobytes that this process held at most. `ru_maxrss` would count those of the process that started it too."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


def loaded(subject: str) -> Callable[[str], int]:
    """The function of a subject, with what it would import."""
    module, name = subject.split(":")
    for library in LIBRARIES[name.split("_")[0]]:
        importlib.import_module(library)
    function: Callable[[str], int] = getattr(importlib.import_module(module), name)
    return function


if __name__ == "__main__":
    main(int(sys.argv[1]), list(zip(sys.argv[2::2], sys.argv[3::2], strict=True)))
