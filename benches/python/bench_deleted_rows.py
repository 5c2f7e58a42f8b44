"""What does each way to leave out deleted rows cost in Spark? Processor time of all processes, the least of some runs.

    bench_deleted_rows.py --rows 4000000

The sum of one column of a table of eight files, with some of the rows of each deleted by a vector: by bitmaps, as
`floeberg.spark.table` does it; by an anti-join, which nothing else does; and by Floeberg's reader. What leaves out no
row is the floor. Decision 18 says what came of it.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from measure import folder
from spark_queries import CONFS

import floeberg as fb
import floeberg.spark
from floeberg import _native
from floeberg.spark.native import frame
from floeberg.spark.native.file_values import KEY, ROW

FILES = 8
PARTS = (0.00001, 0.05, 0.5, 0.95)
RUNS = 4
WARM_UPS = 2
BITS_OF_ROW = 40


def main(rows: int) -> None:
    """Make the tables when they are not there, then measure."""
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ |= dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)
    builder = SparkSession.builder.master("local[2]")
    for name, value in CONFS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    # An anti-join leaves garbage that is collected later, so that it comes last.
    ways = {
        "no row left out": ("native", lambda _spark, rows, *_, **__: rows),
        "bitmaps": ("native", frame.without_deleted),
        "Floeberg's reader": ("arrow", frame.without_deleted),
        "anti-join": ("native", anti_joined),
    }
    for part in PARTS:
        table = table_of(folder(), rows, part)
        print(f"\nspark/{rows} rows/{part:.4%} deleted/sum of one column")
        for name, (reader, way) in ways.items():
            print(f"  {name:<24} {least(spark, table, reader, way):.2f} s")
    spark.stop()


def table_of(place: Path, rows: int, part: float) -> fb.Table:
    """A table in which a part of each file is deleted, at random."""
    warehouse = place / f"deleted-{rows}-{part}"
    catalog = fb.load_catalog("deleted", type="filesystem", warehouse=str(warehouse))
    if warehouse.exists():
        return catalog.load_table("db.t")
    catalog.create_namespace("db")
    schema = pa.schema({"id": pa.int64(), "place": pa.int32()})
    table = catalog.create_table("db.t", schema, format_version=3)
    count, random = rows // FILES, np.random.default_rng(1)
    for start in range(0, FILES * count, count):
        places = random.permutation(count).astype(np.int32)
        table.append(pa.table({"id": np.arange(start, start + count), "place": places}))
    table.delete(f"place < {max(1, int(count * part))}", mode="merge-on-read")
    return table


def least(spark: Any, table: fb.Table, reader: Any, way: Callable[..., Any]) -> float:
    """The least seconds of processor time of a query."""
    from pyspark.sql import functions as F  # noqa: N812 - PySpark's own habit

    seconds = []
    as_it_is, frame.without_deleted = frame.without_deleted, way
    try:
        for _ in range(WARM_UPS + RUNS):
            before = spent()
            columns = ("id",) if reader == "arrow" else ("*",)
            floeberg.spark.table(spark, table, columns=columns, reader=reader).agg(F.sum("id")).collect()
            seconds.append(spent() - before)
    finally:
        frame.without_deleted = as_it_is
    return min(seconds[WARM_UPS:])


def anti_joined(spark: Any, rows: Any, plan: fb.Plan, group: Any, *, marked: bool) -> Any:
    """The rows that are left, by a broadcast of the deleted ones: one number says the file and the position."""
    from pyspark.sql import functions as F  # noqa: N812 - PySpark's own habit

    assert not marked
    words = pa.array(_native.deleted_rows(plan._inner, list(group.numbers)))  # noqa: SLF001 - the package's own
    gone = [
        np.flatnonzero(np.unpackbits(each.values.to_numpy().view(np.uint8), bitorder="little"))
        | (key << BITS_OF_ROW)
        for key, each in zip(group.keys, words, strict=True)
    ]
    deleted = spark.createDataFrame(pa.table({"__gone": np.concatenate(gone)}))
    is_gone = F.expr(f"(shiftleft(CAST({KEY} AS BIGINT), {BITS_OF_ROW}) | {ROW}) = __gone")
    return rows.join(F.broadcast(deleted), is_gone, "left_anti")


def spent() -> float:
    """Seconds of processor time of this process and all below it, those that ended among them."""
    below: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            said = (each / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        below.setdefault(int(said[1]), []).append(int(each.name))
        ticks[int(each.name)] = sum(map(int, said[11:15]))
    todo, total = [os.getpid()], 0
    while todo:
        process = todo.pop()
        total += ticks.get(process, 0)
        todo += below.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    main(parser.parse_args().rows)
