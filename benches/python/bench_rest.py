"""Clients of Iceberg's own REST server: small appends, a table of many snapshots, and a long list of tables.

Against PyIceberg, by the processor time of the client. The metadata of the long table is written here and registered;
the tables of the list are rows of the server's database.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from statistics import median

from goals import Goal
from measure import folder
from rest.server import RestServer

import floeberg as fb

APPENDS, SNAPSHOTS, TABLES = 1_000, 10_000, 10_000


def main(scale: float, runs: int) -> None:
    """Start the server, and measure both."""
    appends, snapshots, tables = (max(int(each * scale), 20) for each in (APPENDS, SNAPSHOTS, TABLES))
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder()) as place:
        server = RestServer(Path(place))
        try:
            prepare(server.url, Path(place), snapshots, tables)
            compare(server.url, f"{appends} appends", "append", appends, 1, appends, 5)
            compare(server.url, f"a table of {snapshots} snapshots", "load", 1, runs, snapshots, 5)
            compare(server.url, f"a list of {tables} tables", "list", 1, runs, tables, 1)
        finally:
            server.stop()


def prepare(uri: str, place: Path, snapshots: int, tables: int) -> None:
    """A table of many snapshots, and a namespace of many tables."""
    import pyarrow as pa

    catalog = fb.load_catalog("bench", type="rest", uri=uri)
    for name in ("bench", "many"):
        catalog.create_namespace(name)
    model = catalog.create_table("bench.model", pa.schema({"id": pa.int64()}))
    model.append(pa.table({"id": [1]}))
    metadata = json.loads(model._inner.metadata_json())  # noqa: SLF001 - as a catalog writes it
    (one,) = metadata["snapshots"]
    first, began = one["snapshot-id"], one["timestamp-ms"]
    all_of_them = []
    for number in range(snapshots):
        parent = {} if number == 0 else {"parent-snapshot-id": first + number - 1}
        made = {"snapshot-id": first + number, "sequence-number": number + 1, "timestamp-ms": began + number}
        all_of_them.append(one | made | parent)
    last = all_of_them[-1]["snapshot-id"]
    log = [{"snapshot-id": each["snapshot-id"], "timestamp-ms": each["timestamp-ms"]} for each in all_of_them]
    metadata |= {
        "snapshots": all_of_them,
        "snapshot-log": log,
        "current-snapshot-id": last,
        "last-sequence-number": snapshots,
        "last-updated-ms": began + snapshots,
        "refs": {"main": {"type": "branch", "snapshot-id": last}},
    }
    file = place / "long.metadata.json"
    file.write_text(json.dumps(metadata), encoding="utf-8")
    catalog.register_table("bench.long", file.as_uri())
    with sqlite3.connect(place / "catalog.db") as database:
        (row,) = database.execute("SELECT * FROM iceberg_tables WHERE table_name = 'model'").fetchall()
        names = [each[1] for each in database.execute("PRAGMA table_info(iceberg_tables)")]
        at, of = names.index("table_name"), names.index("table_namespace")
        rows = []
        for number in range(tables):
            values = list(row)
            values[at], values[of] = f"t{number}", "many"
            rows.append(values)
        marks = ", ".join("?" for _ in names)
        database.executemany(f"INSERT INTO iceberg_tables VALUES ({marks})", rows)


def run(library: str, uri: str, work: str, times: int) -> tuple[float, float, int]:
    """Seconds of the processor, seconds in all, and what was counted, in a process of its own."""
    command = [sys.executable, "rest_subjects.py", library, uri, work, str(times)]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
    ).stdout
    processor, clock, count = json.loads(done.splitlines()[-1])
    return processor, clock, count


def compare(uri: str, title: str, work: str, times: int, runs: int, count: int, bound: float) -> None:  # noqa: PLR0913, PLR0917
    """Run both in turn, and print the goal."""
    found: dict[str, list[tuple[float, float, int]]] = {"floeberg": [], "pyiceberg": []}
    for _ in range(runs):
        for library, each in found.items():
            each.append(run(library, uri, work, times))
    print(f"\nrest/{title}")
    for library, each in found.items():
        assert all(counted == count for _, _, counted in each), (library, each)
        processor, clock = (median(one[at] for one in each) for at in (0, 1))
        print(f"  {library:<12} {processor * 1000:9.1f} ms of the processor   {clock * 1000:9.1f} ms in all")
    ours, theirs = (median(one[0] for one in each) for each in found.values())
    print(Goal(f"rest/{work}/against PyIceberg", theirs / ours, "x", bound, bound, at_least=True))


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of appends, snapshots and tables")
    parser.add_argument("--runs", type=int, default=5, help="of what is read")
    given = parser.parse_args()
    main(given.scale, given.runs)
