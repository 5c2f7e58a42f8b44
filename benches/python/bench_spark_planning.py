"""Planning by tasks of Spark beside planning in one process: a million files, and ten times as many.

The larger table is the smaller one, whose manifests have ten names each and are listed by all of them. Every plan is
made in a process of its own, with one session of two cores where there is one. The memory is that of the driver's
Python, of which the plan is a part. On one machine tasks take the cores of the driver: what is measured is what they
cost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import fastavro
from goals import Goal
from measure import Times, compare, folder
from programs import planning_table
from tables import write_metadata

import floeberg as fb

FILES = 1_000_000
NAMES = 10
RUNS = 3


def main(files: int) -> None:
    """Makes the tables when they are not there, then measures."""
    plain = planning_table(folder(), files)
    tables = [(files, plain), (files * NAMES, listed_again(plain, NAMES))]
    goals = []
    for count, table in tables:
        told = {how: in_a_process(how, table) for how in ("local", "distributed")}
        assert all(each.count == count for each in told.values()), told
        compare(f"spark-plan/{count} files", [*told.items()])
        ratio = told["distributed"].median / told["local"].median
        goals.append(Goal(f"spark-plan/{count} files/by tasks, of local", ratio, "x", 5, 3))
        memory = (told["distributed"].peak_mb or 0) / (told["local"].peak_mb or 1)
        goals.append(Goal(f"spark-plan/{count} files/memory by tasks, of local", memory, "x", 1.5, 1.2))
    print("\nspark-plan/goals (pass / goal)")
    for goal in goals:
        print(goal)


def listed_again(metadata: Path, names: int) -> Path:
    """A table whose manifest list has so many names of each manifest of another; returns its metadata file."""
    made = metadata.parents[1].with_name(f"{metadata.parents[1].name}-x{names}") / "metadata"
    if (made / metadata.name).exists():
        return made / metadata.name
    made.mkdir(parents=True, exist_ok=True)
    document = json.loads(metadata.read_text())
    (snapshot,) = document["snapshots"]
    with Path(snapshot["manifest-list"]).open("rb") as file:
        reader = fastavro.reader(file)
        schema, rows = reader.writer_schema, [dict(row) for row in reader if isinstance(row, dict)]
    listed = []
    for row in rows:
        manifest = Path(row["manifest_path"])
        for number in range(names):
            name = made / f"{number}-{manifest.name}"
            name.unlink(missing_ok=True)
            os.link(manifest, name)
            listed.append(row | {"manifest_path": str(name)})
    snapshot["manifest-list"] = str(made / "list.avro")
    with (made / "list.avro").open("wb") as file:
        fastavro.writer(file, schema, listed)
    return write_metadata(made.parent, document)


def in_a_process(how: str, table: Path) -> Times:
    """What a process of its own says of some plans."""
    command = [sys.executable, "-W", "ignore", __file__, "--child", how, str(table)]
    output = subprocess.check_output(command, text=True, cwd=Path(__file__).parent)
    return Times(**json.loads(output.splitlines()[-1]))


def child(how: str, table: Path) -> None:
    """Plans some times, after one time that does not count, and prints the seconds and the highest memory."""
    # A cache of decoded manifests would answer the second plan.
    scan = fb.open_table(table, manifest_cache=0).scan()
    if how == "local":
        seconds, count = timed(lambda: len(scan.plan_files()))
    else:
        from spark_queries import CONFS

        os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        from pyspark.sql import SparkSession

        from floeberg.spark import plan_files

        builder = SparkSession.builder.master("local[2]")
        for name, value in CONFS.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        seconds, count = timed(lambda: len(plan_files(spark, scan, "distributed")))
        spark.stop()
    print(
        json.dumps({"seconds": seconds, "count": count, "peak_mb": getrusage(RUSAGE_SELF).ru_maxrss // 1024})
    )


def timed(plan) -> tuple[list[float], int]:  # noqa: ANN001 - a function without arguments
    """The seconds of each run but the first, and what the last one counted."""
    seconds, count = [], 0
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        count = plan()
        seconds.append(time.perf_counter() - started)
    return seconds[1:], count


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, help="files of the smaller table")
    parser.add_argument("--child", nargs=2, metavar=("HOW", "TABLE"))
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], Path(arguments.child[1]))
    else:
        main(arguments.files)
