"""`floeberg.spark.write`: what becomes of a table, and into which files rows go."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import CommitConflictError, InvalidInputError, NoSuchTableError, TableAlreadyExistsError
from floeberg.spark.write import frame as writing

SCHEMA = pa.schema({"id": pa.int64(), "city": pa.string(), "ts": pa.timestamp("us", "UTC")})
ROWS = "SELECT id, concat('c', id % 4) AS city, timestamp_seconds(id * 86400) AS ts FROM range({})"


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


def ids(table):
    return sorted(table.refresh().scan().to_arrow()["id"].to_pylist())


def test_each_mode_changes_what_it_names(spark, lake):
    def put(query, **options):
        return floeberg.spark.write(spark.sql(query), "db.t", catalog=lake, **options)

    with pytest.raises(NoSuchTableError):
        put(ROWS.format(2))
    made = put(ROWS.format(4), mode="create", partition_spec=["city"], properties={"owner": "jo"})
    table = lake.load_table("db.t")
    assert (made.added_rows, ids(table), table.properties["owner"], len(table.snapshots())) == (
        4,
        [0, 1, 2, 3],
        "jo",
        1,
    )
    with pytest.raises(TableAlreadyExistsError):
        put(ROWS.format(2), mode="create")
    put("SELECT 10L AS ID, 'c9' AS City", idempotency_key="once")
    assert put("SELECT 10L AS id, 'c9' AS city", idempotency_key="once").already_committed
    assert ids(table) == [0, 1, 2, 3, 10]
    put("SELECT 20L AS id, 'c9' AS city", mode="overwrite", overwrite_filter="city = 'c9'")
    put("SELECT 30L AS id, 'c0' AS city", mode="dynamic", snapshot_properties={"job": "x"})
    assert (ids(table), table.current_snapshot().summary["job"]) == ([1, 2, 3, 20, 30], "x")
    table.manage_snapshots().create_branch(None, "audit").commit()
    put("SELECT 40L AS id, 'c0' AS city", branch="audit")
    assert (ids(table), table.scan().use_ref("audit").count()) == ([1, 2, 3, 20, 30], 6)
    with pytest.raises(InvalidInputError, match="note"):
        put("SELECT 50L AS id, 'n' AS note")
    put("SELECT 50L AS id, 'n' AS note", merge_schema=True)
    assert table.refresh().schema().column_names == ["id", "city", "ts", "note"]
    put("SELECT 1 AS one", mode="replace")
    put("SELECT 2L AS two", mode="create_or_replace")
    assert table.refresh().schema().column_names == ["two"]
    assert len(table.snapshots()) == 8
    for options, words in (
        ({"mode": "errorifexists"}, "expected one of append"),
        ({"properties": {"a": "b"}}, "for a table that the write makes"),
        ({"overwrite_filter": "two = 1"}, "is for mode 'overwrite'"),
        ({"mode": "create", "merge_schema": True}, "leave out branch"),
        ({"distribution_mode": "sorted"}, "expected none, hash or range"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            put("SELECT 1L AS two", **options)


def test_rows_of_a_partition_come_to_one_task(spark, lake):
    frame = spark.sql(ROWS.format(400)).repartition(8)
    for spec, mode, files in (
        (["city"], "hash", 4),
        (["bucket(3, id)"], "hash", 3),
        (["truncate(1, city)", "year(ts)"], "hash", 2),
        (["city"], "range", 5),
    ):
        name = f"db.t_{mode}_{abs(hash(spec[0]))}"
        table = lake.create_table(
            name, SCHEMA, partition_spec=spec, properties={"write.distribution-mode": mode}
        )
        done = floeberg.spark.write(frame, table)
        assert done.added_files <= files, (spec, mode)
        assert ids(table) == list(range(400))
    apart = lake.create_table("db.none", SCHEMA, partition_spec=["city"])
    assert floeberg.spark.write(frame, apart, distribution_mode="none").added_files == 32
    assert floeberg.spark.write(frame, apart).added_files == 4


def test_a_write_that_fails_leaves_the_table_and_no_file_of_its_commit(spark, lake, tmp_path, monkeypatch):
    table = lake.create_table("db.t", SCHEMA)
    with pytest.raises(PySparkException, match="no"):
        floeberg.spark.write(spark.sql("SELECT CAST(raise_error('no') AS BIGINT) AS id"), table)
    run = writing.run_tasks

    def slow(*arguments):
        done = run(*arguments)
        lake.load_table("db.t").append(pa.table({"id": pa.array([7], pa.int64())}))
        return done

    monkeypatch.setattr(writing, "run_tasks", slow)
    with pytest.raises(CommitConflictError):
        floeberg.spark.write(spark.sql(ROWS.format(3)), table, mode="overwrite")
    assert (ids(table), len(list(tmp_path.rglob("*.parquet")))) == ([7], 1)


@pytest.mark.parametrize(
    ("reader", "planning"), [("native", "auto"), ("arrow", "auto"), ("arrow", "distributed")]
)
def test_an_overwrite_with_older_rows_of_the_table_loses_no_newer_ones(spark, lake, reader, planning):
    table = lake.create_table("db.t", SCHEMA.remove(2), partition_spec=["city"])
    table.append(pa.table({"id": [1, 2], "city": ["a", "b"]}))
    how = {"reader": reader, "planning": planning}
    frame = floeberg.spark.table(spark, "db.t", catalog=lake, **how)
    frame.createOrReplaceTempView("before")
    table.append(pa.table({"id": [3], "city": ["a"]}))
    for mode in ("overwrite", "dynamic"):
        with pytest.raises(CommitConflictError, match="added a file"):
            floeberg.spark.write(frame.selectExpr("id + 10 AS id", "city"), "db.t", catalog=lake, mode=mode)
    with pytest.raises(CommitConflictError, match="added a file"):
        floeberg.spark.sql(spark, "INSERT OVERWRITE db.t SELECT * FROM before", catalog=lake)
    assert ids(table) == [1, 2, 3]
    floeberg.spark.write(frame, "db.t", catalog=lake)
    assert ids(table) == [1, 1, 2, 2, 3]
    newer = floeberg.spark.table(spark, "db.t", catalog=lake, **how).distinct()
    floeberg.spark.write(newer, "db.t", catalog=lake, mode="overwrite")
    assert ids(table) == [1, 2, 3]


@pytest.mark.parametrize("reader", ["auto", "arrow"])
def test_an_overwrite_by_a_query_that_keeps_no_column_loses_no_newer_rows(spark, lake, reader):
    table = lake.create_table("db.t", SCHEMA.remove(2))
    table.append(pa.table({"id": [1, 2], "city": ["a", "b"]}))
    frame = floeberg.spark.table(spark, "db.t", catalog=lake, reader=reader)
    frame.createOrReplaceTempView("before")
    made = frame.selectExpr("max(id) AS id", "'most' AS city")
    made.createOrReplaceTempView("most")
    table.append(pa.table({"id": [3], "city": ["a"]}))
    newest = floeberg.spark.table(spark, "db.t", catalog=lake, reader=reader)
    with pytest.raises(CommitConflictError, match="added a file"):
        floeberg.spark.write(made, "db.t", catalog=lake, mode="overwrite")
    queries = [
        "SELECT id, city FROM most",
        "SELECT 9L, 'x' WHERE 2 = (SELECT max(id) FROM before)",
        "WITH c AS (SELECT count(*) AS n FROM before) SELECT n, 'x' FROM c",
        "SELECT count(*), 'x' FROM before JOIN db.t USING (id)",
    ]
    for query in queries:
        with pytest.raises(CommitConflictError, match="added a file"):
            floeberg.spark.sql(spark, f"INSERT OVERWRITE db.t {query}", catalog=lake)
    kept = made.cache()
    kept.count()
    if reader == "auto":
        with pytest.raises(CommitConflictError, match="added a file"):
            floeberg.spark.write(kept, "db.t", catalog=lake, mode="overwrite")
    kept.unpersist()
    assert ids(table) == [1, 2, 3]
    floeberg.spark.write(
        newest.selectExpr("max(id) AS id", "'most' AS city"), "db.t", catalog=lake, mode="overwrite"
    )
    assert ids(table) == [3]
