"""Planning by tasks of Spark beside planning in one process: 100,000 files, a million, and ten million.

The largest table is the middle one, whose manifests have ten names each and are listed by all of them. `local` plans in
one process; `distributed` has tasks read the manifests, and the driver holds the plan; `frame` is the DataFrame of
`reader="arrow"` and `planning="distributed"`, whose plan no process holds. The data files do not exist. So of the frame
the first stage runs and the shuffle, and a task of the second counts the files of its groups.

Every subject has a process of its own, with one session of two cores where there is one. The memory is that of the
driver's Python, of which a plan is a part, and the heap of its JVM: executors are processes of their own. On one
machine tasks take the cores of the driver: what is measured is what they cost.
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
HOW = ("local", "distributed", "frame")


def main(files: int, runs: int, how: list[str]) -> None:
    """Makes the tables when they are not there, then measures."""
    plain = planning_table(folder(), files)
    tables = [
        (files // NAMES, planning_table(folder(), files // NAMES)),
        (files, plain),
        (files * NAMES, listed_again(plain, NAMES)),
    ]
    goals, memory, heap = [], {}, {}
    for count, table in tables:
        told = {each: in_a_process(each, table, runs) for each in how}
        assert all(times.count == count for times, _ in told.values()), told
        compare(f"spark-plan/{count} files", [(each, times) for each, (times, _) in told.items()])
        for each, (times, kept) in told.items():
            memory[each, count], heap[each, count] = times.peak_mb or 0, kept
            if each == "distributed" and "local" in told:
                ratio = times.median / told["local"][0].median
                goals.append(Goal(f"spark-plan/{count} files/by tasks, of local", ratio, "x", 5, 3))
    for (each, count), most in memory.items():
        told_heap = f", and {heap[each, count]} MB of the JVM's heap" if each != "local" else ""
        print(f"spark-plan/{count} files/{each}: {most} MB of the driver's Python{told_heap}")
    if "frame" in how:
        ratio = memory["frame", files * NAMES] / memory["frame", files // NAMES]
        goals.append(Goal("spark-plan/frame/memory of a hundred times the files", ratio, "x", 1.5, 1.1))
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


def in_a_process(how: str, table: Path, runs: int) -> tuple[Times, int]:
    """What a process of its own says of some runs, and the megabytes that its JVM holds after them."""
    command = [sys.executable, "-W", "ignore", __file__, "--child", how, str(table), "--runs", str(runs)]
    output = subprocess.check_output(command, text=True, cwd=Path(__file__).parent)
    told = json.loads(output.splitlines()[-1])
    heap = told.pop("heap_mb")
    return Times(**told), heap


def child(how: str, table: Path, runs: int) -> None:
    """Plans some times, after one time that does not count, and prints the seconds and the memory."""
    # A cache of decoded manifests would answer the second plan.
    scan = fb.open_table(table, manifest_cache=0).scan()
    heap = 0
    if how == "local":
        seconds, count = timed(lambda: len(scan.plan_files()), runs)
    else:
        from floeberg.spark import plan_files

        spark = session()
        plan = {
            "distributed": lambda: len(plan_files(spark, scan, "distributed")),
            "frame": lambda: files_of_frame(spark, scan),
        }
        seconds, count = timed(plan[how], runs)
        jvm = spark.sparkContext._jvm  # noqa: SLF001 - there is no other way
        jvm.java.lang.System.gc()
        beans = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
        heap = beans.getHeapMemoryUsage().getUsed() >> 20
        spark.stop()
    peak = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"seconds": seconds, "count": count, "peak_mb": peak, "heap_mb": heap}))


def session():  # noqa: ANN201 - importing PySpark takes time
    """A session whose two executors of one core are processes of their own."""
    from spark_queries import CONFS

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,2048]").config("spark.executor.memory", "2g")
    for name, value in (CONFS | {"spark.driver.memory": "1g"}).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def files_of_frame(spark, scan) -> int:  # noqa: ANN001 - the same
    """The files of the groups that tasks plan, counted by the tasks that would read them."""
    from floeberg.spark.read.distributed import parts_for_tasks
    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.planning_frame import group_frame

    parts = parts_for_tasks(scan, spark, "distributed")
    groups = group_frame(scan, spark, parts, ReadSettings())
    shared = parts.shared()

    def counted(batches):  # noqa: ANN001, ANN202 - what `mapInArrow` takes
        import pyarrow as pa

        files = [len(shared.beside(group.as_py())) for batch in batches for group in batch.column("group")]
        yield pa.RecordBatch.from_pydict({"files": pa.array([sum(files)], pa.int64())})

    return groups.mapInArrow(counted, "files bigint").groupBy().sum("files").collect()[0][0]


def timed(plan, runs: int) -> tuple[list[float], int]:  # noqa: ANN001 - a function without arguments
    """The seconds of each run but the first, and what the last one counted."""
    seconds, count = [], 0
    for _ in range(runs + 1):
        started = time.perf_counter()
        count = plan()
        seconds.append(time.perf_counter() - started)
    return seconds[1:] or seconds, count


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, help="files of the middle table")
    parser.add_argument(
        "--runs", type=int, default=RUNS, help="runs after the first; with 0, the first counts"
    )
    parser.add_argument("--how", nargs="+", choices=HOW, default=HOW)
    parser.add_argument("--child", nargs=2, metavar=("HOW", "TABLE"))
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], Path(arguments.child[1]), arguments.runs)
    else:
        main(arguments.files, arguments.runs, arguments.how)
