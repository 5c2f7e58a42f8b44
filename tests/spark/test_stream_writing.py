"""A writer of streams as Spark drives it, in one process and without a JVM: each batch is in the table once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark.sql.datasource as pyspark_source
import pyspark.sql.types as spark
import pytest
from pyspark.sql.datasource import CaseInsensitiveDict

import floeberg as fb
import floeberg.spark
from floeberg.errors import CommitStateUnknownError, FloebergError, InvalidInputError, UnsupportedError
from floeberg.spark.datasource import FloebergDataSource
from floeberg.spark.stream import writer as module
from floeberg.spark.write import commit_marker
from streaming import QUERY, SCHEMA, Sink, Stream, append, rows, table_in

pytestmark = pytest.mark.skipif(
    not hasattr(pyspark_source, "DataSourceStreamArrowWriter"),
    reason="PySpark 4.0 gives writers of streams no Arrow batches",
)


@pytest.fixture
def table(tmp_path) -> fb.Table:
    return table_in(tmp_path)


@pytest.fixture(autouse=True)
def folder_of_spark(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "local"))


def ids(table: fb.Table) -> list[int]:
    return sorted(table.refresh().scan().to_arrow()["id"].to_pylist())


def files(table: fb.Table) -> int:
    return len(list(Path(table.location().removeprefix("file://")).rglob("*.parquet")))


def test_batches_are_committed_once(table, monkeypatch):
    sink = Sink(table)
    sink.run(monkeypatch, 0, rows(1), rows(2, 3))
    for _ in range(2):
        sink.run(monkeypatch, 1, rows(4))
    sink.run(monkeypatch, 0, rows(1), rows(2, 3))
    assert ids(table) == [1, 2, 3, 4]
    assert len(table.snapshots()) == 2
    # What batches wrote again is gone.
    assert files(table) == 3
    summary = table.current_snapshot().summary
    assert (summary["spark.sql.streaming.queryId"], summary["spark.sql.streaming.epochId"]) == (QUERY, "1")


def test_other_commits_in_between_hide_no_batch(table, monkeypatch):
    sink, other = Sink(table), Sink(table, "other")
    for number in range(3):
        sink.run(monkeypatch, number, rows(number))
        other.run(monkeypatch, number, rows(10 + number))
        append(table.refresh(), 20 + number)
        sink.run(monkeypatch, number, rows(number))
    table.refresh().delete("id = 1")
    sink.run(monkeypatch, 2, rows(2))
    assert ids(table) == [0, 2, 10, 11, 12, 20, 21, 22]


def test_two_drivers_of_a_query_commit_a_batch_once(table, monkeypatch):
    sink = Sink(table)
    one, two = (sink.written(monkeypatch, rows(1)) for _ in range(2))
    first, second = sink.writer(), sink.writer()
    # Both have seen that nobody committed the batch.
    monkeypatch.setattr(module.StreamBatch, "is_done", lambda *_: False)
    first.commit(one, 0)
    second.commit(two, 0)
    assert ids(table) == [1]
    assert files(table) == 1


def test_batches_without_rows_make_no_snapshot(table, monkeypatch):
    sink = Sink(table)
    sink.run(monkeypatch, 0, rows())
    sink.run(monkeypatch, 1)
    assert table.refresh().snapshots() == []
    sink.run(monkeypatch, 2, rows(1))
    sink.run(monkeypatch, 3, rows(), overwrite=True)
    assert ids(table) == []
    assert len(table.snapshots()) == 2


def test_complete_batches_replace_all_rows_once(table, monkeypatch):
    sink = Sink(table)
    sink.run(monkeypatch, 0, rows(1, 2), overwrite=True)
    sink.run(monkeypatch, 1, rows(3), overwrite=True)
    sink.run(monkeypatch, 1, rows(3), overwrite=True)
    assert ids(table) == [3]
    assert len(table.snapshots()) == 2


def test_a_batch_that_failed_leaves_no_file_and_runs_again(table, monkeypatch):
    sink = Sink(table)
    messages = sink.written(monkeypatch, rows(1), rows(2))
    sink.writer().abort([*messages[:1], None], 0)
    assert files(table) == 1
    sink.writer().abort(messages, 0)
    assert files(table) == 0
    sink.run(monkeypatch, 0, rows(1), rows(2))
    assert ids(table) == [1, 2]


def test_a_commit_that_failed_is_aborted_and_runs_again(table, monkeypatch):
    sink = Sink(table)
    messages = sink.written(monkeypatch, rows(1))
    writer = sink.writer()

    def fails(*_: Any, **__: Any) -> None:
        raise FloebergError("the catalog is down")

    monkeypatch.setattr(writer._target.table, "commit_receipts", fails)
    with pytest.raises(FloebergError, match="the catalog is down"):
        writer.commit(messages, 0)
    sink.writer().abort(messages, 0)
    assert files(table) == 0
    sink.run(monkeypatch, 0, rows(1))
    assert ids(table) == [1]


@pytest.mark.parametrize("happened", [True, False])
def test_files_of_a_commit_whose_outcome_is_unknown_are_kept(table, monkeypatch, happened):
    sink = Sink(table)
    messages = sink.written(monkeypatch, rows(1))
    writer = sink.writer()
    commit = writer._target.table.commit_receipts

    def unknown(*arguments: Any, **named: Any) -> None:
        if happened:
            commit(*arguments, **named)
        raise CommitStateUnknownError("the answer was lost")

    monkeypatch.setattr(writer._target.table, "commit_receipts", unknown)
    with pytest.raises(CommitStateUnknownError):
        writer.commit(messages, 0)
    sink.writer().abort(messages, 0)
    assert files(table) == 1
    sink.run(monkeypatch, 0, rows(1))
    assert ids(table) == [1]
    assert len(table.snapshots()) == 1
    assert not commit_marker.is_outcome_unknown(f"{QUERY}-0") or happened


def test_an_abort_after_a_commit_that_spark_did_not_hear_of_removes_nothing(table, monkeypatch):
    sink = Sink(table)
    messages = sink.written(monkeypatch, rows(1))
    sink.writer().commit(messages, 0)
    sink.writer().abort(messages, 0)
    assert ids(table) == [1] and files(table) == 1


def test_a_batch_whose_query_is_not_known_is_an_error(table, monkeypatch):
    sink = Sink(table, None)
    messages = sink.written(monkeypatch, rows(1))
    with pytest.raises(UnsupportedError, match="the id of their query"):
        sink.writer().commit(messages, 0)
    assert ids(table) == []


def test_a_table_that_changes_between_batches(table, monkeypatch):
    sink = Sink(table)
    sink.run(monkeypatch, 0, rows(1))
    table.refresh().update_schema().add_column("more", "long").commit()
    sink.run(monkeypatch, 1, rows(2))
    assert table.refresh().scan().to_arrow()["more"].null_count == 2
    wider = spark.StructType([*SCHEMA.fields, spark.StructField("new", spark.IntegerType())])
    found = rows(3).append_column(pa.field("new", pa.int32()), pa.array([5], pa.int32()))
    with pytest.raises(InvalidInputError, match="new"):
        sink.run(monkeypatch, 2, found, schema=wider)
    for _ in range(2):
        Sink(table, merge_schema="true").run(monkeypatch, 2, found, schema=wider)
    assert ids(table) == [1, 2, 3]
    assert table.schema().column_names == ["id", "part", "more", "new"]


def test_a_branch_has_batches_of_its_own(table, monkeypatch):
    first = append(table, 9)
    table.manage_snapshots().create_branch(first, "audit").commit()
    for branch in ("audit", "main", "audit"):
        Sink(table, branch=branch, fanout_enabled="true").run(monkeypatch, 0, rows(1))
    assert ids(table) == [1, 9]
    assert sorted(table.scan(branch="audit").to_arrow()["id"].to_pylist()) == [1, 9]


def test_lance_tables_are_refused(tmp_path):
    place = str(tmp_path / "t.lance")
    fb.lance.create_table(place, rows(1))
    with pytest.raises(UnsupportedError, match="is a Lance table, and one of Iceberg was expected"):
        FloebergDataSource(CaseInsensitiveDict({"path": place})).streamWriter(schema=SCHEMA, overwrite=False)
    upsert = floeberg.spark.upsert_batches(place, ["id"], query_id="one")
    with pytest.raises(
        UnsupportedError, match="is a Lance table, and batches of streams are upserted into tables of"
    ):
        upsert(None, 0)


def test_a_branch_that_is_made_of_main_has_its_batches(table, monkeypatch):
    for number in range(2):
        Sink(table).run(monkeypatch, number, rows(number))
    # The query goes on in a branch that is not there yet, with the batch that was not noted.
    for number in (1, 2):
        Sink(table, branch="audit").run(monkeypatch, number, rows(number))
    assert ids(table) == [0, 1]
    assert sorted(table.scan(branch="audit").to_arrow()["id"].to_pylist()) == [0, 1, 2]


def test_batches_of_an_audited_table_go_to_the_branch_of_the_catalog(tmp_path, monkeypatch):
    place = {"type": "filesystem", "warehouse": str(tmp_path)}
    table = table_in(tmp_path, properties={"write.wap.enabled": "true"})
    append(table, 9)
    sink = Sink(table)
    options = {
        "table": "db.t",
        "catalog": "streams",
        **{f"catalog.{key}": value for key, value in place.items()},
    }
    sink.options = options | {"catalog.wap.branch": "audit"}
    for number in (0, 0, 1, 0):
        sink.run(monkeypatch, number, rows(number))
    assert ids(table) == [9]
    assert sorted(table.scan(branch="audit").to_arrow()["id"].to_pylist()) == [0, 1, 9]
    sink.options = options | {"catalog.wap.id": "load-1"}
    with pytest.raises(UnsupportedError, match="cannot stage"):
        sink.writer()


@pytest.mark.parametrize(
    "option", ["idempotency-key", "overwrite-mode", "overwrite-filter", "validate-from-snapshot-id"]
)
def test_options_that_are_not_for_streams_are_errors(table, option):
    with pytest.raises(InvalidInputError, match=f"'{option}' is not for streams"):
        Sink(table, **{option: "1"}).writer()


def test_a_stream_of_a_table_into_itself_reads_what_it_writes_once_more(table, monkeypatch):
    append(table, 1)
    stream, sink = Stream(table), Sink(table)
    for number in range(3):
        found = pa.Table.from_pylist(stream.batch(), rows().schema)
        sink.run(monkeypatch, number, found)
    assert ids(table) == [1, 1, 1, 1]
