"""Planning tables of 10,000, 100,000 and a million files: every goal as a ratio of one run, warm and cold.

The floor is libdeflate, which inflates the same manifests on as many cores and does nothing else. Peers are PyIceberg,
DuckDB and, when it is asked for, Iceberg Java. The results are kept beside the tables, as planning.json.
"""

from __future__ import annotations

import json
import os
import subprocess
from argparse import ArgumentParser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goals import Goal
from iceberg_java import VERSION, iceberg_java
from measure import Times, cold, compare, folder, in_turn, warm
from peer_environment import environment
from programs import planning_table, run

SIZES = (10_000, 100_000, 1_000_000)
DAYS = 1_000
DUCKDB = dict.fromkeys(("duckdb", "duckdb-extension-iceberg", "duckdb-extension-avro"), "1.5.5")
DELETES = {
    "positions": "position deletes of one file",
    "partition-positions": "position deletes of a partition",
    "vectors": "deletion vectors",
    "equality": "equality deletes",
}
LARGE = 1_000_000
"""From so many files on, memory and the time of one day are held against their goals, and slow peers run once."""


@dataclass
class Results:
    """What was measured."""

    goals: list[Goal] = field(default_factory=list)
    seconds: dict[str, dict[int, float]] = field(default_factory=dict)
    """Medians by what was done and by files, for the plot."""

    def goal(self, goal: Goal) -> None:
        """Add and print a goal."""
        self.goals.append(goal)
        print(goal)

    def took(self, what: str, files: int, times: Times) -> None:
        """Add times."""
        self.seconds.setdefault(what, {})[files] = times.median


def main(sizes: list[int], *, java: bool, peers: bool) -> None:
    """Make the tables when they are not there, then measure."""
    results = Results()
    for files in sizes:
        plain = planning_table(folder(), files)
        against_floor(results, files, plain)
        filters(results, files, plain)
        streamed_and_held(results, files, plain)
        repeated(results, files, plain)
        deletes(results, files, plain)
        shuffled(results, files, plain)
        if peers:
            against_peers(results, files, plain)
        if java:
            against_java(results, files, plain)
    linear(results, sizes)
    print("\nplan/goals (pass / goal)")
    for goal in results.goals:
        print(goal)
    facts: dict[str, Any] = {"goals": [goal.facts() for goal in results.goals], "seconds": results.seconds}
    (folder() / "planning.json").write_text(json.dumps(facts, indent=1))


def against_floor(results: Results, files: int, table: Path) -> None:
    """No filter, warm and cold, against inflating the same bytes."""
    floor = run("inflate-floor", str(table), "--threads", str(cores()))
    for name, measure in (("warm", warm), ("cold", cold)):
        ours = measure("subjects:floeberg_plan", table)
        assert ours.count == floor["records"] == files, (ours, floor)
        rows = [("libdeflate", as_times(floor, "inflate", files))]
        rows += [("libdeflate, with reading", as_times(floor, "read_and_inflate", files))]
        compare(f"plan/{files} files/no filter/{name}", [*rows, ("floeberg", ours)])
        ratio = ours.median / floor["inflate"]["median"]
        results.goal(Goal(f"plan/{files} files/no filter/{name}, of inflating", ratio, "x", 2.5, 2))
        results.took(f"floeberg, {name}", files, ours)
    results.took("libdeflate", files, as_times(floor, "inflate", files))


def as_times(floor: dict[str, Any], what: str, files: int) -> Times:
    """The floor beside other times."""
    return Times(floor[what]["runs"], files, None)


def filters(results: Results, files: int, table: Path) -> None:
    """One day of a thousand, and an id that no manifest is dropped by."""
    for name, measure in (("warm", warm), ("cold", cold)):
        day = measure("subjects:floeberg_plan_day", table)
        assert day.count == max(files // DAYS, 1), day
        compare(f"plan/{files} files/one day/{name}", [("floeberg", day)])
        results.took(f"floeberg, one day, {name}", files, day)
        if files >= LARGE:
            milliseconds = day.median * 1000
            results.goal(Goal(f"plan/{files} files/one day/{name}", milliseconds, "ms", 20, 20))
    plan, point = in_turn([("subjects:floeberg_plan", table), ("subjects:floeberg_plan_point", table)])
    assert point.count <= 1, point
    compare(f"plan/{files} files/a point/warm", [("no filter", plan), ("one id", point)])
    ratio = point.median / plan.median
    results.goal(Goal(f"plan/{files} files/a point/warm, of no filter", ratio, "x", 1.5, 1.3))


def streamed_and_held(results: Results, files: int, table: Path) -> None:
    """Memory of a process that imports, plans and holds the plan, or takes it batch by batch."""
    held, streamed = (cold(f"subjects:floeberg_{what}", table) for what in ("plan", "stream"))
    assert held.count == streamed.count == files, (held, streamed)
    compare(f"plan/{files} files/memory", [("held", held), ("streamed", streamed)])
    if files >= LARGE:
        name = f"plan/{files} files/memory"
        results.goal(Goal(f"{name}/held", held.peak_mb or 0, "MB", 500, 350))
        results.goal(Goal(f"{name}/streamed", streamed.peak_mb or 0, "MB", 200, 200))


def repeated(results: Results, files: int, table: Path) -> None:
    """A second plan of a table that is open."""
    first, again = in_turn([("subjects:floeberg_plan", table), ("subjects:floeberg_replan", table)])
    assert first.count == again.count == files, (first, again)
    compare(f"plan/{files} files/again/warm", [("a new table", first), ("the same table", again)])
    ratio = first.median / again.median
    results.goal(Goal(f"plan/{files} files/again, faster than the first", ratio, "x", 10, 10, at_least=True))
    results.took("floeberg, again", files, again)


def deletes(results: Results, files: int, table: Path) -> None:
    """A tenth of the files with deletes of each kind, against none: in a new table, and again in an open one."""
    tables = {kind: planning_table(folder(), files, deletes=kind) for kind in DELETES}
    pairs = [("subjects:floeberg_plan", location) for location in (table, *tables.values())]
    without, *found = in_turn(pairs)
    assert all(times.count == files for times in found), found
    named = dict(zip(DELETES, found, strict=True))
    rows = [("no deletes", without), *((DELETES[kind], times) for kind, times in named.items())]
    compare(f"plan/{files} files/deletes/warm", rows)
    for kind, times in named.items():
        ratio = times.median / without.median
        results.goal(Goal(f"plan/{files} files/{kind}/warm, of none", ratio, "x", 1.5, 1.3))
    without, *found = in_turn([("subjects:floeberg_replan", location) for _, location in pairs])
    assert all(times.count == files for times in found), found
    named = dict(zip(DELETES, found, strict=True))
    rows = [("no deletes", without), *((DELETES[kind], times) for kind, times in named.items())]
    compare(f"plan/{files} files/deletes, again/warm", rows)
    for kind, times in named.items():
        ratio = times.median / without.median
        results.goal(Goal(f"plan/{files} files/{kind}/again, of none again", ratio, "x", 3, 3))


def shuffled(results: Results, files: int, table: Path) -> None:
    """Files in an order without a pattern: every manifest has files of every day. No goal hangs on it."""
    mixed = planning_table(folder(), files, order="shuffled")
    subjects = ("subjects:floeberg_plan", "subjects:floeberg_plan_day")
    plain, mixed_plain, day, mixed_day = in_turn([(what, at) for what in subjects for at in (table, mixed)])
    compare(f"plan/{files} files/order/warm", [("sorted", plain), ("shuffled", mixed_plain)])
    compare(f"plan/{files} files/order, one day/warm", [("sorted", day), ("shuffled", mixed_day)])
    results.took("floeberg, shuffled", files, mixed_plain)


def against_peers(results: Results, files: int, table: Path) -> None:
    """PyIceberg and DuckDB, with their default threads. At a million files one run takes a minute and 7 GB."""
    runs = 0 if files >= LARGE else 1 if files >= LARGE // 10 else 5
    ours = warm("subjects:floeberg_plan", table)
    theirs = warm("subjects:pyiceberg_plan", table, runs=runs)
    assert ours.count == theirs.count == files, (ours, theirs)
    rows = [("floeberg", ours), ("PyIceberg", theirs)]
    results.took("PyIceberg", files, theirs)
    try:
        python = environment(folder(), DUCKDB)
        explained = warm("subjects:duckdb_plan", table, runs=runs, python=str(python))
        rows.append((f"DuckDB {DUCKDB['duckdb']}, explained", explained))
        results.took("DuckDB", files, explained)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"\nplan/against DuckDB: cannot be had here: {error}")
    compare(f"plan/{files} files/no filter/against peers", rows)


def against_java(results: Results, files: int, table: Path) -> None:
    """Iceberg Java in a JVM that is warm."""
    found = iceberg_java(folder())
    if isinstance(found, str):
        print(f"\nplan/against Iceberg Java: cannot be had here: {found}")
        return
    python, jar = found
    os.environ["ICEBERG_JAR"] = str(jar)
    ours = warm("subjects:floeberg_plan", table)
    theirs = warm("subjects:java_plan", table, python=str(python))
    assert ours.count == theirs.count == files, (ours, theirs)
    rows = [("floeberg", ours), (f"Iceberg Java {VERSION}", Times(theirs.seconds, theirs.count, None))]
    compare(f"plan/{files} files/no filter/against Iceberg Java", rows)
    results.took("Iceberg Java", files, theirs)


def linear(results: Results, sizes: list[int]) -> None:
    """What a file costs at each size, against the smallest."""
    seconds = results.seconds["floeberg, warm"]
    for files in sizes[1:]:
        grown = (seconds[files] / files) / (seconds[sizes[0]] / sizes[0])
        results.goal(Goal(f"plan/a file of {files} against one of {sizes[0]}", grown, "x", 1.15, 1.15))


def cores() -> int:
    """As many as this process may use, as Floeberg counts them."""
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 10,000, 100,000 and 1,000,000 files")
    parser.add_argument("--files", type=int, nargs="+", help="these sizes instead")
    parser.add_argument("--no-peers", action="store_true", help="without PyIceberg and DuckDB")
    parser.add_argument(
        "--java", action="store_true", help="also against Iceberg Java, which is downloaded once"
    )
    arguments = parser.parse_args()
    asked = arguments.files or [max(int(size * arguments.scale), DAYS) for size in SIZES]
    main(sorted(set(asked)), java=arguments.java, peers=not arguments.no_peers)
