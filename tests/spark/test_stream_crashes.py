"""Streams whose driver is killed: each row is there once after they were started again."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pyspark
import pytest

from streaming import files, table_in
from test_other_sessions import run

pytestmark = [
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the JVM is found by /proc"),
    pytest.mark.skipif(
        tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 2),
        reason="batches are limited from PySpark 4.2 on",
    ),
]

KILLER = """
import os, signal

def kill_the_jvm():
    pid = os.getpid()
    while True:
        with open(f"/proc/{pid}/stat") as file:
            name, _, rest = file.read().partition("(")[2].rpartition(")")
        if name.startswith("java"):
            os.kill(pid, signal.SIGKILL)
            os._exit(1)
        pid = int(rest.split()[1])

when, _, number = os.environ.get("KILL", "").partition(":")
if number:
    from floeberg.spark.stream.writer import FloebergStreamWriter

    commit = FloebergStreamWriter.commit

    def killing(self, messages, batchId):
        if when == "before" and batchId == int(number):
            kill_the_jvm()
        commit(self, messages, batchId)
        if when == "after" and batchId == int(number):
            kill_the_jvm()

    FloebergStreamWriter.commit = killing
"""

PROGRAM = """
    import os, signal
    import floeberg.spark
    told = {}
    spark = session(SparkSession.builder.master("local[2]"))
    jvm = spark.sparkContext._gateway.proc.pid
    reader = spark.readStream.format("floeberg").option("streaming-max-files-per-micro-batch", "1")
    frame = reader.load(options["source"])
    writer = frame.writeStream.option("checkpointLocation", options["checkpoint"]).trigger(availableNow=True)
    upsert = floeberg.spark.upsert_batches(options["sink"], ["id"])

    def upserting(batch, number):
        upsert(batch.selectExpr("id", f"'{number}' AS part"), number)
        if os.environ.get("KILL") == f"upserted:{number}":
            os.kill(jvm, signal.SIGKILL)

    while not told:
        try:
            query = (
                writer.foreachBatch(upserting).start()
                if options["upserts"]
                else writer.format("floeberg").start(options["sink"])
            )
            told["ended"] = query.awaitTermination(200)
        except Exception as error:
            # Spark gives a process of Python ten seconds to start, which a busy machine may exceed.
            if "failed to connect back" not in str(error):
                told["ended"] = False
    print(json.dumps(told), flush=True)
    os._exit(0)
"""


def stopped(options: dict, folder: Path, kill: str) -> bool:
    """Runs the query, and kills its driver. Did it end by itself?"""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(textwrap.dedent(KILLER))
    return run(PROGRAM, json.dumps(options), PYTHONPATH=str(folder), KILL=kill)["ended"]


def test_a_driver_is_killed_before_and_after_a_commit(tmp_path):
    source, sink = table_in(tmp_path / "source"), table_in(tmp_path / "sink")
    files(source, *([number] for number in range(4)))
    places = {
        "source": source.location(),
        "sink": sink.location(),
        "checkpoint": str(tmp_path / "checkpoint"),
    }
    options = places | {"upserts": False}

    def ids():
        return sorted(sink.refresh().scan().to_arrow()["id"].to_pylist())

    assert not stopped(options, tmp_path / "killer", "after:1")
    assert ids() == [0, 1]
    assert not stopped(options, tmp_path / "killer", "before:2")
    assert ids() == [0, 1]
    assert stopped(options, tmp_path / "killer", "")
    assert ids() == [0, 1, 2, 3]
    assert [each.summary["added-records"] for each in sink.snapshots()] == ["1"] * 4


def test_a_driver_is_killed_after_an_upsert(tmp_path):
    source, sink = table_in(tmp_path / "source"), table_in(tmp_path / "sink")
    files(source, [0, 1], [1, 2], [1, 3])
    places = {
        "source": source.location(),
        "sink": sink.location(),
        "checkpoint": str(tmp_path / "checkpoint"),
    }
    options = places | {"upserts": True}

    def found():
        return {row["id"]: row["part"] for row in sink.refresh().scan().to_arrow().to_pylist()}

    assert not stopped(options, tmp_path / "killer", "upserted:1")
    assert found() == {0: "0", 1: "1", 2: "1"}
    assert stopped(options, tmp_path / "killer", "")
    assert found() == {0: "0", 1: "2", 2: "1", 3: "2"}
    assert len(sink.snapshots()) == 3
