"""Types and names of new columns: CHAR and VARCHAR are strings, and names that differ by case alone are one name."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


@pytest.fixture
def exact(spark):
    spark.conf.set("spark.sql.caseSensitive", "true")
    yield
    spark.conf.set("spark.sql.caseSensitive", "false")


def kinds(lake, name):
    return {each.name: str(each.field_type) for each in lake.load_table(name).schema().fields}


@pytest.mark.parametrize(
    "setting", ["preserveCharVarcharTypeInfo", "legacy.charVarcharAsString", "charAsVarchar"]
)
def test_char_and_varchar_are_strings(spark, lake, sql, setting):
    for value in ("true", "false"):
        spark.conf.set(f"spark.sql.{setting}", value)
        try:
            sql(
                "CREATE OR REPLACE TABLE db.t (x VARCHAR(3) NOT NULL COMMENT 'short', y CHAR(5), l ARRAY<VARCHAR(2)>)"
            )
            sql("ALTER TABLE db.t ADD COLUMNS (z VARCHAR(9), s STRUCT<c: CHAR(1)>)")
            sql("ALTER TABLE db.t ALTER COLUMN z TYPE VARCHAR(20)")
            sql("INSERT INTO db.t (x, y) SELECT CAST('long text' AS STRING), CAST('b' AS CHAR(3))")
            sql(
                "CREATE OR REPLACE TABLE db.u AS SELECT CAST('a' AS CHAR(3)) AS c, array(CAST('b' AS VARCHAR(3))) AS v"
            )
            sql("REPLACE TABLE db.u (c CHAR(4), v ARRAY<CHAR(4)>)")
        finally:
            spark.conf.set(f"spark.sql.{setting}", "false")
        field = lake.load_table("db.t").schema().find_field("x")
        assert (str(field.field_type), field.required, field.doc) == ("string", True, "short")
        assert list(kinds(lake, "db.t").values())[:2] == ["string", "string"]
        assert kinds(lake, "db.t")["z"] == "string"
        assert kinds(lake, "db.u")["c"] == "string"
        assert lake.load_table("db.t").scan().to_arrow()["x"].to_pylist() == ["long text"]


TWICE = {
    # Statements, and the name that is there twice. Spark refuses those of tables of its own.
    "CREATE TABLE {t} (a INT, A INT)": "A",
    "CREATE TABLE {t} (a INT, a INT)": "a",
    "CREATE TABLE {t} (s STRUCT<x: INT, X: INT>)": "s.X",
    "CREATE TABLE {t} (l ARRAY<STRUCT<y: STRUCT<q: INT, Q: INT>>>)": "l.element.y.Q",
    "CREATE TABLE {t} (m MAP<STRUCT<x: INT, X: INT>, INT>)": "m.key.X",
    "CREATE TABLE {t} (m MAP<INT, STRUCT<x: INT, X: INT>>)": "m.value.X",
    "CREATE TABLE {t} AS SELECT 1 AS a, 2 AS A": "A",
    "CREATE TABLE {t} AS SELECT named_struct('a', 1, 'A', 2) AS s": "s.A",
    "ALTER TABLE {base} ADD COLUMN ID INT": "ID",
    "ALTER TABLE {base} ADD COLUMNS (q INT, Q INT)": "Q",
    "INSERT INTO {base} (id, ID) VALUES (1, 2)": "id",
    "INSERT INTO {base} BY NAME SELECT 1 AS id, 2 AS ID": "id",
}
OURS = {
    "ALTER TABLE db.base ADD COLUMN n STRUCT<x: INT, X: INT>": "n.X",
    "ALTER TABLE db.base ADD COLUMN s.X INT": "s.X",
    "ALTER TABLE db.base ADD COLUMN l.element.Y INT": "l.element.Y",
    "ALTER TABLE db.base ADD COLUMN l.Y INT": "l.Y",
    "ALTER TABLE db.base RENAME COLUMN s TO Id": "Id",
    "ALTER TABLE db.base RENAME COLUMN s.x TO W": "s.W",
    "UPDATE db.base SET id = 1, ID = 2": "id",
    "MERGE INTO db.base t USING (SELECT 1 AS id, 2 AS ID) s ON t.id = s.id WHEN MATCHED THEN DELETE": "id",
    "REPLACE TABLE db.base (a INT, A INT)": "A",
    "CREATE OR REPLACE TABLE db.base (a INT, A INT)": "A",
}


@pytest.fixture
def base(spark, lake, sql):
    columns = "(id INT, s STRUCT<x: INT, w: INT>, l ARRAY<STRUCT<y: INT>>)"
    sql(f"CREATE TABLE db.base {columns}")
    spark.sql(f"CREATE TABLE plain_base {columns} USING parquet")
    yield kinds(lake, "db.base")
    spark.sql("DROP TABLE plain_base")
    spark.sql("DROP TABLE IF EXISTS plain_t")


@pytest.mark.parametrize("text", [*TWICE, *OURS])
def test_names_that_differ_by_case_alone_are_refused(spark, lake, sql, base, text):
    with pytest.raises(InvalidInputError, match=rf"'{(TWICE | OURS)[text]}'"):
        sql(text.format(t="db.t", base="db.base"))
    assert not lake.table_exists("db.t")
    assert kinds(lake, "db.base") == base
    if text in TWICE:
        using = text.format(
            t="plain_t USING parquet" if "AS SELECT" in text else "plain_t", base="plain_base"
        )
        with pytest.raises(AnalysisException):
            spark.sql(using if "AS SELECT" in text or "CREATE" not in text else f"{using} USING parquet")


def test_writes_of_frames_refuse_such_names(spark, lake):
    with pytest.raises(InvalidInputError, match="'a' and 'A'"):
        floeberg.spark.write(
            spark.range(1).selectExpr("1 AS a", "2 AS A"), "db.t", catalog=lake, mode="create"
        )
    assert not lake.table_exists("db.t")


def test_a_column_gets_its_own_name_in_another_case(lake, sql):
    sql("CREATE TABLE db.t (id INT, s STRUCT<x: INT>)")
    sql("ALTER TABLE db.t RENAME COLUMN ID TO Id")
    sql("ALTER TABLE db.t RENAME COLUMN s.x TO X")
    assert kinds(lake, "db.t") == {"Id": "int", "s": "struct<3: X: optional int>"}


@pytest.mark.usefixtures("exact")
def test_where_case_counts_such_names_are_two(lake, sql):
    sql("CREATE TABLE db.t (id INT, ID INT, s STRUCT<x: INT, X: INT>)")
    sql("INSERT INTO db.t (ID, id, s) VALUES (2, 1, named_struct('x', 1, 'X', 2))")
    sql("INSERT INTO db.t BY NAME SELECT 5 AS ID, 6 AS id")
    assert sql("SELECT ID, id, s.X FROM db.t WHERE ID = 2 AND id < 5").collect() == [(2, 1, 2)]
    sql(
        "MERGE INTO db.t t USING (SELECT 1 AS id, 20 AS ID, 5 AS x) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET ID = s.ID, s.X = s.x"
    )
    sql(
        "MERGE INTO db.t t USING (SELECT 9 AS id, 90 AS ID, named_struct('x', 1, 'X', 2) AS s) q ON t.id = q.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    sql("UPDATE db.t SET ID = id + 1, s.x = 7 WHERE ID = 20")
    sql("ALTER TABLE db.t ADD COLUMN Id INT")
    sql("ALTER TABLE db.t RENAME COLUMN Id TO iD")
    sql("CREATE TABLE db.u AS SELECT id, ID FROM db.t WHERE id = 9")
    with pytest.raises(InvalidInputError, match="no column 'iD'"):
        sql("UPDATE db.u SET iD = 1")
    with pytest.raises(InvalidInputError, match="two columns 'a' and 'a'$"):
        sql("CREATE TABLE db.v (a INT, a INT)")
    rows = lake.load_table("db.t").scan().to_arrow().sort_by("id").to_pylist()
    assert rows == [
        {"id": 1, "ID": 2, "s": {"x": 7, "X": 5}, "iD": None},
        {"id": 6, "ID": 5, "s": None, "iD": None},
        {"id": 9, "ID": 90, "s": {"x": 1, "X": 2}, "iD": None},
    ]
    assert lake.load_table("db.u").scan().to_arrow().to_pylist() == [{"id": 9, "ID": 90}]


def test_frames_find_columns_by_their_exact_names_first(spark, lake):
    table = lake.create_table("db.t", pa.schema({"id": pa.int64(), "ID": pa.int64()}))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        floeberg.spark.write(spark.sql("SELECT 2L AS ID, 1L AS id"), table)
    finally:
        spark.conf.set("spark.sql.caseSensitive", "false")
    assert table.refresh().scan().to_arrow().to_pylist() == [{"id": 1, "ID": 2}]
