"""`spark.wap.branch` and `spark.wap.id`: what tables with `write.wap.enabled` do, and others do not."""

from __future__ import annotations

from contextlib import contextmanager

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError, UnsupportedError

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "v": pa.array([10, 20, 30], pa.int64())})
MODES = {f"write.{command}.mode": "merge-on-read" for command in ("delete", "update", "merge")}
MERGE = (
    "MERGE INTO db.t USING (SELECT 1L AS id UNION ALL SELECT 9L) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = t.v + 1 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 9)"
)
STATEMENTS = {
    "INSERT INTO db.t VALUES (4, 40)": [(1, 10), (2, 20), (3, 30), (4, 40)],
    "INSERT OVERWRITE db.t VALUES (4, 40)": [(4, 40)],
    "DELETE FROM db.t WHERE id = 1": [(2, 20), (3, 30)],
    # Spark finds these rows.
    "DELETE FROM db.t WHERE id % 2 = 1": [(2, 20)],
    "UPDATE db.t SET v = v + 1 WHERE id % 2 = 0": [(1, 10), (2, 21), (3, 30)],
    MERGE: [(1, 11), (2, 20), (3, 30), (9, 9)],
}


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    for name, enabled in (("t", "true"), ("free", "false")):
        properties = {**MODES, "write.wap.enabled": enabled}
        catalog.create_table(f"db.{name}", as_select=ROWS, format_version=3, properties=properties)
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


@contextmanager
def setting(spark, **values):
    for key, value in values.items():
        spark.conf.set(f"spark.wap.{key}", value)
    try:
        yield
    finally:
        for key in values:
            spark.conf.unset(f"spark.wap.{key}")


def content(rows):
    return sorted((row["id"], row["v"]) for row in rows)


def read(table, **more):
    return content(table.refresh().scan(**more).to_arrow().to_pylist())


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_change_and_read_the_branch(text, spark, sql, lake):
    expected = STATEMENTS[text].copy()
    table = lake.load_table("db.t")
    with setting(spark, branch="audit"):
        assert content(sql("SELECT * FROM db.t").collect()) == read(table), "there is no branch yet"
        sql(text)
        assert content(sql("SELECT * FROM db.t").collect()) == expected
        frame = floeberg.spark.table(spark, "db.t", catalog=lake)
        assert content(frame.collect()) == expected
        sql("INSERT INTO db.t SELECT id + 100, v FROM db.t WHERE id = 2 OR id = 4")
        assert sql("SELECT * FROM db.t").count() > len(expected)
        assert content(sql("SELECT * FROM db.t.branch_main").collect()) == read(table)
        assert content(sql("SELECT * FROM db.t VERSION AS OF 'main'").collect()) == read(table)
    assert read(table) == content(ROWS.to_pylist()) == content(sql("SELECT * FROM db.t").collect())
    assert set(table.refs()) == {"main", "audit"}
    sql("CALL lake.system.fast_forward('db.t', 'main', 'audit')")
    assert len(read(table)) > len(expected)


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_are_staged_and_published(text, spark, sql, lake):
    table = lake.load_table("db.t")
    with setting(spark, id="w1"):
        sql(text)
        assert content(sql("SELECT * FROM db.t").collect()) == content(ROWS.to_pylist())
        (staged,) = [each for each in table.refresh().snapshots() if each.summary.get("wap.id") == "w1"]
        assert read(table, snapshot_id=staged.snapshot_id) == STATEMENTS[text]
        sql("CALL lake.system.publish_changes('db.t', 'w1')")
    assert read(table) == STATEMENTS[text]


@pytest.mark.parametrize("settings", [{"branch": "audit"}, {"id": "w1"}, {"branch": "audit", "id": "w1"}])
def test_other_tables_are_changed_at_once(settings, spark, sql, lake):
    table = lake.load_table("db.free")
    with setting(spark, **settings):
        sql("INSERT INTO db.free VALUES (4, 40)")
        floeberg.spark.write(spark.createDataFrame([(5, 50)], "id long, v long"), "db.free", catalog=lake)
        assert sql("SELECT * FROM db.free").count() == 5
    assert len(read(table)) == 5
    assert set(table.refs()) == {"main"}


def test_frames_are_written_to_the_branch_or_staged(spark, lake):
    table, frame = lake.load_table("db.t"), spark.createDataFrame([(5, 50)], "id long, v long")
    with setting(spark, branch="audit"):
        floeberg.spark.write(frame, "db.t", catalog=lake)
        floeberg.spark.write(frame, table)
        view = floeberg.spark.create_view(spark, "seen", "db.t", catalog=lake)
        assert view.count() == 5
        with pytest.raises(InvalidInputError, match="names 'main', and wap.branch is 'audit'"):
            floeberg.spark.write(frame, table, branch="main")
    assert len(read(table)) == 3
    with setting(spark, id="w1"):
        done = floeberg.spark.write(frame, table)
    assert len(read(table)) == 3
    assert len(read(table, snapshot_id=done.snapshot_id)) == 4
    spark.catalog.dropTempView("seen")


def test_settings_that_contradict_are_errors(spark, sql):
    with setting(spark, branch="audit", id="w1"), pytest.raises(InvalidInputError, match="both a wap.id"):
        sql("INSERT INTO db.t VALUES (4, 40)")
    with setting(spark, branch="audit"):
        with pytest.raises(InvalidInputError, match="names 'main', and wap.branch is 'audit'"):
            sql("INSERT INTO db.t.branch_main VALUES (4, 40)")
        sql("INSERT INTO db.t VALUES (4, 40)")
        sql("INSERT INTO db.t.branch_audit VALUES (5, 50)")
        assert sql("SELECT * FROM db.t").count() == 5


def test_the_data_source_follows_its_catalog(spark, lake, tmp_path):
    options = {
        "catalog": "lake",
        "table": "db.t",
        "catalog.type": "filesystem",
        "catalog.warehouse": str(tmp_path),
    }
    table, frame = lake.load_table("db.t"), spark.createDataFrame([(5, 50)], "id long, v long")
    audit = {**options, "catalog.wap.branch": "audit"}
    frame.write.format("floeberg").options(**audit).mode("append").save()
    assert (len(read(table)), len(read(table, branch="audit"))) == (3, 4)
    assert spark.read.format("floeberg").options(**audit).load().count() == 4
    assert spark.read.format("floeberg").options(**options).load().count() == 3
    for staging in ({"catalog.wap.id": "w1"}, {"snapshot-property.wap.id": "w1"}):
        with pytest.raises(Exception, match=UnsupportedError.__name__ + ".*cannot stage"):
            frame.write.format("floeberg").options(**options, **staging).mode("append").save()
    assert len(table.refresh().snapshots()) == 2
