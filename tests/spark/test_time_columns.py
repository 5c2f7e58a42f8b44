"""Columns of times where Spark takes none: what does not need them works, and errors name the column and setting."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest
from pyspark.sql import types as spark_types

import floeberg as fb
import floeberg.spark
from floeberg.errors import UnsupportedError

SETTING = "spark.sql.timeType.enabled"
AT = [datetime.time(1), datetime.time(2, 3, 4, 5)]
pytestmark = pytest.mark.skipif(
    not hasattr(spark_types, "TimeType"), reason="before PySpark 4.1 there are no times at all"
)


@pytest.fixture(params=["false", "true"])
def takes_times(request, spark):
    before = spark.conf.get(SETTING)
    spark.conf.set(SETTING, request.param)
    yield request.param == "true"
    assert spark.conf.get(SETTING) == request.param
    spark.conf.set(SETTING, before)


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    kinds = pa.schema({"id": pa.int64(), "s": pa.struct({"at": pa.list_(pa.time64("us"))}), "v": pa.int64()})
    rows = [{"id": number, "s": {"at": AT[:number]}, "v": number} for number in (1, 2)]
    catalog.create_table("db.t", kinds).append(pa.Table.from_pylist(rows, kinds))
    return catalog


def test_entrances_work_or_name_the_column_and_the_setting(spark, lake, takes_times):
    table = lake.load_table("db.t")

    def ours(text):
        return floeberg.spark.sql(spark, text, catalog=lake)

    reads = [
        lambda: floeberg.spark.table(spark, table).count(),
        lambda: floeberg.spark.table(spark, table, reader="arrow").count(),
        lambda: floeberg.spark.create_view(spark, "times", table).count(),
    ]
    for read in reads:
        if takes_times:
            assert read() == 2
            continue
        with pytest.raises(UnsupportedError, match=rf"column 's.at.element' is of type time, .*{SETTING}"):
            read()
    assert floeberg.spark.table(spark, table, columns=["id"]).count() == 2
    assert spark.read.format("floeberg").option("columns", "id").load(table.location()).count() == 2
    assert ours("SELECT count(*), sum(v) FROM db.t WHERE id > 0").first() == (2, 3)
    assert ours("SELECT id FROM db.t.changes").count() == 2


@pytest.mark.usefixtures("takes_times")
def test_changes_carry_times_along(spark, lake):
    def ours(text):
        done = floeberg.spark.sql(spark, text, catalog=lake).first()
        return done.updated_rows, done.deleted_rows, done.inserted_rows

    assert ours("UPDATE db.t SET v = v * 10 WHERE id % 2 = 0") == (1, 0, 0)
    assert ours(
        "MERGE INTO db.t t USING (SELECT 1L AS id UNION ALL SELECT 5L) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET "
        "v = 7 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    ) == (1, 0, 1)
    assert ours("INSERT INTO db.t SELECT id + 10, s, v FROM db.t WHERE id = 2") == (0, 0, 1)
    assert ours("DELETE FROM db.t WHERE id % 10 = 5") == (0, 1, 0)
    floeberg.spark.sql(spark, "CREATE TABLE db.made (at TIME, s STRUCT<at: TIME>)", catalog=lake)
    floeberg.spark.sql(spark, "ALTER TABLE db.made ADD COLUMN more TIME", catalog=lake)
    assert str(lake.load_table("db.made").schema().find_type("more")) == "time"
    rows = lake.load_table("db.t").scan().to_arrow().sort_by("id").to_pylist()
    assert rows == [
        {"id": 1, "s": {"at": AT[:1]}, "v": 7},
        {"id": 2, "s": {"at": AT}, "v": 20},
        {"id": 12, "s": {"at": AT}, "v": 20},
    ]
