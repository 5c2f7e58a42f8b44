"""The main job on a real table: a filtered scan with row-level deletes, and what planning did for it.

The table was written by Spark with Iceberg Java: it changed its partitioning three times, and every part of it has rows
that were deleted since.
"""

from __future__ import annotations

import inspect
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = "tests/conformance/iceberg/spark-iceberg/multi_spec_live/table"
LOCATION = str(ROOT / PLACE)


def job() -> None:
    """What a user writes."""
    import floeberg as fb

    table = fb.open_table(LOCATION, relocate={"/warehouse/spark/db/multi_spec_live": LOCATION})
    scan = table.scan(row_filter="cat = 'a' AND ts >= '2022-01-02T00:00:00Z'", selected_fields=("id", "ts"))
    print(scan.to_pandas().to_string(index=False), end="\n\n")
    print(scan.explain())


def main() -> None:
    """Show the code, then run it."""
    lines = inspect.getsource(job).splitlines()[2:]
    print(f"LOCATION = {PLACE!r}")
    print("\n".join(line.removeprefix("    ") for line in lines), end="\n\n")
    started = time.perf_counter()
    job()
    print(f"\nin {1000 * (time.perf_counter() - started):.0f} ms, imports included")


if __name__ == "__main__":
    main()
