"""Inserts of several kinds: one source into several tables, and rows that bring columns with them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    rows = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "s": ["a", "b", "c"]})
    catalog.create_table("db.t", as_select=rows)
    for name in ("one", "other"):
        catalog.create_table(f"db.{name}", rows.schema)
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text, args=None: floeberg.spark.sql(spark, text, args, catalog=lake)


def content(lake, name):
    found = lake.load_table(name).scan().to_arrow().to_pylist()
    return sorted((tuple(row.values()) for row in found), key=repr)


def test_one_source_is_inserted_into_a_table(sql, lake):
    done = sql("FROM db.t INSERT INTO db.one SELECT id + 10, upper(s) WHERE id > :n", {"n": 1})
    assert [row.inserted_rows for row in done.collect()] == [2]
    assert content(lake, "db.one") == [(12, "B"), (13, "C")]
    sql("WITH q AS (SELECT 7 AS id, 'q' AS s) FROM q INSERT OVERWRITE TABLE db.one SELECT *")
    assert content(lake, "db.one") == [(7, "q")]
    sql(
        "FROM db.t LATERAL VIEW explode(array(1, 2)) x AS n INSERT INTO db.one (s) SELECT concat(s, n) WHERE id = 1"
    )
    assert content(lake, "db.one")[1:] == [(None, "a1"), (None, "a2")]
    sql("INSERT INTO db.other TABLE db.t")
    sql("INSERT INTO TABLE db.other (s, id) (SELECT s, id FROM db.t)")
    sql("INSERT INTO db.other FROM db.t SELECT id * 100, s WHERE id = 3")
    assert content(lake, "db.other") == sorted([*content(lake, "db.t") * 2, (300, "c")], key=repr)


def test_one_source_is_inserted_into_several_tables_as_it_was_before(sql, lake):
    done = sql(
        """-- the small and the large ones
        FROM (SELECT id, s FROM db.t) x -- once
        INSERT INTO db.one SELECT id, s WHERE id < 3
        INSERT INTO db.t SELECT id + 10, CASE WHEN s = 'a' THEN 'INSERT' ELSE s END GROUP BY id, s
        INSERT INTO db.t SELECT id + 20, s ORDER BY id LIMIT 1;"""
    )
    assert [row.inserted_rows for row in done.collect()] == [2, 3, 1]
    assert content(lake, "db.one") == [(1, "a"), (2, "b")]
    assert [row[0] for row in content(lake, "db.t")] == [1, 11, 12, 13, 2, 21, 3]


def test_of_several_inserts_none_is_made_where_one_cannot_be(spark, sql, lake):
    spark.sql("CREATE TABLE of_spark (id INT, s STRING) USING parquet")
    try:
        for text, error in (
            ("INSERT INTO db.one SELECT id, s INSERT INTO db.other SELECT id", "has 1 columns"),
            (
                "INSERT INTO db.one SELECT id, s INSERT INTO spark_catalog.default.of_spark SELECT id, s",
                "one INSERT",
            ),
            ("INSERT INTO db.one SELECT id, s UNION SELECT 1, 'x'", "one SELECT for each"),
        ):
            with pytest.raises(FloebergError, match=error):
                sql(f"FROM db.t {text}")
            assert content(lake, "db.one") == content(lake, "db.other") == []
    finally:
        spark.sql("DROP TABLE of_spark")


def test_an_insert_brings_columns_and_wider_types(sql, lake):
    table = lake.load_table("db.t")
    sql(
        "INSERT WITH SCHEMA EVOLUTION INTO db.t SELECT 1L << 40, 'd', 2.5e0 AS size, named_struct('x', 1) AS place"
    )
    assert [str(each.field_type) for each in table.refresh().schema().fields[:3]] == [
        "long",
        "string",
        "double",
    ]
    assert len(table.snapshots()) == 2
    sql(
        "INSERT WITH SCHEMA EVOLUTION INTO TABLE db.t BY NAME "
        "SELECT named_struct('x', 2, 'y', 3L) AS place, 5 AS ID, current_date() AS day"
    )
    schema = table.refresh().schema()
    assert schema.column_names == ["id", "s", "size", "place", "place.x", "place.y", "day"]
    kept = {row["id"]: row for row in table.scan().to_arrow().to_pylist()}
    assert kept[5]["place"] == {"x": 2, "y": 3}
    assert (kept[5]["s"], kept[1]["size"]) == (None, None)
    assert kept[1 << 40]["place"] == {"x": 1, "y": None}
    sql("INSERT WITH SCHEMA EVOLUTION OVERWRITE db.one SELECT 1, 'a', true AS flag")
    assert content(lake, "db.one") == [(1, "a", True)]
    before = table.metadata_location
    for text, error in (
        ("SELECT 1", "has 1 columns"),
        ("SELECT 1L, 's', 1e0, NULL, current_date(), 1 AS size", "given twice"),
        ("BY NAME SELECT 'x' AS id", "'id' is of type bigint"),
    ):
        with pytest.raises(InvalidInputError, match=error):
            sql(f"INSERT WITH SCHEMA EVOLUTION INTO db.t {text}")
    assert table.refresh().metadata_location == before
    with pytest.raises(FloebergError):
        sql("INSERT INTO db.t SELECT 1L, 's', 1e0, NULL, current_date(), 1 AS more")


def test_a_merge_brings_the_columns_that_it_assigns(spark, sql, lake):
    table = lake.load_table("db.t")
    spark.sql("SELECT 2 AS id, 9L AS n, 'x' AS unused UNION ALL SELECT 4, 8L, 'y'").createOrReplaceTempView(
        "new_rows"
    )
    on = "USING new_rows s ON t.id = s.id"
    with pytest.raises((FloebergError, PySparkException)):
        sql(f"MERGE INTO db.t t {on} WHEN MATCHED THEN UPDATE SET n = s.n")
    done = sql(
        f"MERGE WITH SCHEMA EVOLUTION INTO db.t t {on} WHEN MATCHED THEN UPDATE SET n = s.n "
        "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)"
    )
    assert (done.first().updated_rows, done.first().inserted_rows) == (1, 1)
    assert table.refresh().schema().column_names == ["id", "s", "n"]
    assert content(lake, "db.t") == [(1, "a", None), (2, "b", 9), (3, "c", None), (4, None, 8)]
    sql(
        "MERGE WITH SCHEMA EVOLUTION INTO db.t t USING (SELECT 1L << 40 AS id, 'new' AS more) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert str(table.refresh().schema().find_type("id")) == "long"
    assert content(lake, "db.t")[0] == (1, "a", None, None)
    assert (1 << 40, None, None, "new") in content(lake, "db.t")
    before = table.metadata_location
    with pytest.raises(UnsupportedError, match="expected"):
        sql("UPDATE WITH SCHEMA EVOLUTION db.t SET id = 1")
    assert table.refresh().metadata_location == before
