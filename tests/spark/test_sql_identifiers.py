"""Names and statements that are put together: IDENTIFIER(..) and EXECUTE IMMEDIATE."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError, InvalidInputError, NoSuchTableError, UnsupportedError


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    catalog.create_table("db.t", as_select=pa.table({"id": [1, 2, 3], "s": ["a", "b", "c"]}))
    catalog.create_table("db.odd name", as_select=pa.table({"id": [7], "s": ["z"]}))
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text, args=None: floeberg.spark.sql(spark, text, args, catalog=lake)


def ids(frame):
    return sorted(row[0] for row in frame.collect())


@pytest.mark.parametrize(
    ("text", "args", "expected"),
    [
        ("SELECT id FROM IDENTIFIER(:name)", {"name": "db.t"}, [1, 2, 3]),
        ("SELECT id FROM IDENTIFIER('lake.db.t') WHERE id > 1", None, [2, 3]),
        ("SELECT id FROM identifier ( 'db' || '.t' ) /* all */", None, [1, 2, 3]),
        ("SELECT id FROM IDENTIFIER(:db || '.t') x WHERE x.id = :id", {"db": "db", "id": 2}, [2]),
        ("SELECT id FROM IDENTIFIER(?) WHERE id > ? AND s < ?", ["db.t", 1, "c"], [2]),
        ("SELECT id FROM IDENTIFIER(:name)", {"name": "db.`odd name`"}, [7]),
        ("SELECT id FROM IDENTIFIER('db').t", None, [1, 2, 3]),
        ("SELECT IDENTIFIER('t.id') FROM IDENTIFIER('db.t') WHERE IDENTIFIER('abs')(-id) = 3", None, [3]),
        ("SELECT id FROM IDENTIFIER(:name) VERSION AS OF 'main'", {"name": "db.t"}, [1, 2, 3]),
        ("SELECT id FROM IDENTIFIER(:name)", {"name": "db.t.branch_main"}, [1, 2, 3]),
        ("WITH a AS (SELECT * FROM IDENTIFIER(:n)) SELECT a.id FROM a", {"n": "db.t"}, [1, 2, 3]),
        ("TABLE IDENTIFIER(:name)", {"name": "db.t"}, [1, 2, 3]),
        ("SELECT count(*) FROM IDENTIFIER('db.t.snapshots')", None, [1]),
        ("SELECT id FROM IDENTIFIER(table_name)", None, [1, 2, 3]),
        ("SELECT 'IDENTIFIER(1)' IS NULL, id FROM db.t WHERE id = 1", None, [False]),
    ],
)
def test_a_name_is_what_its_text_says(spark, sql, text, args, expected):
    spark.sql("DECLARE OR REPLACE VARIABLE table_name = 'db.t'")
    try:
        assert ids(sql(text, args)) == expected
    finally:
        spark.sql("DROP TEMPORARY VARIABLE table_name")


def test_a_name_may_stand_in_statements_of_every_kind(sql, lake):
    named = {"n": "db.made"}
    sql("CREATE TABLE IDENTIFIER('lake.' || :n) (id bigint, s string)", named)
    sql("INSERT INTO IDENTIFIER(:n) SELECT id, s FROM IDENTIFIER(:from)", {**named, "from": "db.t"})
    sql("UPDATE IDENTIFIER(:n) SET s = 'x' WHERE id = :id", {**named, "id": 1})
    sql("DELETE FROM IDENTIFIER(:n) WHERE id = 2", named)
    sql("MERGE INTO IDENTIFIER(:n) m USING db.t t ON m.id = t.id WHEN NOT MATCHED THEN INSERT *", named)
    sql("INSERT INTO IDENTIFIER(?) VALUES (9, 'i')", ["db.made"])
    sql("ALTER TABLE IDENTIFIER(:n) RENAME COLUMN s TO IDENTIFIER('text')", named)
    assert ids(sql("SELECT id FROM db.made WHERE text <> 'x'")) == [2, 3, 9]
    assert sql("DESCRIBE IDENTIFIER(:n)", named).first().col_name == "id"
    assert sql("SHOW COLUMNS IN IDENTIFIER(:n)", named).count() == 2
    assert "Physical Plan" in sql("EXPLAIN SELECT * FROM IDENTIFIER(:n)", named).first().plan
    sql("DROP TABLE IDENTIFIER(:n)", named)
    assert not lake.table_exists("db.made")
    with pytest.raises(NoSuchTableError):
        sql("SELECT * FROM IDENTIFIER(:n)", named)


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("SELECT * FROM IDENTIFIER(1)", None),
        ("SELECT * FROM IDENTIFIER(:n)", {"n": None}),
        ("SELECT * FROM IDENTIFIER(:n)", {}),
        ("SELECT * FROM IDENTIFIER('db.t-x')", None),
        ("SELECT * FROM db.t WHERE id IN (SELECT IDENTIFIER(s) FROM db.t)", None),
    ],
)
def test_what_is_no_name_is_sparks_error(sql, text, args):
    with pytest.raises((FloebergError, PySparkException)):
        sql(text, args).collect()


VALUES = {
    "1": 1,
    "-2": -2,
    "'it''s'": "it's",
    "'a\\\\'": "a\\",
    "CAST(3 AS TINYINT)": 3,
    "2.50BD": Decimal("2.50"),
    "1.5e0": 1.5,
    "true": True,
    "NULL": None,
    "DATE '2026-01-02'": datetime.date(2026, 1, 2),
    "TIMESTAMP '2026-01-02 03:04:05.6'": datetime.datetime(2026, 1, 2, 3, 4, 5, 600000),  # noqa: DTZ001 - as Spark gives it
    "TIMESTAMP_NTZ '2026-01-02 03:04:05'": datetime.datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001 - the same
    "X'00ff'": b"\x00\xff",
    "concat('a', :more)": "ab",
    "CAST(NULL AS INT)": None,
}


@pytest.mark.parametrize("written", VALUES)
def test_a_value_of_using_is_what_spark_gives_it(spark, sql, written):
    more = {"more": "b"}
    text = "EXECUTE IMMEDIATE 'SELECT :v AS v, ''{name}'' AS n{table}' USING {written} AS v"
    own = sql(text.format(name="x", written=written, table=" FROM db.t WHERE id = 1"), more)
    expected = spark.sql(text.format(name="x", written=written, table=""), more)
    assert own.collect() == expected.collect()
    assert own.first().v == VALUES[written]
    assert own.schema["v"].dataType == expected.schema["v"].dataType


def test_statements_of_every_kind_are_run_immediately(spark, sql, lake):
    spark.sql("DECLARE OR REPLACE VARIABLE statement = 'SELECT id FROM db.t WHERE id > ? AND id < ?'")
    spark.sql("DECLARE OR REPLACE VARIABLE least = 1")
    spark.sql("DECLARE OR REPLACE VARIABLE found BIGINT")
    spark.sql("DECLARE OR REPLACE VARIABLE other STRING")
    try:
        assert ids(sql("EXECUTE IMMEDIATE statement USING least, 3")) == [2]
        assert ids(sql("EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id > :least' USING least")) == [2, 3]
        assert ids(
            sql("EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id > :a' USING (session.least AS a)")
        ) == [2, 3]
        assert ids(sql("EXECUTE IMMEDIATE :q USING :n AS n", {"q": "TABLE IDENTIFIER(:n)", "n": "db.t"})) == [
            1,
            2,
            3,
        ]
        sql("EXECUTE IMMEDIATE 'SELECT max(id), min(s) FROM db.t' INTO found, other")
        assert spark.sql("SELECT found, other").collect() == [(3, "a")]
        sql("EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id = ?' INTO found USING 99")
        assert spark.sql("SELECT found").collect() == [(None,)]
        with pytest.raises((PySparkException, Py4JJavaError), match="ROW_SUBQUERY_TOO_MANY_ROWS"):
            sql("EXECUTE IMMEDIATE 'SELECT id FROM db.t' INTO found")
        assert (
            sql("EXECUTE IMMEDIATE 'INSERT INTO db.t VALUES (?, ?)' USING 4, 'd'").first().inserted_rows == 1
        )
        assert sql("EXECUTE IMMEDIATE 'DELETE FROM db.t WHERE id = ?' USING 4").first().deleted_rows == 1
        sql("EXECUTE IMMEDIATE 'CREATE TABLE lake.db.' || 'made (id int)'")
        assert lake.table_exists("db.made")
        nested = "EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE ''SELECT id FROM db.t WHERE id = ?'' USING 2'"
        assert ids(sql(nested)) == [2]
    finally:
        for name in ("statement", "least", "found", "other"):
            spark.sql(f"DROP TEMPORARY VARIABLE {name}")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id = ?' USING array(1)",
            "type array<int> is not supported",
        ),
        ("EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id = ? OR id = ?' USING 1", "more are asked for"),
        (
            "EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id = :b' USING 1 AS a",
            "no value for the parameter 'b'",
        ),
        ("EXECUTE IMMEDIATE CAST(NULL AS STRING)", "expected a text"),
        ("EXECUTE IMMEDIATE 'DELETE FROM db.t' INTO x", "INTO is for queries"),
        ("EXECUTE IMMEDIATE 'SELECT * FROM db.nothing'", "db.nothing"),
    ],
)
def test_what_cannot_be_run_immediately_is_an_error(sql, lake, text, error):
    with pytest.raises((InvalidInputError, UnsupportedError, NoSuchTableError), match=error):
        sql(text)
    assert lake.load_table("db.t").scan().count() == 3
