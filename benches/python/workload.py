"""A piece of work, done some times in one process; `workload_counts.py` counts its instructions.

workload.py plan 3     # three times
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# Instructions of one thread are the same every time.
os.environ["FLOEBERG_THREADS"] = "1"
sys.path[:0] = [str(Path(__file__).parents[2] / "tools")]

import pyarrow as pa  # noqa: E402

import floeberg as fb  # noqa: E402

ROWS = 10_000
MANIFESTS = 100
FOLDER = Path(os.environ.get("FLOEBERG_BENCH_DIR", Path.home() / ".cache" / "floeberg" / "bench"))
Work = Callable[[], object]


@contextmanager
def plan() -> Iterator[Work]:
    """Planning 10,000 files, a tenth of which have a deletion vector."""
    from programs import planning_table

    options = {"format-version": "3", "deletes": "vectors"}
    place = planning_table(FOLDER, 10_000, **options)
    yield lambda: fb.open_table(place, manifest_cache=0).scan(row_filter="id > 5000").plan_files().to_arrow()


@contextmanager
def scan() -> Iterator[Work]:
    """Scanning a file of 100,000 rows of which a vector deletes every twentieth."""
    from scan_tables import scan_table

    place = scan_table(FOLDER, "vectors", 100_000)
    yield lambda: fb.open_table(place).scan().to_arrow()


@contextmanager
def append() -> Iterator[Work]:
    """Appending 10,000 rows, in memory."""
    table = new_table("append", {})
    rows = some_rows(ROWS)
    yield lambda: table.append(rows)


@contextmanager
def commit() -> Iterator[Work]:
    """Appending one row to a table of a hundred manifests, in memory, and deleting a file of it."""
    table = new_table("commit", {"commit.manifest-merge.enabled": "false"})
    for number in range(MANIFESTS):
        table.append(some_rows(1, number))
    done = iter(range(MANIFESTS))

    def work() -> None:
        table.append(some_rows(1, ROWS))
        table.delete(f"id = {next(done)}")

    yield work


def new_table(name: str, properties: dict[str, str]) -> fb.Table:
    """An empty table in memory, partitioned by bucket."""
    catalog = fb.load_catalog(f"workload {name}", type="memory")
    catalog.create_namespace("db")
    return catalog.create_table(
        "db.t", some_rows(1).schema, partition_spec=["bucket(4, id)"], properties=properties
    )


def some_rows(count: int, begin: int = 0) -> pa.Table:
    """Rows that are the same every time."""
    numbers = range(begin, begin + count)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "name": [f"name {number % 97}" for number in numbers],
            "amount": [number / 7 for number in numbers],
        }
    )


WORKLOADS = {"plan": plan, "scan": scan, "append": append, "commit": commit}

if __name__ == "__main__":
    # It would run when it has counted enough objects, wherever that is.
    gc.disable()
    with WORKLOADS[sys.argv[1]]() as work:
        for _ in range(int(sys.argv[2])):
            work()
