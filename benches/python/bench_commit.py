"""A thousand small appends to a table of a SQLite catalog, all snapshots kept, every file synced by us.

Against PyIceberg, which syncs nothing; and what a commit costs at the end against what it cost at the beginning.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from goals import Goal
from measure import folder

COMMITS = 1000
PART = 10


@dataclass(frozen=True)
class Commits:
    """The seconds of each commit, and what the table has then."""

    seconds: list[float]
    snapshots: int
    manifests: int

    @property
    def total(self) -> float:
        """Seconds of all."""
        return sum(self.seconds)

    @property
    def first(self) -> float:
        """The middle one of the first tenth."""
        return median(self.seconds[: len(self.seconds) // PART])

    @property
    def last(self) -> float:
        """The middle one of the last tenth."""
        return median(self.seconds[-(len(self.seconds) // PART) :])


def run(library: str, commits: int) -> Commits:
    """Commit in a process of its own, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder()) as place:
        command = [sys.executable, "commit_subjects.py", library, place, str(commits)]
        output = subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent
        ).stdout
    return Commits(**json.loads(output.splitlines()[-1]))


def main(commits: int) -> None:
    """Measure both."""
    folder().mkdir(parents=True, exist_ok=True)
    ours, theirs = run("floeberg", commits), run("pyiceberg", commits)
    print(f"\ncommit/{commits} appends/SQLite")
    for name, found in (("floeberg", ours), ("PyIceberg", theirs)):
        ends = f"first {found.first * 1000:6.1f} ms   last {found.last * 1000:6.1f} ms"
        print(f"  {name:<12} {found.total:8.2f} s   {ends}   {found.manifests} manifests")
    assert ours.snapshots == theirs.snapshots == commits
    print(Goal("commit/against PyIceberg", theirs.total / ours.total, "x", 5, 5, at_least=True))
    # Snapshots and manifests grow together here: from the middle of the first tenth to that of the last.
    grown = (PART * 2 - 1) / 1
    print(Goal("commit/last against first", ours.last / ours.first, "x", grown, grown))


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 1,000 commits")
    main(max(int(COMMITS * parser.parse_args().scale), 2 * PART))
