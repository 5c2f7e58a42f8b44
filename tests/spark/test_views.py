"""Temporary views and DataFrames whose table changes: what they show, and what is overwritten through them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb


@pytest.fixture
def table(tmp_path) -> fb.Table:
    """An empty table in a folder."""
    catalog = fb.load_catalog("views", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog.create_table("db.t", pa.schema([("id", pa.int64())]))


@pytest.fixture
def view(spark, table):
    """A temporary view of the table."""

    def create() -> None:
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW seen USING floeberg OPTIONS (path '{table.location()}')")

    create()
    yield create
    spark.sql("DROP VIEW seen")


def ids(table: fb.Table) -> list[int]:
    return sorted(table.refresh().scan().to_arrow()["id"].to_pylist())


def stray(table: fb.Table) -> set[str]:
    """The data files that no snapshot has."""
    named = set(table.refresh().inspect.all_files()["file_path"].to_pylist())
    return {str(path) for path in Path(table.location()).rglob("*.parquet")} - named


def test_a_view_shows_what_is_there_at_its_first_query_until_it_is_made_again(spark, table, view):
    spark.sql("INSERT INTO seen VALUES (1L), (2L)")
    assert spark.sql("SELECT count(*) FROM seen").first()[0] == 2
    spark.sql("INSERT INTO seen VALUES (3L)")
    twice = spark.sql("SELECT count(*) FROM seen a JOIN seen b USING (id)").first()[0]
    assert (ids(table), twice) == ([1, 2, 3], 2)
    view()
    assert spark.sql("SELECT count(*) FROM seen").first()[0] == 3


@pytest.mark.parametrize("shuffled", ["", "DISTRIBUTE BY id"])
def test_a_view_that_is_older_than_its_table_does_not_overwrite_it(spark, table, view, shuffled):
    table.append(pa.table({"id": [1]}))
    assert spark.sql("SELECT count(*) FROM seen").first()[0] == 1
    spark.sql("INSERT INTO seen VALUES (2L)")
    before = stray(table)
    with pytest.raises(PySparkException, match="CommitConflictError: a conflicting change was committed"):
        spark.sql(f"INSERT OVERWRITE seen SELECT id * 10 FROM seen {shuffled}")
    assert (ids(table), stray(table)) == ([1, 2], before)
    view()
    spark.sql(f"INSERT OVERWRITE seen SELECT id * 10 FROM seen {shuffled}")
    assert ids(table) == [10, 20]
    # Rows of elsewhere are not those of an old snapshot.
    spark.sql("INSERT INTO seen VALUES (4L)")
    spark.sql("INSERT OVERWRITE seen SELECT id FROM range(3)")
    assert ids(table) == [0, 1, 2]


@pytest.mark.parametrize("options", [{}, {"isolation-level": "serializable"}])
def test_a_frame_that_is_older_than_its_table_does_not_overwrite_it(spark, table, options):
    table.append(pa.table({"id": [1]}))
    frame = spark.read.format("floeberg").load(table.location())
    assert frame.count() == 1
    table.append(pa.table({"id": [2]}))
    write = frame.selectExpr("id + 1 AS id").repartition(2).write.format("floeberg").options(**options)
    with pytest.raises(PySparkException, match="CommitConflictError"):
        write.mode("overwrite").save(table.location())
    assert (ids(table), stray(table)) == ([1, 2], set())


def test_a_scan_that_is_older_than_its_table_does_not_overwrite_it_unless_its_snapshot_was_chosen(
    spark, table
):
    table.append(pa.table({"id": [1]}))
    frame = table.scan().to_spark(spark)
    chosen = table.scan(snapshot_id=table.snapshots()[0].snapshot_id).to_spark(spark)
    table.append(pa.table({"id": [2]}))
    with pytest.raises(PySparkException, match="CommitConflictError"):
        frame.write.format("floeberg").mode("overwrite").save(table.location())
    assert ids(table) == [1, 2]
    chosen.write.format("floeberg").mode("overwrite").save(table.location())
    assert ids(table) == [1]


@pytest.mark.parametrize("reader", ["auto", "arrow"])
def test_an_older_frame_stands_in_the_way_of_no_newer_one(spark, table, reader):
    table.append(pa.table({"id": [1]}))
    older = table.scan().to_spark(spark)
    assert older.count() == 1
    table.append(pa.table({"id": [2]}))
    newer = table.refresh().scan().to_spark(spark, reader=reader)
    # None of its columns is the frame's own.
    newer.selectExpr("id * 10 AS id").write.format("floeberg").mode("overwrite").save(table.location())
    assert ids(table) == [10, 20]
    # A table without files gives a frame as well.
    table.refresh().delete("id > 0")
    emptied = table.refresh().scan().to_spark(spark, reader=reader)
    changed = emptied.selectExpr("id * 10 AS id")
    changed.write.format("floeberg").mode("overwrite").save(table.location())
    assert ids(table) == []
    with pytest.raises(PySparkException, match="CommitConflictError"):
        older.write.format("floeberg").mode("overwrite").save(table.location())
