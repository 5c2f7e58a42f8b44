"""Upserting 100,000 rows, half of them new, into 10 million; a merge with three clauses."""

from __future__ import annotations

from argparse import ArgumentParser

from goals import Goal
from measure import cold, compare, folder, in_turn
from upsert_rows import upsert_table

ROWS = 10_000_000


def main(scale: float, runs: int, *, peer: bool) -> None:
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
    for goal in goals:
        print(goal)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 10 million rows")
    parser.add_argument("--runs", type=int, default=3, help="of each")
    parser.add_argument(
        "--no-peer", dest="peer", action="store_false", help="without PyIceberg, which takes minutes"
    )
    main(**vars(parser.parse_args()))
