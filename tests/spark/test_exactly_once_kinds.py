"""Workers that die and tasks that fail while rows are updated, deleted, copied, written or streamed: once each."""

from __future__ import annotations

import json
import textwrap

import pyspark
import pytest

from streaming import files, table_in
from test_exactly_once import KILLS, content, make
from test_other_sessions import run

pytestmark = pytest.mark.timeout(500)

STREAMS = tuple(map(int, pyspark.__version__.split(".")[:2])) >= (4, 1)
STATEMENTS = [
    "UPDATE db.t SET v = v + 1000 WHERE id % 10 = 3",
    "DELETE FROM db.t WHERE id % 10 = 4",
    "CREATE TABLE db.copied AS SELECT id, v, id % 3 AS part FROM db.t",
]
LEFT = [(each, each + 1000 * (each % 10 == 3)) for each in range(100) if each % 10 != 4]


def test_changes_copies_and_written_frames_have_each_row_once(tmp_path):
    made = {mode: make(tmp_path / mode, mode) for mode in ("copy-on-write", "merge-on-read")}
    told = run(
        KILLS
        + textwrap.dedent(
            """
            spark = session(SparkSession.builder.master("local[2,4]").config("spark.sql.shuffle.partitions", 2))
            spark.sparkContext.setLogLevel("OFF")
            for mode, how in (("copy-on-write", "fails"), ("merge-on-read", "dies")):
                folder = pathlib.Path(options["folder"]) / mode
                lake = fb.load_catalog("lake", type="filesystem", warehouse=str(folder))
                break_tasks(options["folder"], how)
                for text in options["statements"]:
                    floeberg.spark.sql(spark, text, catalog=lake)
                frame = spark.range(200, 220, 1, 2).selectExpr("id", "id AS v")
                floeberg.spark.write(frame, "db.t", catalog=lake)
                again = {"mode": "overwrite", "overwrite_filter": "id >= 200"}
                floeberg.spark.write(frame.where("id < 210"), "db.t", catalog=lake, **again)
            marks = [each.name for each in pathlib.Path(options["folder"]).iterdir() if each.is_file()]
            print(json.dumps(sorted({" ".join(name.split("-")[:2]) for name in marks})), flush=True)
            """
        ),
        json.dumps({"folder": str(tmp_path), "statements": STATEMENTS}),
        PYTHONPATH=__file__.rpartition("/")[0],
    )
    assert told == [
        "dies AppendTask",
        "dies ChangeTask",
        "fails AppendTask",
        "fails ChangeTask",
        "fails CopyTask",
    ]
    for table in made.values():
        assert content(table) == LEFT + [(each, each) for each in range(200, 210)]
        assert len(table.snapshots()) == 4 + 4
        copied = table.catalog.load_table("db.copied")
        assert (
            sorted(zip(*(copied.scan().to_arrow()[name].to_pylist() for name in ("id", "v")), strict=True))
            == LEFT
        )
        assert len(copied.snapshots()) == 1


DIES = """
import os
if os.environ.get("MARKS"):
    import signal
    from floeberg.spark.stream.writer import FloebergStreamWriter

    write = FloebergStreamWriter.write

    def dying(self, iterator):
        from pyspark import TaskContext

        done = write(self, iterator)
        marker = os.path.join(os.environ["MARKS"], str(TaskContext.get().partitionId()))
        if not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    FloebergStreamWriter.write = dying
"""


@pytest.mark.skipif(not STREAMS, reason="PySpark 4.1 brought writers of Arrow")
def test_streams_and_upserts_have_each_row_once(tmp_path):
    source, sink, kept = (table_in(tmp_path / name) for name in ("source", "sink", "kept"))
    files(source, *([number, number + 10] for number in range(4)))
    files(kept, [0, 1], [2, 30])
    for name in ("marks", "customize"):
        (tmp_path / name).mkdir()
    (tmp_path / "customize" / "sitecustomize.py").write_text(DIES)
    told = run(
        KILLS
        + textwrap.dedent(
            """
            spark = session(SparkSession.builder.master("local[2,4]").config("spark.sql.shuffle.partitions", 2))
            spark.sparkContext.setLogLevel("OFF")
            register(spark)
            frame = spark.readStream.format("floeberg").load(options["source"])
            def ended(writer, name, *place):
                writer = writer.option("checkpointLocation", f"{options['at']}/{name}").trigger(availableNow=True)
                while True:
                    try:
                        return writer.start(*place).awaitTermination(200)
                    except Exception as error:
                        # Spark gives a process of Python ten seconds to start, which a busy machine may exceed.
                        if "failed to connect back" not in str(error):
                            raise
            told = {"ended": [ended(frame.writeStream.format("floeberg"), "one", options["sink"])]}
            told["died"] = sorted(each.name for each in pathlib.Path(options["marks"]).iterdir())
            break_tasks(options["marks"], "dies")
            upsert = floeberg.spark.upsert_batches(options["kept"], ["id"])
            told["ended"].append(ended(frame.selectExpr("id", "'new' AS part").writeStream.foreachBatch(upsert), "two"))
            told["upserted"] = any("ChangeTask" in each.name for each in pathlib.Path(options["marks"]).iterdir())
            print(json.dumps(told), flush=True)
            """
        ),
        json.dumps(
            {
                "at": str(tmp_path),
                "marks": str(tmp_path / "marks"),
                "source": source.location(),
                "sink": sink.location(),
                "kept": kept.location(),
            }
        ),
        PYTHONPATH=f"{tmp_path / 'customize'}:{__file__.rpartition('/')[0]}",
        MARKS=str(tmp_path / "marks"),
    )
    assert told["ended"] == [True, True]
    assert told["died"] and told["upserted"]
    found = source.scan().to_arrow().sort_by("id")
    assert sink.refresh().scan().to_arrow().sort_by("id").equals(found)
    assert len(sink.snapshots()) == 1
    after = kept.refresh().scan().to_arrow().sort_by("id").to_pylist()
    assert after == [
        {"id": each, "part": "new" if each < 20 else "0"} for each in (*range(4), *range(10, 14), 30)
    ]
    assert len(kept.snapshots()) == 2
