"""Iceberg's functions in SQL have the values of partitions, wherever they stand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError

ROWS = """
SELECT id, cast(id AS int) AS n, concat('text ', id) AS s, cast(id AS decimal(9, 2)) / 3 AS amount,
       timestamp_seconds(id * 100000 - 200000) AS ts, date_add(DATE '1970-01-01', cast(id AS int) * 400 - 500) AS day,
       timestamp_ntz'1969-12-31 23:30:00' AS wall, encode(concat('text ', id), 'utf-8') AS b FROM range(6)
"""


@pytest.fixture(scope="module")
def lake(spark, tmp_path_factory):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path_factory.mktemp("lake")))
    catalog.create_namespace("db")
    floeberg.spark.sql(
        spark,
        "CREATE TABLE lake.db.t PARTITIONED BY (bucket(4, s), truncate(6, s), truncate(2, n), days(ts), year(day), "
        f"bucket(8, id), hour(wall)) AS {ROWS}",
        catalog=catalog,
    )
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text, args=None: floeberg.spark.sql(spark, text, args, catalog=lake)


def test_values_are_those_of_the_partitions(sql):
    wrong = sql(
        """
        SELECT * FROM (SELECT _partition AS p, id, n, s, ts, day, wall FROM db.t)
        WHERE p.s_bucket_4 <> lake.system.bucket(4, s) OR p.s_trunc_6 <> lake.system.truncate(6, s)
           OR p.n_trunc_2 <> system.truncate(2, n) OR p.ts_day <> System.DAYS(ts) OR p.day_year <> system.years(day)
           OR p.id_bucket_8 <> `lake`.`system`.`bucket`(8, id) OR p.wall_hour <> system.hours(wall)
        """
    )
    assert wrong.collect() == []
    assert sql(
        "SELECT DISTINCT lake.system.hours(wall), lake.system.months(day) < 0 FROM db.t WHERE id = 0"
    ).collect() == [(-1, True)]


def test_functions_stand_wherever_a_value_may(spark, sql, lake):
    found = sql(
        """
        WITH a AS (SELECT id, s, amount, b FROM db.t WHERE lake.system.bucket(2, id) = 0)
        SELECT lake.system.truncate(:w, a.s) AS t, system.truncate(1, a.amount) AS d, system.truncate(4, b) AS b,
               system.truncate(3, CAST(a.id AS INT)) + 0 AS i, system.truncate(10, upper(concat(a.s, '!'))) AS u
        FROM a WHERE system.bucket(:n, a.id) >= 0 ORDER BY a.id
        """,
        {"w": 3, "n": 5},
    )
    assert [each.dataType.simpleString() for each in found.schema] == [
        "string",
        "decimal(13,6)",
        "binary",
        "int",
        "string",
    ]
    assert {(row.t, bytes(row.b)) for row in found.collect()} == {("tex", b"text")}
    counted = "SELECT system.bucket(2, id) AS k, count(*) FROM db.t GROUP BY system.bucket(2, id) ORDER BY 1"
    assert sum(row[1] for row in sql(counted).collect()) == 6
    lake.create_table("db.c", as_select=pa.table({"id": list(range(10))}))
    zeros = sql("SELECT count(*) FROM db.c WHERE system.bucket(2, id) = 0").first()[0]
    assert sql("DELETE FROM db.c WHERE lake.system.bucket(2, id) = 0").first().deleted_rows == zeros > 0
    sql("UPDATE db.c SET id = lake.system.truncate(5, id) WHERE system.bucket(2, id) = 1")
    assert {row[0] for row in sql("SELECT id FROM db.c").collect()} <= {0, 5}
    sql("CREATE TEMP VIEW shards AS SELECT lake.system.bucket(2, id) AS k FROM db.t")
    assert {row[0] for row in sql("SELECT k FROM shards").collect()} == {0, 1}
    spark.catalog.dropTempView("shards")
    assert sql("SELECT lake.system.bucket(16, CAST(34 AS INT)), system.bucket(16, 34L)").collect() == [(3, 3)]
    assert sql("SELECT system.truncate(10, -1), system.truncate(2, NULL || 'x')").collect() == [(-10, None)]
    assert sql("SELECT system.iceberg_version()").first()[0] == f"floeberg {fb.__version__}"
    assert "floeberg_bucket" in sql("EXPLAIN SELECT system.bucket(2, id) FROM db.t").first().plan


def test_days_are_those_of_utc_in_every_zone(spark, sql):
    spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
    try:
        text = "SELECT system.days(TIMESTAMP '1970-01-01 20:00:00'), system.years(TIMESTAMP '1969-12-31 20:00:00')"
        assert [str(each) for each in sql(text).first()] == ["1970-01-02", "0"]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("SELECT system.truncate(2, 1.5e0)", "of type double: expected whole numbers"),
        ("SELECT system.truncate(s) FROM db.t", "a width and a value"),
        ("SELECT system.iceberg_version(1)", "no arguments"),
        ("SELECT other.system.bucket(2, 1)", "REQUIRES_SINGLE_PART_NAMESPACE|UNRESOLVED_ROUTINE"),
        ("SELECT system.nothing(2, 1)", "UNRESOLVED_ROUTINE"),
        ("SELECT system.bucket(0, id) FROM db.t", "expected a number from 1"),
        (
            "SELECT system.bucket(2, cast(id AS double)) FROM db.t",
            "cannot be applied to an Arrow array of Float64",
        ),
    ],
)
def test_what_is_no_transform_is_an_error(sql, text, error):
    with pytest.raises((InvalidInputError, UnsupportedError, FloebergError, PySparkException), match=error):
        sql(text).collect()
