"""Streams of a session: from a table into a table, each row once, wherever a query stops."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from pyspark.errors import StreamingQueryException

import floeberg as fb
import floeberg.spark
from streaming import append, expire, files, table_in

LATE = "Python worker failed to connect back"
TRIES = 8
VERSION = tuple(map(int, pyspark.__version__.split(".")[:2]))
needs_arrow = pytest.mark.skipif(
    VERSION < (4, 1), reason="PySpark 4.0 gives writers of streams no Arrow batches"
)
needs_limits = pytest.mark.skipif(VERSION < (4, 2), reason="PySpark 4.2 brought admission control")


@pytest.fixture
def source(tmp_path) -> fb.Table:
    return table_in(tmp_path / "source")


@pytest.fixture
def sink(tmp_path) -> fb.Table:
    return table_in(tmp_path / "sink")


def ids(table: fb.Table) -> list[int]:
    return sorted(table.refresh().scan().to_arrow()["id"].to_pylist())


class Query:
    """A query of a table into another one, that reads what there is and ends."""

    def __init__(self, spark, source: fb.Table, checkpoint: Path) -> None:
        self.spark, self.source, self.checkpoint = spark, source, checkpoint

    def frame(self, **options: str):
        named = {key.replace("_", "-"): value for key, value in options.items()}
        return self.spark.readStream.format("floeberg").options(**named).load(self.source.location())

    def run(self, frame, sink: fb.Table, mode: str = "append", **options: str) -> None:
        named = {key.replace("_", "-"): value for key, value in options.items()}
        writer = frame.writeStream.format("floeberg").outputMode(mode).options(**named)
        self.end(writer, sink.location())

    def end(self, writer, place: str | None = None) -> None:
        writer = writer.option("checkpointLocation", str(self.checkpoint)).trigger(availableNow=True)
        for _ in range(TRIES):
            query = writer.start() if place is None else writer.start(place)
            try:
                assert query.awaitTermination(300)
            except StreamingQueryException as error:
                # Spark gives a process of Python ten seconds to start, which a busy machine may exceed.
                if LATE not in str(error):
                    raise
            else:
                return
            finally:
                query.stop()
        pytest.fail(LATE)

    def forget_commits(self, *numbers: int) -> None:
        """Removes what Spark noted of ended batches, as if it had been stopped before."""
        for number in numbers:
            (self.checkpoint / "commits" / str(number)).unlink()
            with contextlib.suppress(FileNotFoundError):
                (self.checkpoint / "commits" / f".{number}.crc").unlink()

    def last(self) -> int:
        return max(
            int(each.name) for each in (self.checkpoint / "commits").iterdir() if each.name.isdecimal()
        )


@needs_arrow
def test_a_stream_goes_from_table_to_table_once(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    append(source, 1, 2)
    files(source, [3], [4])
    query.run(query.frame(), sink)
    assert ids(sink) == [1, 2, 3, 4]
    append(source, 5)
    query.run(query.frame(), sink)
    assert ids(sink) == [1, 2, 3, 4, 5]
    before = sink.current_snapshot().snapshot_id
    query.run(query.frame(), sink)
    assert sink.refresh().current_snapshot().snapshot_id == before
    summary = sink.current_snapshot().summary
    assert summary["spark.sql.streaming.epochId"] == str(query.last())
    assert summary["spark.sql.streaming.queryId"] in (tmp_path / "checkpoint" / "metadata").read_text()


@needs_arrow
@needs_limits
def test_available_now_reads_everything_in_limited_batches(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    files(source, *([number] for number in range(7)))
    query.run(query.frame(streaming_max_files_per_micro_batch="3"), sink)
    assert ids(sink) == list(range(7))
    assert [each.summary["added-records"] for each in sink.snapshots()] == ["3", "3", "1"]


@needs_arrow
def test_a_batch_whose_end_was_not_noted_is_not_written_again(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    append(source, 1)
    query.run(query.frame(), sink)
    append(source, 2)
    query.run(query.frame(), sink)
    there = set(Path(sink.location().removeprefix("file://")).rglob("*.parquet"))
    query.forget_commits(query.last())
    append(source, 3)
    query.run(query.frame(), sink)
    if VERSION < (4, 2):
        # A run with this trigger is one batch there, and it was the old one.
        assert ids(sink) == [1, 2]
        query.run(query.frame(), sink)
    assert ids(sink) == [1, 2, 3]
    assert len(sink.snapshots()) == 3
    # What the batch wrote again is gone.
    now = set(Path(sink.location().removeprefix("file://")).rglob("*.parquet"))
    assert there < now and len(now) == len(there) + 1


@needs_arrow
def test_a_batch_runs_again_after_it_failed(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    append(source, 1)
    query.run(query.frame(), sink)
    append(source, 2)
    frame = query.frame()
    with pytest.raises(StreamingQueryException, match="the task fails"):
        query.run(frame.selectExpr("id", "CAST(raise_error('the task fails') AS STRING) AS part"), sink)
    assert ids(sink) == [1]
    with pytest.raises(StreamingQueryException, match='column "id"'):
        query.run(frame.selectExpr("CAST(id AS STRING) AS id", "part"), sink)
    query.run(frame, sink)
    assert ids(sink) == [1, 2]


@needs_arrow
def test_two_streams_write_into_one_table(spark, source, sink, tmp_path):
    other = table_in(tmp_path / "other")
    for number in range(3):
        append(source, number)
        append(other, 10 + number)
    one, two = Query(spark, source, tmp_path / "one"), Query(spark, other, tmp_path / "two")
    writers = [
        each.frame().writeStream.format("floeberg").option("checkpointLocation", str(each.checkpoint))
        for each in (one, two)
    ]
    queries = [writer.trigger(availableNow=True).start(sink.location()) for writer in writers]
    for each, query in zip((one, two), queries, strict=True):
        try:
            assert query.awaitTermination(300)
        except StreamingQueryException as error:
            if LATE not in str(error):
                raise
            each.run(each.frame(), sink)
    assert ids(sink) == [0, 1, 2, 10, 11, 12]
    one.forget_commits(0)
    two.forget_commits(0)
    one.run(one.frame(), sink)
    two.run(two.frame(), sink)
    assert ids(sink) == [0, 1, 2, 10, 11, 12]


@needs_arrow
def test_complete_mode_replaces_the_table(spark, source, tmp_path):
    schema = pa.schema({"part": pa.string(), "n": pa.int64()})
    sink = table_in(tmp_path / "sink", schema)
    query = Query(spark, source, tmp_path / "checkpoint")
    append(source, 1, 2, 4)

    def counts():
        grouped = query.frame().groupBy("part").count().withColumnRenamed("count", "n")
        query.run(grouped, sink, mode="complete")
        found = sink.refresh().scan().to_arrow().to_pylist()
        return sorted((row["part"], row["n"]) for row in found)

    assert counts() == [("1", 2), ("2", 1)]
    append(source, 5, 6)
    assert counts() == [("0", 1), ("1", 2), ("2", 2)]
    query.forget_commits(query.last())
    before = len(sink.snapshots())
    assert counts() == [("0", 1), ("1", 2), ("2", 2)]
    assert len(sink.snapshots()) == before


@needs_arrow
def test_options_of_a_writer_of_streams(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    first = append(sink, 9)
    sink.manage_snapshots().create_branch(first, "audit").commit()
    append(source, 1)
    options = {"branch": "audit", "fanout_enabled": "true", "snapshot_property.by": "test"}
    query.run(query.frame(), sink, **options)
    assert ids(sink) == [9]
    assert sorted(sink.scan(branch="audit").to_arrow()["id"].to_pylist()) == [1, 9]
    assert sink.snapshot_by_name("audit").summary["by"] == "test"
    append(source, 2)
    with pytest.raises(StreamingQueryException, match="is not for streams"):
        query.run(query.frame(), sink, **{"idempotency-key": "mine"})
    query.run(query.frame(), sink, **options)
    assert sorted(sink.refresh().scan(branch="audit").to_arrow()["id"].to_pylist()) == [1, 2, 9]


def test_an_error_of_the_source_is_that_of_the_query(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    append(source, 1)
    source.delete("id = 1")
    with pytest.raises(StreamingQueryException, match="streaming-skip-delete-snapshots"):
        query.end(query.frame().writeStream.format("noop"))
    assert ids(sink) == []


def test_batches_are_upserted_once(spark, source, tmp_path):
    sink = table_in(
        tmp_path / "sink", properties={"format-version": "3", "write.merge.mode": "merge-on-read"}
    )
    append(sink, 1, 2, 3)
    query = Query(spark, source, tmp_path / "checkpoint")
    upsert = floeberg.spark.upsert_batches(sink.location(), ["id"])
    assert repr(upsert).startswith("upsert_batches(")

    def run():
        query.end(
            query.frame().selectExpr("id", "concat('new ', id) AS part").writeStream.foreachBatch(upsert)
        )
        return sorted((row["id"], row["part"]) for row in sink.refresh().scan().to_arrow().to_pylist())

    append(source, 2, 4)
    assert run() == [(1, "1"), (2, "new 2"), (3, "0"), (4, "new 4")]
    assert len(sink.snapshots()) == 2
    query.forget_commits(query.last())
    assert run() == [(1, "1"), (2, "new 2"), (3, "0"), (4, "new 4")]
    assert len(sink.snapshots()) == 2
    append(source, 4, 5)
    assert [number for number, _ in run()] == [1, 2, 3, 4, 5]


def test_rows_of_a_batch_that_share_a_key(spark, tmp_path):
    sink = table_in(tmp_path / "sink")
    frame = spark.createDataFrame([(1, "a", 1), (1, "b", 2), (2, "c", 1)], "id bigint, part string, at int")
    upsert = floeberg.spark.upsert_batches(sink, ["id"], order_by=["at"], query_id="one")
    upsert(frame, 0)
    upsert(frame, 0)
    found = sorted((row["id"], row["part"]) for row in sink.refresh().scan().to_arrow().to_pylist())
    assert found == [(1, "b"), (2, "c")]
    assert len(sink.snapshots()) == 1
    strict = floeberg.spark.upsert_batches(sink, ["id"], query_id="two")
    with pytest.raises(Exception, match="a key is twice in the batch"):
        strict(frame.drop("at"), 0)
    with pytest.raises(Exception, match="the key 'id' is null in the batch"):
        strict(spark.createDataFrame([(None, "a")], "id bigint, part string"), 0)
    for wrong in (frame, frame.select("id")):
        with pytest.raises(fb.errors.InvalidInputError, match="need the columns of the table"):
            strict(wrong, 0)
    with pytest.raises(fb.errors.UnsupportedError, match="pass query_id"):
        floeberg.spark.upsert_batches(sink, ["id"])(frame.drop("at"), 0)
    assert ids(sink) == [1, 2]


def test_upserts_of_an_audited_table_go_to_the_branch_of_the_session(spark, tmp_path):
    sink = table_in(tmp_path / "sink", properties={"write.wap.enabled": "true"})
    append(sink, 1)
    upsert = floeberg.spark.upsert_batches(sink.location(), ["id"], query_id="one")

    def found(**options):
        return sorted(sink.refresh().scan(**options).to_arrow()["part"].to_pylist())

    try:
        spark.conf.set("spark.wap.branch", "audit")
        for number in (0, 0, 1, 0):
            upsert(spark.createDataFrame([(1, f"new {number}")], "id bigint, part string"), number)
        assert (found(), found(branch="audit")) == (["1"], ["new 1"])
        assert len(sink.snapshots()) == 3
        spark.conf.unset("spark.wap.branch")
        spark.conf.set("spark.wap.id", "load-1")
        with pytest.raises(fb.errors.UnsupportedError, match="cannot be staged"):
            upsert(spark.createDataFrame([(1, "staged")], "id bigint, part string"), 2)
    finally:
        spark.conf.unset("spark.wap.branch")
        spark.conf.unset("spark.wap.id")


@needs_arrow
@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_an_expired_start_stops_the_query_and_says_what_to_do(spark, source, sink, tmp_path):
    query = Query(spark, source, tmp_path / "checkpoint")
    first = append(source, 1)
    query.run(query.frame(), sink)
    second = append(source, 2)
    append(source, 3)
    expire(source, first, second)
    with pytest.raises(StreamingQueryException, match="rows may be missed"):
        query.run(query.frame(), sink)
    shutil.rmtree(query.checkpoint)
    query.run(query.frame(stream_from_timestamp=str(source.current_snapshot().timestamp_ms)), sink)
    assert ids(sink) == [1, 3]
