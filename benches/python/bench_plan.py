"""Planning 100,000 files: Floeberg against PyIceberg's `plan_files`, warm and cold."""

from __future__ import annotations

from argparse import ArgumentParser

from measure import cold, compare, folder, warm
from planning_table import planning_table

FILES = 100_000


def main(scale: float) -> None:
    """Make the table when it is not there, then measure."""
    files = int(FILES * scale)
    location = planning_table(folder() / f"plan-{files}", files)
    for name, measure in (("warm", warm), ("cold", cold)):
        for what, subject in (("no filter", "plan"), ("one day", "plan_day")):
            ours, theirs = (
                measure(f"subjects:{engine}_{subject}", location) for engine in ("floeberg", "pyiceberg")
            )
            assert ours.count == theirs.count, (ours, theirs)
            title = f"plan/{files} files/{what}/{name}: {ours.count} files planned"
            compare(title, [("floeberg", ours), ("pyiceberg", theirs)])


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 100,000 files")
    main(parser.parse_args().scale)
