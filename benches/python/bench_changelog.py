"""A changelog over a hundred snapshots: reading the files that it names."""

from __future__ import annotations

from argparse import ArgumentParser

from changelog_rows import changelog_table
from goals import Goal
from measure import cold, compare, folder, in_turn

ROWS = 100_000


def main(scale: float, runs: int) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    goals = []
    for variant in ("appends", "vectors", "copies"):
        table = changelog_table(folder(), variant, rows)
        subjects = [f"changelog_rows:{name}" for name in ("pyarrow_files", "floeberg_changelog")]
        files, changes = in_turn([(subject, table) for subject in subjects], runs=runs)
        assert 0 < changes.count <= files.count, (files, changes)
        compare(
            f"changelog/{rows} rows/{variant}/warm", [("reading the files", files), ("changelog", changes)]
        )
        ratio = changes.median / files.median
        goals.append(Goal(f"changelog/{variant}/over reading its files", ratio, "x", 1.5, 1.5))
        peak = cold(subjects[1], table, runs=1).peak_mb or 0
        goals.append(Goal(f"changelog/{variant}/memory", peak, "MB", 700, 700))
    for goal in goals:
        print(goal)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 100,000 rows a snapshot")
    parser.add_argument("--runs", type=int, default=5, help="of each")
    main(**vars(parser.parse_args()))
