"""Upserting 100,000 rows, half of them new, into 10 million; a merge with three clauses."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path

from goals import Goal
from iceberg_java import VERSION, iceberg_java
from measure import Times, cold, compare, folder, in_turn, warm
from upsert_rows import for_java, upsert_table

ROWS = 10_000_000


def main(scale: float, runs: int, *, peer: bool, java: bool) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    vectors, copies = upsert_table(folder(), rows, 3), upsert_table(folder(), rows, 2)
    goals = []

    names = ("scan", "upsert", "merge")
    scan, upsert, merge = in_turn([(f"upsert_rows:floeberg_{name}", vectors) for name in names], runs=runs)
    assert upsert.count == merge.count > 0, (upsert, merge)
    named = [("scan of the key", scan), ("upsert", upsert), ("merge of three clauses", merge)]
    compare(f"upsert/{rows} rows/1 %/merge-on-read/warm", named)
    goals.append(
        Goal("upsert/merge of three clauses/over the upsert", merge.median / upsert.median, "x", 1.3, 1.3)
    )

    ours = cold("upsert_rows:floeberg_upsert", vectors, runs=runs)
    goals.append(Goal("upsert/memory", ours.peak_mb or 0, "MB", 700, 700))
    if peer:
        theirs = cold("upsert_rows:pyiceberg_upsert", copies, runs=1)
        assert ours.count == theirs.count, (ours, theirs)
        compare(f"upsert/{rows} rows/1 %/cold", [("pyiceberg", theirs), ("floeberg", ours)])
        ratio = theirs.median / ours.median
        goals.append(Goal("upsert/pyiceberg over floeberg", ratio, "x", 50, 50, at_least=True))
    if java:
        goals += against_java(rows, vectors, upsert, runs)
    for goal in goals:
        print(goal)


def against_java(rows: int, place: Path, ours: Times, runs: int) -> list[Goal]:
    """Compare with Spark's MERGE in a session that did it before, on a table of its own with the same rows."""
    found = iceberg_java(folder())
    if isinstance(found, str):
        print(f"\nupsert/against Iceberg Java: cannot be had here: {found}")
        return []
    python, jar = found
    os.environ["ICEBERG_JAR"] = str(jar)
    for_java(place)
    theirs = warm("java_upserts:java_merge", place, runs=runs, python=str(python))
    assert theirs.count == ours.count, (theirs, ours)
    java = Times(theirs.seconds, theirs.count, None)
    compare(f"upsert/{rows} rows/1 %/warm", [("floeberg", ours), (f"Iceberg Java {VERSION}", java)])
    ratio = java.median / ours.median
    return [Goal("upsert/Spark's MERGE over floeberg", ratio, "x", 2, 2, at_least=True)]


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 10 million rows")
    parser.add_argument("--runs", type=int, default=3, help="of each")
    parser.add_argument(
        "--no-peer", dest="peer", action="store_false", help="without PyIceberg, which takes minutes"
    )
    parser.add_argument(
        "--java", action="store_true", help="also against Iceberg Java, which is downloaded once"
    )
    main(**vars(parser.parse_args()))
