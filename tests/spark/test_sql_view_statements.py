"""CREATE, ALTER, DROP, DESCRIBE and SHOW of views of a catalog."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import (
    CommitConflictError,
    InvalidDataError,
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    UnsupportedError,
    ViewAlreadyExistsError,
)


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog(
        "lake", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path / "w")
    )
    catalog.create_namespace("db")
    catalog.create_table("db.t", as_select=pa.table({"id": [1, 2], "s": ["a", "b"]}))
    return catalog


@pytest.fixture
def sql(spark, lake):
    yield lambda text, args=None, **more: floeberg.spark.sql(spark, text, args, catalog=lake, **more)
    for each in spark.catalog.listTables():
        if each.isTemporary:
            spark.catalog.dropTempView(each.name)


def rows(frame):
    return sorted(map(tuple, frame.collect()))


def test_what_is_created_is_what_the_specification_says(sql, lake):
    text = "SELECT id + 1, s -- the rest\nFROM t"
    sql(
        f"CREATE VIEW db.v (k COMMENT 'the key', `odd name`) COMMENT 'all' "
        f"TBLPROPERTIES ('a' = 'b', 'n' = 3) AS {text};"
    )
    view = lake.load_view("db.v")
    version = view.current_version()
    assert [(each.dialect, each.sql) for each in version.representations] == [("spark", text)]
    assert (version.default_catalog, version.default_namespace) == (None, ("db",))
    assert version.summary["engine-name"] == "floeberg"
    assert [(each.name, str(each.field_type), each.required, each.doc) for each in view.schema().fields] == [
        ("k", "long", False, "the key"),
        ("odd name", "string", False, None),
    ]
    assert view.properties == {
        "comment": "all",
        "a": "b",
        "n": "3",
        "spark.query-column-names": "(id + 1),s",
    }
    assert view.check().is_sound()
    assert rows(sql("SELECT k, `odd name` FROM db.v")) == [(2, "a"), (3, "b")]
    with pytest.raises(ViewAlreadyExistsError):
        sql("CREATE VIEW db.v AS SELECT 1 AS one")
    sql("CREATE VIEW IF NOT EXISTS db.v AS SELECT 1 AS one")
    assert lake.load_view("db.v").metadata_location == view.metadata_location
    sql("CREATE OR REPLACE VIEW lake.db.v AS TABLE t")
    view.refresh()
    assert [each.version_id for each in view.history()] == [1, 2]
    assert (view.sql_for("spark").sql, view.schema().column_names) == ("TABLE t", ["id", "s"])
    assert view.properties["a"] == "b"
    assert view.properties["spark.query-column-names"] == "id,s"
    assert rows(sql("TABLE db.v")) == [(1, "a"), (2, "b")]


def test_another_default_catalog_is_kept(sql, tmp_path, monkeypatch):
    monkeypatch.setenv("FLOEBERG_CATALOG__OTHER__URI", f"sqlite:///{tmp_path}/o.db")
    monkeypatch.setenv("FLOEBERG_CATALOG__OTHER__WAREHOUSE", str(tmp_path / "o"))
    other = fb.load_catalog("other")
    other.create_namespace("ns")
    sql("CREATE VIEW other.ns.v AS SELECT id FROM db.t")
    assert other.load_view("ns.v").current_version().default_catalog == "lake"
    assert rows(sql("SELECT * FROM other.ns.v")) == [(1,), (2,)]
    with pytest.raises(
        InvalidInputError, match="'t' has no namespace, and names without a catalog belong to 'lake'"
    ):
        sql("CREATE VIEW other.ns.w AS SELECT id FROM t")
    assert other.list_views("ns") == [("ns", "v")]


@pytest.mark.parametrize(
    "case",
    [
        ("CREATE VIEW db.w AS SELECT id, id FROM t", InvalidInputError, "there are two columns 'id'"),
        (
            "CREATE VIEW db.w (a) AS SELECT id, s FROM t",
            InvalidInputError,
            "1 columns are named, and the query gives 2: 'id', 's'",
        ),
        ("CREATE VIEW db.w (a, b, c) AS SELECT id, s FROM t", InvalidInputError, "3 columns are named"),
        ("CREATE VIEW db.w (a, A) AS SELECT id, s FROM t", InvalidInputError, "two columns 'a' and 'A'"),
        ("CREATE VIEW db.w AS SELECT nothing FROM t", PySparkException, "UNRESOLVED_COLUMN"),
        ("CREATE VIEW db.w AS SELECT id FROM gone", NoSuchTableError, "no table 'db.gone'"),
        (
            "CREATE VIEW db.w AS SELECT id FROM seen",
            InvalidInputError,
            "'seen' is a temporary view of this session",
        ),
        (
            "CREATE VIEW db.w AS WITH a AS (SELECT * FROM seen) SELECT * FROM a",
            InvalidInputError,
            "'seen' is a temporary",
        ),
        ("CREATE VIEW db.w AS SELECT :x AS x", PySparkException, "UNBOUND"),
        ("CREATE VIEW db.w AS INSERT INTO t VALUES (1, 'a')", InvalidInputError, "expected a query"),
        ("CREATE VIEW db.w AS SELECT 1; SELECT 2", InvalidInputError, "expected one query .*, found 2"),
        ("CREATE VIEW db.w AS SELECT interval '1' day AS d", UnsupportedError, "column 'd'"),
        ("CREATE VIEW db.w", UnsupportedError, "expected AS and a query, found the end"),
        (
            "CREATE VIEW db.w PARTITIONED BY (a) AS SELECT 1 AS a",
            UnsupportedError,
            "expected COMMENT, TBLPROPERTIES or AS",
        ),
        (
            "CREATE OR REPLACE VIEW IF NOT EXISTS db.w AS SELECT 1 AS a",
            InvalidInputError,
            "exclude each other",
        ),
        ("CREATE VIEW lake.nowhere.w AS SELECT 1 AS a", NoSuchNamespaceError, "nowhere"),
        ("CREATE VIEW db.t AS SELECT 1 AS a", ViewAlreadyExistsError, "'db.t' is a table"),
        ("CREATE OR REPLACE VIEW db.t AS SELECT 1 AS a", ViewAlreadyExistsError, "'db.t' is a table"),
        ("CREATE TABLE db.v (id INT)", fb.errors.TableAlreadyExistsError, "v"),
        ("ALTER VIEW db.v AS SELECT nothing FROM t", PySparkException, "UNRESOLVED_COLUMN"),
        ("ALTER VIEW db.v ADD COLUMN a INT", UnsupportedError, "expected RENAME TO, SET TBLPROPERTIES"),
        ("ALTER VIEW db.v UNSET TBLPROPERTIES ('nothing')", InvalidInputError, "no property 'nothing'"),
        ("ALTER VIEW db.v RENAME TO t", ViewAlreadyExistsError, "t"),
        ("ALTER VIEW db.gone SET TBLPROPERTIES ('a' = 'b')", NoSuchViewError, "no view 'db.gone'"),
        ("ALTER VIEW db.t RENAME TO x", NoSuchViewError, "'db.t' is a table"),
        ("DROP VIEW db.gone", NoSuchViewError, "no view 'db.gone'"),
        ("DROP VIEW db.t", NoSuchViewError, "'db.t' is a table"),
        ("DROP VIEW IF EXISTS db.t", NoSuchViewError, "'db.t' is a table"),
        ("DROP VIEW db.v PURGE", UnsupportedError, "expected the end of the statement"),
        ("DROP TABLE db.v", NoSuchTableError, "db.v"),
        ("EXPLAIN CREATE VIEW db.w AS SELECT 1 AS one", UnsupportedError, "is of a catalog"),
        ("DESCRIBE db.v nothing", InvalidInputError, "the view has no column 'nothing'"),
    ],
)
def test_a_statement_that_fails_changes_nothing(spark, sql, lake, case):
    text, error, says = case
    sql("CREATE VIEW db.v AS SELECT id FROM t")
    spark.range(2).createOrReplaceTempView("seen")
    before = lake.load_view("db.v").metadata_location
    with pytest.raises(error, match=f"(?s){says}"):
        sql(text, {"x": 1} if ":x" in text else None)
    assert lake.list_views("db") == [("db", "v")]
    assert lake.list_tables("db") == [("db", "t")]
    assert lake.load_view("db.v").metadata_location == before


def test_alter_and_drop(sql, lake):
    sql("CREATE VIEW db.v (k COMMENT 'the key') AS SELECT id FROM t")
    view = lake.load_view("db.v")
    sql("ALTER VIEW db.v SET TBLPROPERTIES ('a' = 'b', c = 'd')")
    sql("ALTER VIEW lake.db.v UNSET TBLPROPERTIES IF EXISTS ('a', 'other')")
    assert view.refresh().properties == {"c": "d", "spark.query-column-names": "id"}
    sql("ALTER VIEW db.v AS SELECT s AS label, id FROM t WHERE id = 2")
    assert rows(sql("SELECT label, id FROM db.v")) == [("b", 2)]
    assert view.refresh().properties["spark.query-column-names"] == "label,id"
    stale = lake.load_view("db.v")
    sql("ALTER VIEW db.v AS SELECT 3 AS id")
    with pytest.raises(CommitConflictError):
        stale.replace_version(stale.schema(), sql={"spark": "SELECT 4 AS id"})
    sql("ALTER VIEW db.v RENAME TO moved")
    lake.create_namespace("more")
    sql("ALTER VIEW db.moved RENAME TO lake.more.moved")
    assert lake.list_views("more") == [("more", "moved")]
    # Names of the statement are still those of the namespace that it was made in.
    assert rows(sql("SELECT * FROM more.moved")) == [(3,)]
    assert lake.load_view("more.moved").uuid() == view.uuid()
    sql("DROP VIEW more.moved")
    sql("DROP VIEW IF EXISTS more.moved")
    assert lake.list_views("more") == []


def test_a_dialect_of_another_engine_is_not_lost(sql, lake):
    lake.create_view(
        "db.v", pa.schema({"n": pa.int64()}), sql={"spark": "SELECT 1L AS n", "trino": "SELECT 1 AS n"}
    )
    for text in ("CREATE OR REPLACE VIEW db.v AS SELECT 2 AS n", "ALTER VIEW db.v AS SELECT 2 AS n"):
        with pytest.raises(InvalidInputError, match="lose the dialects trino"):
            sql(text)
    sql("ALTER VIEW db.v SET TBLPROPERTIES ('replace.drop-dialect.allowed' = 'true')")
    sql("ALTER VIEW db.v AS SELECT 2 AS n")
    assert rows(sql("SELECT * FROM db.v")) == [(2,)]


def test_describe_and_show(spark, sql, lake):
    named = "(k COMMENT 'it`s', label) COMMENT 'all' TBLPROPERTIES ('a' = 'b')"
    sql(f"CREATE VIEW db.v {named} AS SELECT id, s FROM t")
    lake.create_view("db.presto", pa.schema({"n": pa.int32()}), sql={"presto": "SELECT 1 AS n"})
    spark.range(1).createOrReplaceTempView("seen")
    assert rows(sql("DESCRIBE db.v")) == [("k", "bigint", "it`s"), ("label", "string", "")]
    details = {row.col_name: row.data_type for row in sql("DESCRIBE TABLE EXTENDED db.v").collect()}
    assert details["Comment"] == "all"
    assert details["View Catalog and Namespace"] == "`lake`.`db`"
    assert details["View Query Output Columns"] == "[id, s]"
    assert details["View Properties"] == "['a' = 'b']"
    assert rows(sql("DESCRIBE db.v k")) == [("col_name", "k"), ("comment", "it`s"), ("data_type", "bigint")]
    assert rows(sql("SHOW COLUMNS IN db.v")) == [("k",), ("label",)]
    assert rows(sql("SHOW COLUMNS IN v IN db")) == [("k",), ("label",)]
    assert rows(sql("SHOW TBLPROPERTIES db.v")) == [("a", "b"), ("comment", "all")]
    assert rows(sql("SHOW TBLPROPERTIES db.v ('a')")) == [("a", "b")]
    assert rows(sql("SHOW TBLPROPERTIES db.v (x.y)")) == [
        ("x.y", "View lake.db.v does not have property: x.y")
    ]
    assert rows(sql("SHOW VIEWS IN db")) == [("", "seen", True), ("db", "presto", False), ("db", "v", False)]
    assert rows(sql("SHOW VIEWS FROM lake.db LIKE 'v*'")) == [("db", "v", False)]
    assert rows(sql("SHOW TABLES IN db")) == [("db", "t", False)]
    made = sql("SHOW CREATE TABLE db.v").first()[0]
    sql(made.replace("`v`", "`copy`"))
    copy, view = lake.load_view("db.copy"), lake.load_view("db.v")
    assert (copy.schema(), copy.properties, copy.sql_for("spark")) == (
        view.schema(),
        view.properties,
        view.sql_for("spark"),
    )
    assert "-- in presto\nSELECT 1 AS n" in sql("SHOW CREATE TABLE db.presto").first()[0]


def test_a_catalog_without_views_says_so(spark, tmp_path):
    files = fb.load_catalog("files", type="filesystem", warehouse=str(tmp_path / "f"))
    files.create_namespace("db")
    for text in (
        "CREATE VIEW db.v AS SELECT 1 AS a",
        "DROP VIEW db.v",
        "ALTER VIEW db.v AS SELECT 1 AS a",
        "SHOW VIEWS IN db",
    ):
        with pytest.raises(UnsupportedError, match="FileSystemCatalog keeps no views"):
            floeberg.spark.sql(spark, text, catalog=files).collect()


def test_views_of_spark_are_sparks(spark, sql):
    sql("CREATE VIEW one_of_spark AS SELECT 1 AS a")
    sql("CREATE OR REPLACE VIEW default.one_of_spark AS SELECT 2 AS a")
    sql("ALTER VIEW one_of_spark SET TBLPROPERTIES ('a' = 'b')")
    assert rows(sql("SELECT * FROM one_of_spark")) == [(2,)]
    assert ("default", "one_of_spark", False) in rows(sql("SHOW VIEWS"))
    sql("DROP VIEW one_of_spark")
    assert not spark.catalog.tableExists("one_of_spark")


def test_the_text_of_a_view_keeps_what_would_be_put_instead(spark, sql, lake):
    sql(
        "CREATE VIEW db.v AS SELECT CAST(lake.system.bucket(4, id) AS INT) AS b FROM IDENTIFIER(:name)",
        {"name": "db.t"},
    )
    assert (
        lake.load_view("db.v").sql_for("spark").sql
        == "SELECT CAST(lake.system.bucket(4, id) AS INT) AS b FROM `db`.`t`"
    )
    assert sql("SELECT * FROM db.v").count() == 2
    spark.conf.set("my.least", "2")
    sql("CREATE VIEW db.w AS SELECT id FROM t WHERE id >= ${my.least}")
    assert lake.load_view("db.w").sql_for("spark").sql == "SELECT id FROM t WHERE id >= 2"
    spark.conf.unset("my.least")


def test_a_broken_view_below_is_named(sql, lake):
    lake.create_view("db.broken", pa.schema({"a": pa.int32()}), sql={"spark": "SELECT gone FROM t"})
    with pytest.raises(InvalidDataError, match=r"UNRESOLVED_COLUMN.*\(view: lake.db.broken\)"):
        sql("CREATE VIEW db.v AS SELECT * FROM broken")
