"""Scanning 20 million rows of 12 columns with equality deletes: the same scan without them, in turn in one process."""

from __future__ import annotations

from argparse import ArgumentParser

from equality_tables import KEYS, equality_table
from measure import Times, alternating, compare, folder
from scan_tables import scan_table

ROWS = 20_000_000
SCAN = "subjects:floeberg_scan"


def main(scale: float) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    plain = scan_table(folder(), "plain", rows)
    tables = {variant: equality_table(folder(), variant, rows) for variant in KEYS}

    without, some = alternating(SCAN, [plain, tables["hundred-thousand"]])
    assert 0 < without.count - some.count <= KEYS["hundred-thousand"], (without, some)
    named = [("no deletes", without), ("100,000 keys", some)]
    compare(f"scan/{rows} rows/equality deletes/warm", named)

    # On one thread the time is that of a core.
    without, longs, strings = alternating(SCAN, [plain, tables["million"], tables["strings"]], threads=1)
    assert 0 < without.count - longs.count <= KEYS["million"], (without, longs)
    assert 0 < without.count - strings.count < without.count // 50, (without, strings)
    named = [("no deletes", without), ("1,000,000 longs", longs), ("1,000,000 strings", strings)]
    compare(f"scan/{rows} rows/equality deletes/one thread", named)
    for name, times in named[1:]:
        print(f"  {name:<44} {per_row(times, without):.1f} ns a row")


def per_row(times: Times, without: Times) -> float:
    """What deletes add to the time of a row, in nanoseconds."""
    return (times.median - without.median) * 1e9 / without.count


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 20 million rows")
    main(parser.parse_args().scale)
