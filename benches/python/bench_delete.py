"""Deleting 5 % scattered rows of 20 million, by vectors and by copies; a key of many files; writing a million keys."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path

from delete_rows import KEYS, delete_table, many_table
from goals import Goal
from iceberg_java import VERSION, iceberg_java
from measure import Times, cold, compare, folder, in_turn, warm

ROWS = 20_000_000
MANY = 1_000_000


def main(scale: float, runs: int, *, java: bool) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    vectors, copies = delete_table(folder(), rows, 3), delete_table(folder(), rows, 2)
    goals = []

    scan, delete = in_turn(
        [(f"delete_rows:floeberg_{name}", vectors) for name in ("scan", "delete")], runs=runs
    )
    assert scan.count == delete.count > 0, (scan, delete)
    compare(f"delete/{rows} rows/5 %/merge-on-read/warm", [("scan of the column", scan), ("delete", delete)])
    goals.append(Goal("delete/vectors/over the scan", delete.median / scan.median, "x", 1.3, 1.3))

    plain, copy = in_turn(
        [(f"delete_rows:floeberg_{name}", copies) for name in ("read_and_write", "copy")], runs=runs
    )
    assert plain.count == copy.count == scan.count, (plain, copy)
    compare(f"delete/{rows} rows/5 %/copy-on-write/warm", [("read and write", plain), ("delete", copy)])
    goals.append(Goal("delete/copies/over reading and writing", copy.median / plain.median, "x", 1.2, 1.2))

    ours, theirs = (
        cold(f"delete_rows:{name}", copies, runs=runs) for name in ("floeberg_copy", "pyiceberg_copy")
    )
    by_vectors = cold("delete_rows:floeberg_delete", vectors, runs=runs)
    assert ours.count == theirs.count == by_vectors.count, (ours, theirs)
    named = [("pyiceberg, copies", theirs), ("floeberg, copies", ours), ("floeberg, vectors", by_vectors)]
    compare(f"delete/{rows} rows/5 %/cold", named)
    ratio = theirs.median / by_vectors.median
    goals.append(Goal("delete/pyiceberg over floeberg's vectors", ratio, "x", 10, 10, at_least=True))
    for name, times in (("vectors", by_vectors), ("copies", ours)):
        goals.append(Goal(f"delete/memory/{name}", times.peak_mb or 0, "MB", 700, 700))

    keys, parquet = in_turn(
        [(f"delete_rows:{name}_keys", copies) for name in ("floeberg", "pyarrow")], runs=runs
    )
    compare(f"delete/{KEYS} keys/warm", [("plain Parquet", parquet), ("equality deletes", keys)])
    goals.append(Goal("delete/keys/over plain Parquet", keys.median / parquet.median, "x", 2, 2))
    files = max(1000, int(MANY * scale))
    many = many_table(folder(), files)
    plan, key = in_turn(
        [(f"delete_rows:floeberg_{name}_key", many) for name in ("plan", "delete")], runs=runs
    )
    assert plan.count == key.count == 1, (plan, key)
    compare(f"delete/a key of {files} files/warm", [("planning", plan), ("delete", key)])
    goals.append(Goal("delete/a key of many files/over planning", key.median / plan.median, "x", 1.5, 1.5))
    if java:
        against_java(rows, {"vectors": (vectors, delete), "copies": (copies, copy)}, runs)
    for goal in goals:
        print(goal)


def against_java(rows: int, tables: dict[str, tuple[Path, Times]], runs: int) -> None:
    """Compare with Iceberg Java in a session that did the work before, on tables of its own with the same rows."""
    found = iceberg_java(folder())
    if isinstance(found, str):
        print(f"\ndelete/against Iceberg Java: cannot be had here: {found}")
        return
    python, jar = found
    os.environ["ICEBERG_JAR"] = str(jar)
    for name, (place, ours) in tables.items():
        subject = "java_deletes:java_" + {"vectors": "delete", "copies": "copy"}[name]
        theirs = warm(subject, place, runs=runs, python=str(python))
        assert theirs.count == ours.count, (theirs, ours)
        java = Times(theirs.seconds, theirs.count, None)
        compare(f"delete/{rows} rows/5 %/{name}", [("floeberg", ours), (f"Iceberg Java {VERSION}", java)])


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 20 million rows")
    parser.add_argument("--runs", type=int, default=5, help="of each")
    parser.add_argument(
        "--java", action="store_true", help="also against Iceberg Java, which is downloaded once"
    )
    main(**vars(parser.parse_args()))
