"""Temporary views and cached tables show what a plain SELECT would show at that time."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError, NoSuchTableError, UnsupportedError


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    catalog.create_table("db.t", as_select=pa.table({"id": [1, 2, 3], "s": ["a", "b", "c"]}))
    return catalog


@pytest.fixture
def sql(spark, lake):
    yield lambda text, args=None, **more: floeberg.spark.sql(spark, text, args, catalog=lake, **more)
    for each in spark.catalog.listTables():
        if each.isTemporary:
            spark.catalog.dropTempView(each.name)
    spark.catalog.dropGlobalTempView("everywhere")
    spark.catalog.clearCache()


def add(lake, *numbers):
    """Rows that another process adds."""
    rows = {"id": list(numbers), "s": [f"n{each}" for each in numbers]}
    fb.load_catalog("lake", type="filesystem", warehouse=lake.properties["warehouse"]).load_table(
        "db.t"
    ).append(pa.table(rows))


def ids(frame):
    return sorted(row[0] for row in frame.collect())


def test_a_view_of_a_query_follows_its_tables(spark, sql, lake):
    sql("CREATE OR REPLACE TEMP VIEW v AS SELECT id, upper(s) AS s FROM db.t WHERE id > 1 -- the newer\n")
    assert ids(sql("SELECT id FROM v")) == [2, 3]
    add(lake, 4)
    # Spark itself shows what it was when it was made last.
    assert ids(spark.sql("SELECT id FROM v")) == [2, 3]
    assert ids(sql("SELECT v.id FROM v JOIN db.t t ON v.id = t.id")) == [2, 3, 4]
    assert ids(spark.table("v")) == [2, 3, 4]
    lake.load_table("db.t").delete("id = 2")
    assert ids(sql("SELECT id FROM v")) == [3, 4]
    sql("ALTER TABLE db.t ADD COLUMN more int")
    assert sql("SELECT * FROM v").columns == ["id", "s"]


def test_a_view_has_the_columns_comments_and_parameters_that_it_was_given(sql, lake):
    sql(
        "CREATE TEMPORARY VIEW v (i COMMENT 'the key', `odd name`) COMMENT 'some' AS SELECT id + :more, s FROM db.t "
        "WHERE id >= :least",
        {"more": 10, "least": 2},
    )
    add(lake, 9)
    found = sql("DESCRIBE v").collect()
    assert [(row.col_name, row.comment) for row in found] == [("i", "the key"), ("odd name", None)]
    assert ids(sql("SELECT i FROM v")) == [12, 13, 19]
    with pytest.raises(PySparkException, match="ALREADY_EXISTS"):
        sql("CREATE TEMP VIEW v AS SELECT id FROM db.t")
    assert ids(sql("SELECT i FROM v")) == [12, 13, 19]
    with pytest.raises(PySparkException, match="mismatch|MISMATCH"):
        sql("CREATE OR REPLACE TEMP VIEW w (a, b) AS SELECT id FROM db.t")
    with pytest.raises(PySparkException, match="IF NOT EXISTS"):
        sql("CREATE TEMP VIEW IF NOT EXISTS w AS SELECT id FROM db.t")
    with pytest.raises(PySparkException):
        sql("CREATE TEMP VIEW db.w AS SELECT id FROM db.t")
    with pytest.raises(InvalidInputError, match="reads a view of its own name"):
        sql("CREATE OR REPLACE TEMP VIEW v AS SELECT v.i AS id FROM v JOIN db.t ON v.i = t.id")


@pytest.mark.parametrize(
    "case",
    [
        ("SELECT id FROM db.t.branch_b", [1, 2, 3], [1, 2, 3]),
        ("SELECT id FROM db.t VERSION AS OF 'b'", [1, 2, 3], [1, 2, 3]),
        ("SELECT count(*) AS id FROM db.t.snapshots", [1], [2]),
        ("TABLE db.t", [1, 2, 3], [1, 2, 3, 4]),
        ("SELECT * FROM IDENTIFIER('lake.db.' || 't')", [1, 2, 3], [1, 2, 3, 4]),
        (
            "WITH a AS (WITH b AS (SELECT * FROM db.t) SELECT * FROM b) SELECT id FROM a",
            [1, 2, 3],
            [1, 2, 3, 4],
        ),
        ("SELECT id FROM few UNION SELECT id FROM db.t", [0, 1, 2, 3], [0, 1, 2, 3, 4]),
    ],
)
def test_a_view_of_a_branch_stays_and_others_follow(spark, sql, lake, case):
    text, first, then = case
    spark.range(2).createOrReplaceTempView("few")
    table = lake.load_table("db.t")
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "b").commit()
    sql(f"CREATE TEMP VIEW v AS {text}")
    assert ids(sql("SELECT id FROM v")) == first
    add(lake, 4)
    assert ids(sql("SELECT id FROM v")) == then


def test_views_of_views_follow_what_they_read(spark, sql, lake):
    sql("CREATE TEMP VIEW one AS SELECT * FROM db.t")
    sql("CREATE TEMP VIEW two AS SELECT id FROM one WHERE id > 1")
    add(lake, 4)
    assert ids(sql("SELECT * FROM two")) == [2, 3, 4]
    floeberg.spark.create_view(spark, "named", "db.t", catalog=lake)
    sql("CREATE TEMP VIEW over_named AS SELECT max(id) AS id FROM named")
    add(lake, 5)
    assert ids(sql("SELECT * FROM over_named")) == [5]
    sql("CREATE OR REPLACE TEMP VIEW one AS SELECT * FROM db.t WHERE id < 3")
    assert ids(sql("SELECT * FROM two")) == [2]
    # A view of Spark's own takes its name.
    spark.sql("CREATE OR REPLACE TEMP VIEW one AS SELECT 7L AS id, 'x' AS s")
    assert ids(sql("SELECT id FROM one")) == [7]
    assert ids(sql("SELECT id FROM two")) == [7]


def test_a_view_of_spark_that_a_view_reads_is_the_newest(spark, sql):
    spark.range(2).createOrReplaceTempView("few")
    sql("CREATE TEMP VIEW v AS SELECT t.id FROM db.t JOIN few ON t.id > few.id AND few.id = 1")
    assert ids(sql("SELECT id FROM v")) == [2, 3]
    spark.range(1).createOrReplaceTempView("few")
    assert ids(sql("SELECT id FROM v")) == []


def test_global_views_are_seen_by_other_sessions(spark, sql, lake):
    sql("CREATE OR REPLACE GLOBAL TEMPORARY VIEW everywhere AS SELECT id FROM db.t")
    add(lake, 4)
    other = spark.newSession()
    text = "SELECT id FROM global_temp.everywhere"
    assert ids(floeberg.spark.sql(other, text, catalog=lake)) == [1, 2, 3, 4]
    assert ids(spark.sql(text)) == [1, 2, 3, 4]


def test_a_view_whose_table_is_gone_is_an_error_and_can_be_dropped(spark, sql, lake):
    sql("CREATE TEMP VIEW v AS SELECT id FROM db.t")
    lake.drop_table("db.t")
    with pytest.raises(NoSuchTableError):
        sql("SELECT * FROM v")
    sql("DROP VIEW v")
    assert not spark.catalog.tableExists("v")
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_NOT_FOUND"):
        sql("SELECT * FROM v")


def is_read_from_cache(frame):
    return "InMemoryRelation" in frame._jdf.queryExecution().executedPlan().toString()


def test_a_cached_table_is_read_from_the_cache_as_long_as_it_is_what_the_table_is(sql, lake):
    sql("CACHE TABLE db.t")
    assert is_read_from_cache(sql("SELECT id FROM db.t WHERE id > 1"))
    assert is_read_from_cache(sql("SELECT a.id FROM lake.db.t a JOIN db.t b USING (id)"))
    assert not is_read_from_cache(sql("SELECT id, _pos FROM db.t"))
    assert not is_read_from_cache(sql("SELECT id FROM db.t", reader="arrow"))
    add(lake, 4)
    found = sql("SELECT id FROM db.t")
    assert ids(found) == [1, 2, 3, 4]
    assert is_read_from_cache(sql("SELECT id FROM db.t"))
    sql("INSERT INTO db.t VALUES (5, 'e')")
    sql("DELETE FROM db.t WHERE id = 1")
    assert ids(sql("SELECT id FROM db.t")) == [2, 3, 4, 5]
    assert ids(sql("SELECT id FROM db.t VERSION AS OF 'main'")) == [2, 3, 4, 5]
    sql("REFRESH TABLE db.t")
    assert ids(sql("SELECT id FROM db.t")) == [2, 3, 4, 5]
    sql("UNCACHE TABLE db.t")
    assert not is_read_from_cache(sql("SELECT id FROM db.t"))
    sql("UNCACHE TABLE db.t")


def test_a_table_is_cached_lazily_where_its_options_say(sql, lake):
    sql("CACHE LAZY TABLE lake.db.t OPTIONS ('storageLevel' 'DISK_ONLY')")
    found = sql("SELECT id FROM lake.db.t")
    assert is_read_from_cache(found)
    assert "disk" in found._jdf.queryExecution().executedPlan().toString().lower()
    assert ids(found) == [1, 2, 3]
    lake.drop_table("db.t")
    lake.create_table("db.t", as_select=pa.table({"id": [9], "s": ["z"]}))
    assert ids(sql("SELECT id FROM lake.db.t")) == [9]
    sql("CLEAR CACHE")
    assert not is_read_from_cache(sql("SELECT id FROM lake.db.t"))
    for options, error in (
        ("'storageLevel' 'EVERYWHERE'", "expected one of NONE"),
        ("'a' = 'b'", "storageLevel"),
    ):
        with pytest.raises(InvalidInputError, match=error):
            sql(f"CACHE TABLE db.t OPTIONS ({options})")
    with pytest.raises(UnsupportedError, match="metadata table"):
        sql("CACHE TABLE db.t.files")


def test_a_branch_is_cached_apart_from_its_table(sql, lake):
    table = lake.load_table("db.t")
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "b").commit()
    sql("CACHE TABLE db.t.branch_b")
    table.append(pa.table({"id": [4], "s": ["d"]}))
    assert ids(sql("SELECT id FROM db.t.branch_b")) == [1, 2, 3]
    assert ids(sql("SELECT id FROM db.t")) == [1, 2, 3, 4]
    sql("INSERT INTO db.t.branch_b VALUES (5, 'e')")
    assert ids(sql("SELECT id FROM db.t.branch_b")) == [1, 2, 3, 5]


@pytest.mark.parametrize("word", ["", "LAZY"])
def test_a_cached_query_is_a_view_that_follows_its_tables(spark, sql, lake, word):
    sql(
        f"CACHE {word} TABLE kept OPTIONS ('storageLevel' 'MEMORY_ONLY') AS SELECT id FROM db.t WHERE id > :n",
        {"n": 1},
    )
    assert spark.catalog.isCached("kept")
    assert ids(sql("SELECT id FROM kept")) == [2, 3]
    assert is_read_from_cache(sql("SELECT id FROM kept"))
    add(lake, 4)
    assert ids(sql("SELECT id FROM kept")) == [2, 3, 4]
    assert spark.catalog.isCached("kept")
    sql("UNCACHE TABLE kept")
    assert not spark.catalog.isCached("kept")
    add(lake, 5)
    assert ids(sql("SELECT id FROM kept")) == [2, 3, 4, 5]
    with pytest.raises(PySparkException, match="ALREADY_EXISTS"):
        sql("CACHE TABLE kept AS SELECT id FROM db.t")
    with pytest.raises(PySparkException):
        sql("CACHE TABLE other OPTIONS ('storageLevel' 'EVERYWHERE') AS SELECT id FROM db.t")
    assert not spark.catalog.tableExists("other")


def test_a_cached_view_follows_its_table(spark, sql, lake):
    floeberg.spark.create_view(spark, "named", "db.t", catalog=lake)
    sql("CACHE TABLE named")
    sql("CREATE TEMP VIEW v AS SELECT id FROM named WHERE id > 2")
    sql("CACHE TABLE v")
    add(lake, 4)
    assert ids(sql("SELECT id FROM v")) == [3, 4]
    assert ids(sql("SELECT id FROM named")) == [1, 2, 3, 4]
