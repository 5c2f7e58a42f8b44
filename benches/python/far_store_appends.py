"""Small appends by some writers at a time, to one table of a store that is far away.

    far_store_appends.py STORE floeberg|pyiceberg TABLE WRITERS APPENDS

prints the seconds that all took, as JSON. Each writer is a process; who loses a race tries again.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from far_store_subjects import Store

SETTINGS = {
    "commit.retry.num-retries": "1000",
    "commit.retry.min-wait-ms": "10",
    "commit.retry.max-wait-ms": "200",
    "commit.retry.total-timeout-ms": "3600000",
}


def catalog(store: Store, library: str) -> Any:
    """The catalog of a library."""
    if library == "floeberg":
        import floeberg as fb

        return fb.load_catalog("bench", type="sql", **store.properties)
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog("bench", **store.properties)


def write(store: Store, library: str, name: str, appends: int) -> None:
    """Append so often, a row each."""
    import pyarrow as pa

    lost: tuple[type[Exception], ...] = ()
    if library == "pyiceberg":
        from pyiceberg.exceptions import CommitFailedException

        lost = (CommitFailedException,)
        # It says whenever it tries again.
        logging.getLogger("pyiceberg").setLevel(logging.ERROR)
    table = catalog(store, library).load_table(name)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in range(appends):
        row = pa.table({"id": pa.array([number], pa.int64())})
        while True:
            try:
                table.append(row)
                break
            except lost:
                table = table.refresh()


def main(place: str, library: str, name: str, writers: int, appends: int) -> None:
    """Start the writers together, and wait for all."""
    import pyarrow as pa

    store = Store(**json.loads(Path(place).read_text()))
    made = catalog(store, library)
    made.create_table(name, pa.schema({"id": pa.int64()}), properties=SETTINGS)
    command = [sys.executable, __file__, place, library, name, str(appends // writers)]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(writers)
    ]
    for each in children:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    began = time.perf_counter()
    for each in children:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    assert [each.wait() for each in children] == [0] * writers
    seconds = time.perf_counter() - began
    snapshots = len(list(made.load_table(name).snapshots()))
    assert snapshots == appends // writers * writers, snapshots
    print(json.dumps({"seconds": seconds, **store.count()}))


if __name__ == "__main__":
    place, library, name, *numbers = sys.argv[1:]
    if len(numbers) == 1:
        write(Store(**json.loads(Path(place).read_text())), library, name, int(numbers[0]))
    else:
        main(place, library, name, *map(int, numbers))
