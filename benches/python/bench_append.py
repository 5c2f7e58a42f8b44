"""Appending 10 million rows in 16 buckets, files on the disk: Floeberg against PyIceberg, each in fresh processes.

And the same rows as ORC: an append of Floeberg against pyarrow's writer of ORC files.
"""

from __future__ import annotations

from argparse import ArgumentParser

from append_rows import source
from goals import Goal
from measure import cold, compare, folder

ROWS = 10_000_000
FLOEBERG = "append_rows:floeberg_append"
PYICEBERG = "append_rows:pyiceberg_append"
FLOEBERG_ORC = "append_rows:floeberg_orc"
PYARROW_ORC = "append_rows:pyarrow_orc"


def main(scale: float, runs: int) -> None:
    """Make the rows when they are not there, then measure."""
    rows = int(ROWS * scale)
    location = source(folder(), rows)
    # Making the table costs both the same, and is measured with it.
    ours, theirs = cold(FLOEBERG, location, runs=runs), cold(PYICEBERG, location, runs=runs)
    assert ours.count == theirs.count == rows, (ours, theirs)
    compare(f"append/{rows} rows/16 buckets/cold", [("pyiceberg", theirs), ("floeberg, streamed", ours)])
    memory = (ours.peak_mb or 0) / (theirs.peak_mb or 1)
    for goal in (
        Goal(
            "append/buckets/pyiceberg over floeberg",
            theirs.median / ours.median,
            "x",
            1.4,
            1.4,
            at_least=True,
        ),
        Goal("append/buckets/memory of floeberg over pyiceberg", memory, "x", 1 / 3, 1 / 3),
    ):
        print(goal)
    ours, theirs = cold(FLOEBERG_ORC, location, runs=runs), cold(PYARROW_ORC, location, runs=runs)
    assert ours.count == theirs.count == rows, (ours, theirs)
    compare(f"append/{rows} rows/orc/cold", [("pyarrow.orc", theirs), ("floeberg, streamed", ours)])
    print(Goal("append/orc/floeberg over pyarrow.orc", ours.median / theirs.median, "x", 1.5, 1.5))


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 10 million rows")
    parser.add_argument("--runs", type=int, default=5, help="fresh processes of each")
    main(**vars(parser.parse_args()))
