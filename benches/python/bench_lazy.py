"""DuckDB and polars over tables of ours, beside their own Parquet readers on the same files, in one run.

    bench_lazy.py --data FOLDER [--scale 0.3] [--duckdb PYTHON] [--rows 20000000]

The 22 queries of TPC-H, whose answers are held against DuckDB's, and one row of many by its id: a table of one file,
and one of 20. `bench_tpch.py` says where the data come from. Ways alternate within a query.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
from bench_tpch import GENERATE, agree, floeberg_tables
from tpch_polars import QUERIES

RUNS = 3
LOOKUPS = 15
PARTS = 20


def main(folder: Path, scale: float, python: str, rows: int) -> None:
    """Make the data where it is not there, then measure."""
    place = folder / f"tpch-{scale:g}"
    if not (place / "queries.json").exists():
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, "-c", GENERATE, str(place), str(scale)], check=True)
    facts = json.loads((place / "queries.json").read_text())
    tables = floeberg_tables(place, facts["tables"])
    paths = {name: paths_of(table) for name, table in tables.items()}
    texts = dict(facts["queries"])
    in_duckdb(texts, facts["answers"], tables, paths)
    in_polars(facts["answers"], tables, paths)
    for name, table in id_tables(folder, rows).items():
        one_row(f"{rows:,} rows, {name}", table, rows // 2 + 5)


def paths_of(table: Any) -> list[str]:
    """The data files of a table on this machine."""
    return [task.file.location.removeprefix("file://") for task in table.scan().plan_files()]


def in_duckdb(
    texts: dict[int, str], answers: dict[str, Any], tables: dict[str, Any], paths: dict[str, list[str]]
) -> None:
    """The queries in DuckDB."""
    connections = {way: duckdb.connect() for way in ("own", "floeberg", "arrow")}
    for name, table in tables.items():
        connections["own"].execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({paths[name]!r})")
        table.scan().to_duckdb(name, connections["floeberg"])
        table.scan().to_duckdb(name, connections["arrow"], reader="arrow")
    compare(
        "DuckDB",
        {
            number: {
                way: (lambda text=text, way=way: connections[way].execute(text).fetchall())
                for way in connections
            }
            for number, text in texts.items()
        },
        answers,
    )


def in_polars(answers: dict[str, Any], tables: dict[str, Any], paths: dict[str, list[str]]) -> None:
    """The queries in polars."""
    from floeberg.scan.polars_frames import plugin_frame, types_of

    frames = {
        "own": {name: pl.scan_parquet(paths[name]) for name in tables},
        "floeberg": {name: table.scan().to_polars_lazy() for name, table in tables.items()},
        "arrow": {name: plugin_frame(table.scan(), types_of(table.scan())) for name, table in tables.items()},
    }
    compare(
        "polars",
        {
            number: {
                way: (lambda query=query, given=given: query(given).collect().rows())
                for way, given in frames.items()
            }
            for number, query in QUERIES.items()
        },
        answers,
    )


def compare(
    engine: str, queries: dict[int, dict[str, Callable[[], list[Any]]]], answers: dict[str, Any]
) -> None:
    """Run the ways of each query in turn."""
    print(
        f"\n{engine}, the 22 queries: milliseconds; the ratios to its own reader, by the clock and by processor time"
    )
    ratios: dict[str, list[tuple[float, float]]] = {}
    for number, ways in queries.items():
        times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for turn in range(RUNS + 1):
            for way, run in ways.items():
                began, busy = time.perf_counter(), time.process_time()
                rows = run()
                taken = time.perf_counter() - began, time.process_time() - busy
                if turn:
                    times[way].append(taken)
                else:
                    agree(f"q{number} {way}", rows, answers[str(number)])
        own = middle(times["own"])
        line = f"{number:>5} {own[0] * 1000:>8.0f}"
        for way in list(ways)[1:]:
            found = middle(times[way])
            both = found[0] / own[0], found[1] / own[1]
            ratios.setdefault(way, []).append(both)
            line += f"   {way} {found[0] * 1000:>6.0f} {both[0]:>6.2f} {both[1]:>6.2f}"
        print(line, flush=True)
    for way, known in ratios.items():
        clock, processor = (geometric_mean(each[place] for each in known) for place in (0, 1))
        print(f"geometric mean, {way}: {clock:.2f} by the clock, {processor:.2f} by processor time")


def middle(times: list[tuple[float, float]]) -> tuple[float, float]:
    """The medians of the clock and of processor time."""
    return median(each[0] for each in times), median(each[1] for each in times)


def id_tables(folder: Path, rows: int) -> dict[str, Any]:
    """Tables of so many rows, in one file and in 20."""
    import floeberg as fb

    catalog = fb.load_catalog("ids", type="filesystem", warehouse=str(folder / f"ids-{rows}"))
    if ("n",) not in catalog.list_namespaces():
        catalog.create_namespace("n")
    schema = next(id_rows(rows)).schema
    for name in ("one_file", "many_files"):
        if catalog.table_exists(f"n.{name}"):
            continue
        table = catalog.create_table(f"n.{name}", schema)
        if name == "one_file":
            batches = (batch for part in id_rows(rows) for batch in part.to_batches())
            table.append(pa.RecordBatchReader.from_batches(schema, batches))
        else:
            for part in id_rows(rows):
                table.append(part)
    return {name: catalog.load_table(f"n.{name}") for name in ("one_file", "many_files")}


def id_rows(rows: int) -> Iterator[pa.Table]:
    """The rows in order of their ids, a twentieth at a time."""
    import numpy as np

    random, size = np.random.default_rng(1), rows // PARTS
    for part in range(PARTS):
        yield pa.table(
            {
                "id": np.arange(part * size, (part + 1) * size),
                "price": random.random(size),
                "city": pa.array(random.integers(0, 1000, size)).cast(pa.string()),
                "quantity": random.integers(0, 100, size).astype("int32"),
            }
        )


def one_row(title: str, table: Any, wanted: int) -> None:
    """One row by its id."""
    connection, paths = duckdb.connect(), paths_of(table)
    connection.execute(f"CREATE VIEW own AS SELECT * FROM read_parquet({paths!r})")
    table.scan().to_duckdb("ours", connection)
    lazy, own = table.scan().to_polars_lazy(), pl.scan_parquet(paths)
    ways: dict[str, Callable[[], Any]] = {
        "scan(row_filter=)": lambda: table.scan(row_filter=f"id = {wanted}").to_arrow().num_rows,
        "DuckDB, floeberg": lambda: len(
            connection.execute(f"SELECT * FROM ours WHERE id = {wanted}").fetchall()
        ),
        "DuckDB, own": lambda: len(connection.execute(f"SELECT * FROM own WHERE id = {wanted}").fetchall()),
        "polars, floeberg": lambda: lazy.filter(pl.col("id") == wanted).collect().height,
        "polars, own": lambda: own.filter(pl.col("id") == wanted).collect().height,
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(LOOKUPS + 1):
        for way, run in ways.items():
            began = time.perf_counter()
            count = run()
            assert count == 1, (way, count)
            if turn:
                seconds[way].append(time.perf_counter() - began)
    print(f"\n{title}: one row by its id")
    for way, taken in seconds.items():
        print(f"  {way:<20} {median(taken) * 1000:>8.1f} ms")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where data and tables are kept")
    parser.add_argument("--scale", type=float, default=0.3, help="the scale factor of TPC-H")
    parser.add_argument("--duckdb", default=sys.executable, help="a Python that has DuckDB with tpch")
    parser.add_argument("--rows", type=int, default=20_000_000, help="rows of the tables of ids")
    arguments = parser.parse_args()
    main(arguments.data, arguments.scale, arguments.duckdb, arguments.rows)
