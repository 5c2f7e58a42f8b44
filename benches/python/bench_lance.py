"""Lance tables beside pylance: many fragments, many versions, and 5 million rows. Processor time, in one run."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from goals import Goal
from lance_manifests import fragments_table, versions_table
from lance_subjects import rows_table
from measure import folder
from processor_time import in_turn, show

FRAGMENTS = 100_000
VERSIONS = 10_000
ROWS = 5_000_000
MEMORY = 500
"""Megabytes above those of the imports that a scan, a delete and an upsert may take."""


def main(scale: float, runs: int) -> None:
    """Make the tables when they are not there, then measure."""
    goals = [
        *of_fragments(int(FRAGMENTS * scale), runs),
        *of_versions(int(VERSIONS * scale), runs),
        *of_rows(int(ROWS * scale), runs),
    ]
    print()
    for goal in goals:
        print(goal)


def beside(action: str, location: Path, runs: int, *, afresh: bool = False) -> float:
    """The time that Floeberg takes for an action, of that of pylance."""
    names = [f"{who}_{action}" for who in ("floeberg", "pylance")]
    spent = in_turn([f"lance_subjects:{name}" for name in names], location, runs, afresh=afresh)
    assert spent[0].count == spent[1].count, spent
    return show(f"lance/{location.name}/{action}", names, spent)


def of_fragments(count: int, runs: int) -> list[Goal]:
    """Opening, and appending a row."""
    goals = []
    for stable in (False, True):
        location = fragments_table(folder(), count, stable=stable)
        name = "stable row ids" if stable else "addresses"
        for action, bound in (("open", 1 / 6), ("append", 1 / 8), ("open_and_append", 1 / 8)):
            ratio = beside(action, location, runs)
            goals.append(Goal(f"lance/{count} fragments/{name}/{action}", ratio, "x", bound, bound))
    return goals


def of_versions(count: int, runs: int) -> list[Goal]:
    """Listing them."""
    location = versions_table(folder(), count)
    times = in_turn(["lance_subjects:floeberg_version_times"], location, runs)
    show(f"lance/{location.name}/with the times of all", ["floeberg"], times)
    ratio = beside("versions", location, runs)
    return [Goal(f"lance/{count} versions/listed", ratio, "x", 1 / 100, 1 / 100)]


def of_rows(rows: int, runs: int) -> list[Goal]:
    """Scanning, deleting, upserting, and the memory of each."""
    location = rows_table(folder(), rows)
    goals = []
    for action, bound in (("scan", 1.1), ("delete", 1.0), ("upsert", 1.0)):
        ratio = beside(action, location, runs, afresh=action != "scan")
        goals.append(Goal(f"lance/{rows} rows/{action}", ratio, "x", bound, bound))
        (alone,) = in_turn([f"lance_subjects:floeberg_{action}"], location, 1, afresh=action != "scan")
        goals.append(Goal(f"lance/{rows} rows/{action}/memory", alone.peak_mb, "MB", MEMORY, MEMORY))
    return goals


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 100,000 fragments and 5 million rows")
    parser.add_argument("--runs", type=int, default=5, help="of each")
    main(**vars(parser.parse_args()))
