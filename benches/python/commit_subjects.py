"""A thousand small appends, each a commit of its own, timed one by one in a process of its own.

    commit_subjects.py floeberg|pyiceberg FOLDER COMMITS

prints the seconds of each commit and how many snapshots and manifests the table has then, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string()), ("amount", pa.float64())])
ROWS = 10


def floeberg_table(folder: Path) -> Any:
    """A table of ours."""
    import floeberg as fb

    catalog = fb.load_catalog(
        "bench", type="sql", uri=f"sqlite:///{folder}/catalog.db", warehouse=str(folder)
    )
    catalog.create_namespace("ns")
    return catalog.create_table("ns.t", SCHEMA)


def pyiceberg_table(folder: Path) -> Any:
    """A table of PyIceberg's."""
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("ns")
    return catalog.create_table("ns.t", SCHEMA)


TABLES = {"floeberg": floeberg_table, "pyiceberg": pyiceberg_table}


def main(library: str, folder: Path, commits: int) -> None:
    """Append so often."""
    table = TABLES[library](folder)
    seconds = []
    for number in range(commits):
        first = number * ROWS
        ids = list(range(first, first + ROWS))
        rows = pa.table([ids, [f"row {each}" for each in ids], [each / 7 for each in ids]], schema=SCHEMA)
        started = time.perf_counter()
        table.append(rows)
        seconds.append(time.perf_counter() - started)
    manifests = table.inspect.manifests().num_rows
    print(json.dumps({"seconds": seconds, "snapshots": len(table.snapshots()), "manifests": manifests}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
