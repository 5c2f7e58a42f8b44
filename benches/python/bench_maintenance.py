"""Data files written again: small ones joined, all rows sorted, and put in a z-order; manifests; and what may go."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path

from goals import Goal
from iceberg_java import VERSION, iceberg_java
from maintenance_removal import files_on_disk, removal_table
from maintenance_rows import bytes_of, table_of_files
from measure import Times, cold, compare, folder, in_turn, warm
from peer_environment import environment
from processor_time import in_turn as in_turn_by_processor
from processor_time import show
from programs import planning_table

# Files, the rows of each, and the goal over reading and writing: row groups of 10 MB are copied.
CASES = {"100 files of 10 MB": (100, 640_000, 0.3), "5000 files of 100 KB": (5_000, 6_000, 1.3)}
SORTED = (20, 500_000)
DUCKDB = dict.fromkeys(("duckdb", "duckdb-extension-iceberg", "duckdb-extension-avro"), "1.5.5")
MANIFESTS = 1_000_000


def main(scale: float, runs: int, *, java: bool) -> None:
    """Make the tables when they are not there, then measure."""
    goals = []
    against: list[tuple[str, str, Path, Times]] = []
    for name, (number, rows, most) in CASES.items():
        files = max(2, int(number * scale))
        place = table_of_files(folder(), files, rows)
        plain, binpack = in_turn(
            [(f"maintenance_rows:floeberg_{subject}", place) for subject in ("read_and_write", "binpack")],
            runs=runs,
        )
        assert plain.count == binpack.count == files * rows, (plain, binpack)
        title = f"binpack/{files} files of {bytes_of(place) // files >> 10} KiB/warm"
        compare(title, [("read and write", plain), ("binpack", binpack)])
        ratio = binpack.median / plain.median
        goals.append(Goal(f"binpack/{name}/over reading and writing", ratio, "x", most, most))
        against.append((title, "java_binpack", place, binpack))

    number, of_file = SORTED
    place = table_of_files(folder(), max(2, int(number * scale)), of_file)
    rows = max(2, int(number * scale)) * of_file
    ours, zorder = (
        cold(f"maintenance_rows:{name}", place, runs=runs) for name in ("floeberg_sort", "floeberg_zorder")
    )
    duckdb = str(environment(folder(), DUCKDB))
    theirs = cold("maintenance_duckdb:duckdb_sort", place, runs=runs, python=duckdb)
    assert ours.count == zorder.count == theirs.count == rows, (ours, theirs)
    named = [("duckdb, COPY ... ORDER BY", theirs), ("floeberg, sort", ours), ("floeberg, z-order", zorder)]
    compare(f"sort/{rows} rows/cold", named)
    goals.append(Goal("sort/over duckdb", ours.median / theirs.median, "x", 2, 1.5))
    goals.append(Goal("zorder/over the sort", zorder.median / ours.median, "x", 1.5, 1.3))
    goals.append(Goal("sort/memory", ours.peak_mb or 0, "MB", 900, 700))
    against.append((f"sort/{rows} rows", "java_sort", place, ours))
    goals.append(manifests(max(10_000, int(MANIFESTS * scale)), runs))
    goals += removal(max(10_000, int(MANIFESTS * scale)), runs)
    if java:
        against_java(against, runs)
    for goal in goals:
        print(goal)


def manifests(files: int, runs: int) -> Goal:
    """Compare writing all manifests again with planning all files."""
    place = planning_table(folder(), files).parent.parent
    planned, rewritten = (
        cold(f"maintenance_manifests:floeberg_{subject}", place, runs=runs)
        for subject in ("plan", "rewrite_manifests")
    )
    assert planned.count == rewritten.count == files, (planned, rewritten)
    compare(f"manifests/{files} files/cold", [("plan", planned), ("rewrite_manifests", rewritten)])
    return Goal("manifests/over planning", rewritten.median / planned.median, "x", 14, 4)


def removal(files: int, runs: int) -> list[Goal]:
    """Compare finding files that may go with planning all files, by processor time; and measure its memory."""
    place = removal_table(folder(), files)
    goals = []
    expiries = {
        "expiry of 100 snapshots": "floeberg_expire",
        "the same beside a tag": "floeberg_expire_with_tag",
    }
    for name, subject in expiries.items():
        goals += over_planning(f"removal/{name}", subject, place, runs, bound=3)
    with files_on_disk(place):
        goals += over_planning("removal/orphans", "floeberg_orphans", place, runs, bound=2)
    return goals


def over_planning(name: str, subject: str, place: Path, runs: int, *, bound: float) -> list[Goal]:
    """Goals of a subject: its processor time over that of a plan, and its memory."""
    subjects = [f"maintenance_removal:{each}" for each in (subject, "floeberg_plan")]
    ratio = show(name, [subject, "plan"], in_turn_by_processor(subjects, place, runs))
    # Alone, so that the memory is its own.
    (alone,) = in_turn_by_processor(subjects[:1], place, 1)
    return [
        Goal(f"{name}/over planning", ratio, "x", bound, bound),
        Goal(f"{name}/memory", alone.peak_mb, "MB", 1000, 1000),
    ]


def against_java(cases: list[tuple[str, str, Path, Times]], runs: int) -> None:
    """Compare with Iceberg Java in a session that did the work before, on tables of its own of copies of the files."""
    found = iceberg_java(folder())
    if isinstance(found, str):
        print(f"\nmaintenance/against Iceberg Java: cannot be had here: {found}")
        return
    python, jar = found
    os.environ["ICEBERG_JAR"] = str(jar)
    for title, subject, place, ours in cases:
        theirs = warm(f"java_maintenance:{subject}", place, runs=runs, python=str(python))
        assert theirs.count == ours.count, (theirs, ours)
        java = Times(theirs.seconds, theirs.count, None)
        compare(f"{title}/against Iceberg Java", [("floeberg", ours), (f"Iceberg Java {VERSION}", java)])


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of the files")
    parser.add_argument("--runs", type=int, default=3, help="of each")
    parser.add_argument(
        "--java", action="store_true", help="also against Iceberg Java, which is downloaded once"
    )
    main(**vars(parser.parse_args()))
