"""Scanning 20 million rows of 12 columns: Floeberg against `pyarrow.dataset` on the same files, warm and cold."""

from __future__ import annotations

from argparse import ArgumentParser

from measure import alternating, cold, compare, folder, warm
from scan_tables import LARGER, VARIANTS, scan_table

ROWS = 20_000_000


def main(scale: float) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    tables = {variant: scan_table(folder(), variant, rows) for variant in VARIANTS}
    for what in ("scan", "scan_two_columns"):
        for name, measure in (("warm", warm), ("cold", cold)):
            theirs = measure(f"subjects:pyarrow_{what}", tables["plain"])
            ours = measure(f"subjects:floeberg_{what}", tables["plain"])
            assert ours.count == theirs.count == rows // 40 * 40, (ours, theirs)
            pairs = [("pyarrow.dataset, no deletes", theirs), ("floeberg, no deletes", ours)]
            compare(f"{what}/{rows} rows/against pyarrow/{name}", pairs)
        plain, positions, vectors = alternating(
            f"subjects:floeberg_{what}", [tables[variant] for variant in VARIANTS[:3]]
        )
        assert positions.count == vectors.count < plain.count
        named = [("no deletes", plain), ("5 % by position", positions), ("5 % by vector", vectors)]
        compare(f"{what}/{rows} rows/deletes/warm", named)
    small, large = (cold("subjects:floeberg_scan", tables[variant]) for variant in ("plain", "large"))
    compare(f"scan/memory of {LARGER} times as many rows", [(f"{rows}", small), (f"{rows * LARGER}", large)])


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 20 million rows")
    main(parser.parse_args().scale)
