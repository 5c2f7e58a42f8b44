"""Writes through Spark, one after the other in one session: what the children of `bench_spark_writes.py` do.

Nothing but PySpark is imported, because one of the children runs in an environment that has nothing else. A subject is
a function that takes a place and the number of rows, prepares, and returns the work; the work returns what it counted.
In: a JSON object a line, on standard input. Out: one a line, on standard output.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from spark_queries import CONFS

MERGE = (
    "MERGE INTO {table} AS target USING source ON target.id = source.id "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
CHANGES = {
    "delete": "DELETE FROM {table} WHERE hash < 50000",
    # No range of values says it, so that Spark has to look at every row.
    "delete_computed": "DELETE FROM {table} WHERE hash % 20 = 0",
    "update": "UPDATE {table} SET amount = amount + 1 WHERE hash < 50000",
}
MODES = {f"write.{command}.mode": "merge-on-read" for command in ("delete", "update", "merge")}
BUCKETS = 16
SOURCE = "source.parquet"
"""The file of the rows that are merged."""
TARGET_BYTES = 8 << 20
"""What files are to have in the append that is cut."""
BATCHES = "batches"
"""The folder of the files of a stream, a file a batch."""
FEWEST = 20
"""So many batches does a stream have at least."""

Counted = dict[str, Any]
Work = Callable[[], Counted]
Subject = Callable[[Any, Path, int], Work]


def serve(subjects: Mapping[str, Subject], confs: Mapping[str, str]) -> None:
    """Makes a session, and runs subjects until there is no line more."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("bench")
    for name, value in {**CONFS, "spark.sql.streaming.numRecentProgressUpdates": "100000", **confs}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.range(10).count()
    for line in sys.stdin:
        asked = json.loads(line)
        work = subjects[asked["subject"]](spark, Path(asked["place"]), asked["rows"])
        processor, started = processor_seconds(), time.perf_counter()
        counted = work()
        taken = time.perf_counter() - started
        facts = {"seconds": taken, "processor": processor_seconds() - processor, **counted}
        print(json.dumps(facts), flush=True)
    spark.stop()


def processor_seconds() -> float:
    """What all processes of the session have used: the JVM and its Python workers, those that ended too."""
    ticks, own = 0, str(os.getsid(0))
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            # It has just ended, and is counted with its parent.
            continue
        if fields[3] == own:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def new_name() -> str:
    """A name that no branch and no table has."""
    return f"run_{uuid.uuid4().hex}"


def source(spark: Any, place: Path) -> None:
    """Makes the view of the rows that are merged."""
    spark.read.parquet(str(place / SOURCE)).createOrReplaceTempView("source")


def stream(spark: Any, place: Path, rows: int) -> Any:
    """The rows of a stream, of which a batch has one file, and the options of what writes them."""
    folder = place / BATCHES
    first = str(next(folder.glob("*.parquet")))
    frames = spark.readStream.schema(spark.read.parquet(first).schema).option("maxFilesPerTrigger", 1)
    # As many files as are asked for, so that a short run needs no folder of its own.
    return frames.option("pathGlobFilter", _names(rows)).parquet(str(folder))


def file_of_batch(number: int) -> str:
    """The name of the file of a batch, which says in how short a stream it is."""
    return f"{'a' if number < FEWEST else 'b'}{number:06}.parquet"


def _names(rows: int) -> str:
    return "a*.parquet" if rows <= FEWEST else "*.parquet"


def streamed(start: Callable[[Any], Any], frame: Any, place: Path) -> Counted:
    """Runs a stream to its end: how many batches, and the milliseconds of each."""
    checkpoint = place / f"checkpoint-{uuid.uuid4().hex}"
    writer = frame.writeStream.outputMode("append").option("checkpointLocation", str(checkpoint))
    query = start(writer.trigger(availableNow=True))
    query.awaitTermination()
    told = [each for each in query.recentProgress if each["numInputRows"]]
    shutil.rmtree(checkpoint)
    parts = ("triggerExecution", "addBatch", "queryPlanning", "walCommit", "commitOffsets", "latestOffset")
    durations = [[each["durationMs"].get(part, 0) for part in parts] for each in told]
    return {"batches": len(told), "milliseconds": durations}
