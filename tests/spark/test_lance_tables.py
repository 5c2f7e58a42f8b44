"""Lance tables by `floeberg.spark.table` and views of them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError


@pytest.fixture
def place(tmp_path):
    location = str(tmp_path / "t.lance")
    fb.lance.create_table(location, pa.table({"k": [1, 2, 3], "v": ["a", "b", "c"]}))
    return location


def keys(frame):
    return sorted(row.k for row in frame.collect())


def test_a_lance_table_is_read_by_its_place(spark, place):
    table = fb.open_table(place)
    assert keys(floeberg.spark.table(spark, place)) == [1, 2, 3]
    some = floeberg.spark.table(spark, table, columns=["K"], filter="k > 1", reader="arrow", planning="local")
    assert (some.columns, keys(some)) == (["k"], [2, 3])
    table.create_tag("old")
    table.append(pa.table({"k": [4], "v": ["d"]}))
    assert keys(floeberg.spark.table(spark, place)) == [1, 2, 3, 4]
    assert keys(floeberg.spark.table(spark, place, tag="old")) == [1, 2, 3]
    assert keys(floeberg.spark.table(spark, fb.open_table(place, version=1))) == [1, 2, 3]


def test_views_of_lance_tables_follow_them(spark, place):
    made = floeberg.spark.create_view(spark, "lance_rows", place, columns=["k"])
    assert keys(made) == [1, 2, 3]
    fb.open_table(place).append(pa.table({"k": [4], "v": ["d"]}))
    catalog = fb.load_catalog("none", type="memory")
    assert floeberg.spark.sql(spark, "SELECT count(*) FROM lance_rows", catalog=catalog).first()[0] == 4
    floeberg.spark.create_view(spark, "lance_rows", fb.open_table(place, version=1))
    fb.open_table(place).append(pa.table({"k": [5], "v": ["e"]}))
    assert floeberg.spark.sql(spark, "SELECT count(*) FROM lance_rows", catalog=catalog).first()[0] == 3
    spark.catalog.dropTempView("lance_rows")


def test_what_is_for_tables_of_iceberg_is_named(spark, place):
    refused = [
        ({"reader": "native"}, UnsupportedError, "reader='native' is for tables of Iceberg"),
        ({"planning": "distributed"}, UnsupportedError, "planning='distributed' is for tables of Iceberg"),
        ({"snapshot_id": 1}, UnsupportedError, "versions and no snapshots"),
        ({"tag": "none"}, NotFoundError, "none"),
        ({"tag": "a", "branch": "b"}, InvalidInputError, "tag and branch|branch and tag"),
    ]
    for options, kind, words in refused:
        with pytest.raises(kind, match=words):
            floeberg.spark.table(spark, place, **options)
        with pytest.raises(kind, match=words):
            floeberg.spark.create_view(spark, "no_view", place, **options)
    with pytest.raises(UnsupportedError, match="planned without tasks"):
        floeberg.spark.plan_files(spark, fb.open_table(place).scan())
    with pytest.raises(UnsupportedError, match="tables of Iceberg"):
        floeberg.spark.upsert_batches(place, join_cols=["k"], query_id="q")(spark.range(1).toDF("k"), 0)
