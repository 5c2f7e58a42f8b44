"""Streams in a session of Spark Connect, which has a process of its own."""

from __future__ import annotations

import json

import pyspark
import pytest

from streaming import append, table_in
from test_other_sessions import run

pytestmark = [
    pytest.mark.timeout(500),
    pytest.mark.skipif(
        tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 1),
        reason="PySpark 4.1 brought writers of Arrow",
    ),
]


def test_streams_run_in_spark_connect(tmp_path):
    source, sink, merged = (table_in(tmp_path / name) for name in ("source", "sink", "merged"))
    append(source, 1, 2)
    append(source, 3)
    append(merged, 2)
    options = {
        "source": source.location(),
        "sink": sink.location(),
        "merged": merged.location(),
        "at": str(tmp_path),
    }
    told = run(
        """
        import floeberg.spark
        spark = session(SparkSession.builder.remote("local[2]"))
        register(spark)
        def frame():
            return spark.readStream.format("floeberg").load(options["source"])
        def ended(writer, name, *place):
            checkpoint = f"{options['at']}/{name}"
            writer = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
            while True:
                try:
                    return writer.start(*place).awaitTermination(200)
                except Exception as error:
                    # Spark gives a process of Python ten seconds to start, which a busy machine may exceed.
                    if "failed to connect back" not in str(error):
                        raise
        told = {"kind": type(spark).__module__}
        told["written"] = [ended(frame().writeStream.format("floeberg"), "one", options["sink"]) for _ in range(2)]
        upsert = floeberg.spark.upsert_batches(options["merged"], ["id"], query_id="merging")
        changed = frame().selectExpr("id", "'new' AS part")
        told["merged"] = ended(changed.writeStream.foreachBatch(upsert), "two")
        print(json.dumps(told), flush=True)
        """,
        json.dumps(options),
    )
    assert told["kind"].startswith("pyspark.sql.connect")
    assert told["written"] == [True, True] and told["merged"]
    assert sorted(sink.refresh().scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]
    assert len(sink.snapshots()) == 1
    found = merged.refresh().scan().to_arrow().sort_by("id").to_pylist()
    assert found == [{"id": number, "part": "new"} for number in (1, 2, 3)]
