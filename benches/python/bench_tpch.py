"""The 22 queries of TPC-H through PySpark: tables of ours as views, and Spark's own reader on the same files.

    bench_tpch.py --data FOLDER [--scale 0.1] [--duckdb PYTHON]

The data, the texts of the queries and the right answers come from the `tpch` extension of DuckDB, which a Python that
has `duckdb==1.5.5` and `duckdb-extension-tpch==1.5.5` makes once. Ways alternate within a query, and every answer is
held against DuckDB's: numbers to 1e-6, in any order.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from decimal import Decimal
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

RUNS = 3
CONFS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
GENERATE = """
import importlib.util, json, sys, duckdb
from pathlib import Path
folder, scale = Path(sys.argv[1]), float(sys.argv[2])
place = Path(importlib.util.find_spec("duckdb_extension_tpch").submodule_search_locations[0])
extension = next(place.rglob("tpch.duckdb_extension"))
connection = duckdb.connect(config={"allow_unsigned_extensions": True})
connection.execute(f"LOAD '{extension}'")
connection.execute(f"CALL dbgen(sf={scale})")
names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
for name in names:
    connection.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")
queries = connection.execute("SELECT query_nr, query FROM tpch_queries()").fetchall()
answers = {n: [list(map(str, row)) for row in connection.execute(q).fetchall()] for n, q in queries}
(folder / "queries.json").write_text(json.dumps({"tables": names, "queries": queries, "answers": answers}))
"""


def main(folder: Path, scale: float, duckdb: str) -> None:
    """Make the data where it is not there, then measure."""
    place = folder / f"tpch-{scale:g}"
    if not (place / "queries.json").exists():
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run([duckdb, "-c", GENERATE, str(place), str(scale)], check=True)
    facts = json.loads((place / "queries.json").read_text())
    tables = floeberg_tables(place, facts["tables"])
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tpch")
    for name, value in CONFS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    ratios = []
    print(f"{'query':>5} {'parquet':>9} {'floeberg':>9} {'ratio':>6}")
    for number, text in facts["queries"]:
        seconds: dict[str, list[float]] = {"parquet": [], "floeberg": []}
        for turn in range(RUNS + 1):
            for way, taken in seconds.items():
                for name, table in tables.items():
                    view(spark, way, name, table)
                began = time.perf_counter()
                rows = spark.sql(text.rstrip().rstrip(";")).collect()
                if turn:
                    taken.append(time.perf_counter() - began)
                agree(f"q{number} {way}", rows, facts["answers"][str(number)])
        own, ours = median(seconds["parquet"]), median(seconds["floeberg"])
        ratios.append(ours / own)
        print(f"{number:>5} {own:>9.2f} {ours:>9.2f} {ours / own:>6.2f}", flush=True)
    print(f"geometric mean of the ratios: {geometric_mean(ratios):.2f}")
    spark.stop()


def floeberg_tables(place: Path, names: list[str]) -> dict[str, Any]:
    """The tables, written where they are not there."""
    import pyarrow.parquet as pq

    import floeberg as fb

    catalog = fb.load_catalog("tpch", type="filesystem", warehouse=str(place / "warehouse"))
    if ("tpch",) not in catalog.list_namespaces():
        catalog.create_namespace("tpch")
    tables = {}
    for name in names:
        if not catalog.table_exists(f"tpch.{name}"):
            rows = pq.read_table(place / f"{name}.parquet")
            catalog.create_table(f"tpch.{name}", rows.schema).append(rows)
        tables[name] = catalog.load_table(f"tpch.{name}")
    return tables


def view(spark: Any, way: str, name: str, table: Any) -> None:
    """Make the view of a table, as anybody does."""
    if way == "floeberg":
        import floeberg.spark

        floeberg.spark.create_view(spark, name, table)
        return
    paths = [task.file.location for task in table.scan().plan_files()]
    spark.read.parquet(*paths).createOrReplaceTempView(name)


def agree(label: str, rows: list[Any], expected: list[list[str]]) -> None:
    """Hold an answer against the right one."""
    found = sorted([[plain(value) for value in row] for row in rows], key=repr)
    wanted = sorted([[plain(value) for value in row] for row in expected], key=repr)
    assert len(found) == len(wanted), f"{label}: {len(found)} rows, expected {len(wanted)}"
    for one, other in zip(found, wanted, strict=True):
        for value, right in zip(one, other, strict=True):
            same = value == right or (
                isinstance(value, float)
                and isinstance(right, float)
                and math.isclose(value, right, rel_tol=1e-6, abs_tol=0.005)
            )
            assert same, f"{label}: {one}, expected {other}"


def plain(value: Any) -> Any:
    """A value without its type: a rounded number where it is one, else text."""
    if isinstance(value, (int, float, Decimal)):
        return round(float(value), 2)
    try:
        return round(float(value), 2)
    except (TypeError, ValueError):
        return str(value)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where data and tables are kept")
    parser.add_argument("--scale", type=float, default=1, help="the scale factor")
    parser.add_argument("--duckdb", default=sys.executable, help="a Python that has DuckDB with tpch")
    arguments = parser.parse_args()
    main(arguments.data, arguments.scale, arguments.duckdb)
