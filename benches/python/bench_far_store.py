"""Tables in a store that is far away: each answer of it takes 0 to 100 milliseconds, and each request counts.

Read are 200 files of 20,000 rows, one of these files, and three columns of 20 files of 100 MB; a thousand rows are
upserted. Beside Polars and DuckDB, which read the same files without a table, and PyIceberg.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from far_store_subjects import BUCKET, Store
from goals import Goal
from measure import folder
from peer_environment import environment

FILES = 200
ROWS = 20_000
LARGE_FILES = 20
LARGE_ROWS = 1_250_000
LARGE_COLUMNS = 10
DELAYS = (0, 10, 30, 100)
MEANT = 30
"""The delay for which most goals are."""
DUCKDB = {"duckdb": "1.5.5", "duckdb-extension-httpfs": "1.5.5"}
SERVER = Path(__file__).parents[2] / "tests" / "far_store.py"
SECONDS = 20
"""A server that does not answer by then has failed."""


@dataclass(frozen=True)
class Runs:
    """What some runs of a subject took and asked for."""

    runs: list[dict[str, Any]]

    def median(self, name: str) -> float:
        """The middle one of a number."""
        return float(median(each[name] for each in self.runs))

    @property
    def rows(self) -> int:
        """What each run found."""
        (rows,) = {each["rows"] for each in self.runs}
        return int(rows)

    def __str__(self) -> str:
        """One line."""
        took = [each["seconds"] for each in self.runs]
        clock = f"{median(took):6.3f} s ({min(took):.3f}-{max(took):.3f})"
        asked = f"{self.median('requests'):5.0f} requests {self.median('rounds'):4.0f} rounds"
        at_once = f"{self.median('most_at_once'):3.0f} at once"
        read = f"{self.median('bytes_out') / 1e6:7.1f} MB"
        return f"{clock:<26} processor {self.median('processor'):6.3f} s  {asked} {at_once} {read}"


@contextmanager
def served(place: Path) -> Iterator[str]:
    """The store of a folder, in a process of its own; its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen([sys.executable, SERVER, place, str(port), "0"])
    try:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                delay(url, 0)
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait()


def delay(url: str, milliseconds: float) -> None:
    """How late each answer is from now on."""
    request = urllib.request.Request(f"{url}/_delay?milliseconds={milliseconds}", method="PUT")
    urllib.request.urlopen(request).close()


def made(place: Path, url: str, files: int, large_files: int) -> Store:
    """The tables, made where they are not there, through the store itself."""
    facts = place / "tables.json"
    store = Store(url, str(place), "", "", files * ROWS)
    if facts.exists():
        return Store(**(asdict(store) | json.loads(facts.read_text())))
    import floeberg as fb

    catalog = fb.load_catalog("bench", type="sql", **store.properties)
    catalog.create_namespace("db")
    locations = {"many": _many(catalog, "many", files)}
    _many(catalog, "keys", files)
    if large_files:
        locations["large"] = _large(catalog, large_files)
    # Last, so that tables that were begun are made again.
    facts.write_text(json.dumps(locations))
    return Store(**(asdict(store) | locations))


def _many(catalog: Any, name: str, files: int) -> str:
    import numpy as np
    import pyarrow as pa

    schema = pa.schema({"id": pa.int64(), "part": pa.int32(), "v": pa.float64(), "s": pa.string()})
    table = catalog.create_table(f"db.{name}", schema, properties={"write.merge.mode": "merge-on-read"})
    random = np.random.default_rng(0)
    for number in range(files):
        ids = np.arange(number * ROWS, (number + 1) * ROWS)
        texts = pa.array([f"s{each % 1000}" for each in ids])
        columns = [ids, np.full(ROWS, number, np.int32), random.random(ROWS), texts]
        table.append(pa.table(columns, schema=schema))
    return str(table.metadata_location)


def _large(catalog: Any, files: int) -> str:
    import numpy as np
    import pyarrow as pa

    schema = pa.schema({f"c{each}": pa.float64() for each in range(LARGE_COLUMNS)})
    properties = {"write.parquet.compression-codec": "uncompressed", "write.parquet.dict-size-bytes": "1"}
    table = catalog.create_table("db.large", schema, properties=properties)
    random = np.random.default_rng(1)
    for _ in range(files):
        columns = [random.random(LARGE_ROWS) for _ in schema]
        table.append(pa.table(columns, schema=schema))
    return str(table.metadata_location)


class Bench:
    """Subjects, and the store that they are measured against."""

    def __init__(self, store: Store, runs: int) -> None:
        self.store = store
        self.runs = runs
        self.goals: list[Goal] = []
        self._facts = Path(store.folder, "store.json")
        self._facts.write_text(json.dumps(asdict(store)))
        self.duckdb = self._duckdb()

    def _duckdb(self) -> str | None:
        try:
            return str(environment(folder(), DUCKDB))
        except subprocess.CalledProcessError as error:
            print(f"far/against DuckDB: its extension httpfs cannot be had here: {error}")
            return None

    def compare(
        self, title: str, milliseconds: float, names: list[str], runs: int | None = None
    ) -> list[Runs]:
        """Run subjects in turn, those of DuckDB in its own environment, and print them."""
        delay(self.store.url, milliseconds)
        ours = [name for name in names if not name.startswith("duckdb")]
        theirs = [name for name in names if name.startswith("duckdb") and self.duckdb]
        found = dict(zip(ours, self._in_turn(sys.executable, ours, runs), strict=True))
        if theirs:
            found |= zip(theirs, self._in_turn(str(self.duckdb), theirs, runs), strict=True)
        delay(self.store.url, 0)
        print(f"\n{title}/{milliseconds:g} ms")
        for name, each in found.items():
            print(f"  {name:<26} {each!s}")
        assert len({each.rows for each in found.values()}) == 1, {
            name: each.rows for name, each in found.items()
        }
        return [found[name] for name in ours]

    def _in_turn(self, python: str, names: list[str], runs: int | None) -> list[Runs]:
        command = [
            python,
            "far_store_subjects.py",
            str(self.runs if runs is None else runs),
            str(self._facts),
            *names,
        ]
        output = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
        ).stdout
        return [Runs(each) for each in json.loads(output.splitlines()[-1])]

    def goal(self, name: str, measured: float, unit: str, bound: float) -> None:
        """At most so much."""
        self.goals.append(Goal(name, measured, unit, bound, bound))

    def many_files(self, *, peer: bool) -> None:
        """All rows, and those of one file."""
        for each in DELAYS:
            names = ["floeberg_rows", "polars_rows", "duckdb_rows"]
            ours, polars = self.compare("far/all rows of many files", each, names)
            if each == MEANT:
                ratio = ours.median("seconds") / polars.median("seconds")
                self.goal(f"far/all rows of many files/{each} ms/over Polars", ratio, "x", 0.8)
                self.goal(f"far/all rows of many files/{each} ms/requests", ours.median("requests"), "", 210)
            if each == 100:
                self.goal(f"far/all rows of many files/{each} ms", ours.median("seconds"), "s", 2.5)
        if peer:
            self.compare("far/all rows of many files, PyIceberg", MEANT, ["pyiceberg_rows"], runs=1)
        names = [
            "floeberg_part",
            "floeberg_part_by_catalog",
            "polars_part",
            *(["pyiceberg_part"] if peer else []),
        ]
        by_path, by_catalog, *_ = self.compare("far/one of many files", MEANT, names)
        self.goal("far/one of many files/from its path/rounds", by_path.median("rounds"), "", 6)
        self.goal("far/one of many files/from a catalog/rounds", by_catalog.median("rounds"), "", 4)

    def large_files(self, *, peer: bool) -> None:
        """Three columns."""
        for each in (0, MEANT):
            names = [
                "floeberg_large",
                "polars_large",
                "duckdb_large",
                *(["pyiceberg_large"] if peer and each else []),
            ]
            ours, polars, *_ = self.compare("far/three columns of large files", each, names)
            if each:
                ratio = ours.median("seconds") / polars.median("seconds")
                self.goal(f"far/three columns of large files/{each} ms/over Polars", ratio, "x", 1.1)

    def upsert(self) -> None:
        """A thousand rows."""
        (ours,) = self.compare("far/upsert of 1,000 rows", MEANT, ["floeberg_upsert"])
        # It takes a minute, and nothing of it is kept for the next time.
        (theirs,) = self.compare("far/upsert of 1,000 rows", MEANT, ["pyiceberg_upsert"], runs=0)
        assert ours.rows == theirs.rows
        ratio = ours.median("seconds") / theirs.median("seconds")
        self.goal(f"far/upsert of 1,000 rows/{MEANT} ms/over PyIceberg", ratio, "x", 1 / 3)

    def appends(self, appends: int, writers: int = 4) -> None:
        """Small appends by writers that race."""
        delay(self.store.url, MEANT)
        print(f"\nfar/{appends} appends by {writers} writers/{MEANT} ms")
        seconds = {}
        for library in ("floeberg", "pyiceberg"):
            table = f"db.a{uuid.uuid4().hex}"
            command = [
                sys.executable,
                "far_store_appends.py",
                str(self._facts),
                library,
                table,
                str(writers),
                str(appends),
            ]
            output = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
            ).stdout
            facts = json.loads(output.splitlines()[-1])
            seconds[library] = facts["seconds"]
            print(f"  {library:<26} {facts['seconds']:6.2f} s   {facts['requests']} requests")
        delay(self.store.url, 0)
        ratio = seconds["floeberg"] / seconds["pyiceberg"]
        self.goal(f"far/{appends} appends by {writers} writers/over PyIceberg", ratio, "x", 1 / 3)


def main(scale: float, runs: int, appends: int, *, peer: bool, large: bool) -> None:
    """Make the tables when they are not there, then measure."""
    files = max(int(FILES * scale), 10)
    large_files = max(int(LARGE_FILES * scale), 1) if large else 0
    place = folder() / f"far-{files}-{large_files}"
    if not (place / "tables.json").exists():
        shutil.rmtree(place, ignore_errors=True)
        (place / BUCKET).mkdir(parents=True)
    with served(place) as url:
        bench = Bench(made(place, url, files, large_files), runs)
        bench.many_files(peer=peer)
        if large_files:
            bench.large_files(peer=peer)
        if peer:
            bench.upsert()
        if appends:
            bench.appends(appends)
    print()
    for goal in bench.goals:
        print(goal)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scale", type=float, default=1, help="of 200 files of 20,000 rows, and of 20 of 100 MB"
    )
    parser.add_argument("--runs", type=int, default=3, help="of each")
    parser.add_argument(
        "--no-peer", dest="peer", action="store_false", help="without PyIceberg, which takes minutes"
    )
    parser.add_argument(
        "--no-large", dest="large", action="store_false", help="without the large files: 2 GB"
    )
    parser.add_argument("--appends", type=int, default=0, help="small appends by four writers, such as 100")
    main(**vars(parser.parse_args()))
