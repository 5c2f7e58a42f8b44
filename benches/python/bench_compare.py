"""Two snapshots compared, and a table checked: over reading the rows, by processor time."""

from __future__ import annotations

from argparse import ArgumentParser

from comparing_rows import CHANGED_ROWS, compared_table
from goals import Goal
from measure import folder
from processor_time import in_turn, show

ROWS = 20_000_000
# What is compared, and the most that it may take over reading both snapshots.
COMPARED = {"copies": 1 / 15, "copies_by_key": 1 / 15, "vectors": 1 / 15, "compacted": 1 / 50}


def main(scale: float, runs: int) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    goals = []
    for version in (2, 3):
        place = compared_table(folder(), version, rows)
        for name, most in COMPARED.items():
            subjects = [f"comparing_rows:{each}" for each in (name, "read_both")]
            spent = in_turn(subjects, place, runs)
            assert name == "compacted" or spent[0].count >= CHANGED_ROWS, spent
            title = f"diff/v{version}/{name}"
            ratio = show(f"{title}/{rows} rows", [name, "reading both"], spent)
            goals.append(Goal(f"{title}/over reading both", ratio, "x", most, most))
            (alone,) = in_turn(subjects[:1], place, 1)
            goals.append(Goal(f"{title}/memory", alone.peak_mb, "MB", 700, 700))
        subjects = [f"comparing_rows:{each}" for each in ("check_rows", "read")]
        title = f"check rows/v{version}"
        ratio = show(f"{title}/{rows} rows", ["check", "reading"], in_turn(subjects, place, runs))
        goals.append(Goal(f"{title}/over reading", ratio, "x", 1.5, 1.5))
    for goal in goals:
        print(goal)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 20 million rows")
    parser.add_argument("--runs", type=int, default=3, help="of each")
    main(**vars(parser.parse_args()))
