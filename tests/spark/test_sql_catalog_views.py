"""Views of catalogs in statements: what a query of a view gives is what its statement gives, under its own names."""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import (
    InvalidDataError,
    InvalidInputError,
    LimitExceededError,
    NoSuchTableError,
    NotFoundError,
    UnsupportedError,
)

ROWS = {"id": [1, 2, 3], "s": ["a", "b", "c"]}
ONE = pa.schema({"id": pa.int64()})


def make(folder, name, namespace="db"):
    catalog = fb.load_catalog(
        name, type="sql", uri=f"sqlite:///{folder}/{name}.db", warehouse=str(folder / name)
    )
    catalog.create_namespace(namespace)
    return catalog


@pytest.fixture
def lake(tmp_path):
    catalog = make(tmp_path, "lake")
    catalog.create_table("db.t", as_select=pa.table(ROWS))
    return catalog


@pytest.fixture
def sql(spark, lake):
    yield lambda text, args=None, **more: floeberg.spark.sql(spark, text, args, catalog=lake, **more)
    for each in spark.catalog.listTables():
        if each.isTemporary:
            spark.catalog.dropTempView(each.name)
    spark.catalog.clearCache()


def rows(frame):
    return sorted(map(tuple, frame.collect()))


def view(lake, name, statement, schema=ONE, **more):
    return lake.create_view(name, schema, sql={"spark": statement}, **more)


def test_a_view_has_its_own_names_types_and_comments(sql, lake):
    schema = pa.schema(
        [
            pa.field("k", pa.int64(), metadata={"doc": "the key"}),
            pa.field("label", pa.string()),
            pa.field("n", pa.decimal128(20, 2)),
        ]
    )
    view(lake, "db.v", "SELECT CAST(id AS int), s, CAST(1.5 AS DECIMAL(3, 1)) FROM t WHERE id > 1", schema)
    found = sql("SELECT * FROM db.v")
    assert [str(each) for each in found.schema] == [
        "StructField('k', LongType(), True)",
        "StructField('label', StringType(), True)",
        "StructField('n', DecimalType(20,2), False)",
    ]
    assert found.schema["k"].metadata["comment"] == "the key"
    assert [tuple(map(str, row)) for row in rows(found)] == [("2", "b", "1.50"), ("3", "c", "1.50")]
    assert rows(sql("SELECT v.k, db.v.label FROM db.v WHERE lake.db.v.k = 2")) == [(2, "b")]
    assert rows(sql("SELECT x.k FROM lake.db.v AS x JOIN db.t ON x.k = t.id AND t.s = 'c'")) == [(3,)]
    assert rows(sql("SELECT id FROM db.t WHERE id IN (SELECT k FROM db.v) AND EXISTS (TABLE db.v)")) == [
        (2,),
        (3,),
    ]
    assert rows(sql("TABLE db.v")) == rows(found)


def test_a_comment_of_a_table_is_not_one_of_the_view(sql, lake):
    sql("COMMENT ON COLUMN db.t.id IS 'of the table'")
    view(lake, "db.v", "SELECT id FROM t")
    assert "comment" not in sql("SELECT * FROM db.v").schema["id"].metadata
    assert sql("SELECT id FROM db.t").schema["id"].metadata["comment"] == "of the table"


def test_a_view_shows_the_newest_rows_and_one_snapshot_in_a_statement(sql, lake):
    view(lake, "db.v", "SELECT id FROM t")
    sql("INSERT INTO db.t SELECT id + 10, 'x' FROM db.v")
    assert rows(sql("SELECT count(*) FROM db.v")) == [(6,)]
    assert rows(sql("SELECT (SELECT count(*) FROM db.v) - (SELECT count(*) FROM db.t)")) == [(0,)]
    merged = sql(
        "MERGE INTO db.t USING db.v s ON t.id = s.id AND s.id > 10 WHEN MATCHED THEN UPDATE SET s = 'y'"
    )
    assert merged.first().updated_rows == 3
    assert "FileScan" in sql("EXPLAIN SELECT * FROM db.v").first().plan
    assert [row.col_name for row in sql("DESCRIBE QUERY SELECT id AS i FROM db.v").collect()] == ["i"]


def test_names_mean_what_they_mean_to_the_view(spark, sql, lake, tmp_path):
    other = make(tmp_path, "other", "far.off")
    other.create_table("far.off.t", as_select=pa.table({"id": [70]}))
    lake.create_namespace("second")
    lake.create_table("second.t", as_select=pa.table({"id": [50]}))
    # What the session has under a name of the statement is somebody else's.
    spark.range(100).createOrReplaceTempView("t")
    view(lake, "db.own", "SELECT id FROM t")
    view(lake, "db.elsewhere", "SELECT id FROM t", default_namespace="second")
    view(lake, "db.whole", "SELECT second.t.id FROM second.t")
    assert [
        rows(sql(f"SELECT count(*), max(id) FROM db.{each}")) for each in ("own", "elsewhere", "whole")
    ] == [
        [(3, 3)],
        [(1, 50)],
        [(1, 50)],
    ]
    # One in another catalog reads tables of both.
    other.create_view(
        "far.off.both", ONE, sql={"spark": "SELECT id FROM t UNION SELECT lake.db.t.id FROM lake.db.t"}
    )
    other.create_view("far.off.ours", ONE, sql={"spark": "SELECT id FROM db.t"}, default_catalog="lake")
    for name, says in (
        ("both", r"the catalog 'other' has no table 'lake.db.t' \(view: other.far.off.both\)"),
        ("ours", r"its default catalog 'lake', which neither .* \(view: other.far.off.ours\)"),
    ):
        with pytest.raises(NotFoundError, match=says):
            floeberg.spark.sql(spark, f"SELECT * FROM far.off.{name}", catalog=other)


def test_views_of_two_catalogs_read_each_other(sql, lake, tmp_path, monkeypatch):
    other = make(tmp_path, "other", "ns")
    for key in ("type", "uri", "warehouse"):
        monkeypatch.setenv(
            f"FLOEBERG_CATALOG__OTHER__{key.upper()}", {"type": "sql", **other.properties}[key]
        )
    other.create_view("ns.back", ONE, sql={"spark": "SELECT id + 1 FROM lake.db.t"})
    view(lake, "db.over", "SELECT max(id) FROM other.ns.back")
    assert rows(sql("SELECT * FROM db.over")) == [(4,)]
    # A circle through both, which no catalog sees alone.
    other.create_or_replace_view("ns.back", ONE, sql={"spark": "SELECT * FROM lake.db.over"})
    for text in ("SELECT * FROM db.over", "SELECT 1 WHERE EXISTS (SELECT 1 FROM other.ns.back)"):
        with pytest.raises(
            InvalidDataError, match="the view reads itself: (lake.db.over|other.ns.back) -> .*view: "
        ):
            sql(text)


def test_a_circle_is_refused_and_so_are_too_many_views(sql, lake):
    view(lake, "db.v", "SELECT * FROM t")
    view(lake, "db.w", "SELECT * FROM v WHERE id IN (SELECT id FROM v)")
    with pytest.raises(
        InvalidInputError, match=r"CREATE VIEW: the view reads itself: lake.db.v -> lake.db.w -> lake.db.v"
    ):
        sql("CREATE OR REPLACE VIEW db.v AS SELECT id FROM db.w")
    with pytest.raises(InvalidInputError, match="reads itself: lake.db.v -> lake.db.v"):
        sql("ALTER VIEW db.v AS SELECT id FROM v")
    lake.create_or_replace_view("db.v", ONE, sql={"spark": "WITH x AS (SELECT * FROM v) SELECT * FROM x"})
    with pytest.raises(InvalidDataError, match="lake.db.v -> lake.db.v"):
        sql("SELECT * FROM db.w")
    view(lake, "db.v0", "SELECT id FROM t")
    for number in range(1, 52):
        view(lake, f"db.v{number}", f"SELECT id FROM v{number - 1}")
    assert rows(sql("SELECT count(*) FROM db.v20")) == [(3,)]
    with pytest.raises(LimitExceededError, match="more than 50 views are in each other"):
        sql("SELECT * FROM db.v51")


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("WITH t AS (SELECT id FROM t WHERE id > 2) SELECT id FROM t", [(3,), (4,)]),
        ("WITH T AS (SELECT 7 AS id) SELECT id FROM t", [(7,)]),
        ("WITH a AS (SELECT 7 AS id), b AS (SELECT id FROM a) SELECT id FROM b", [(7,)]),
        # The first sees the table, the second the first.
        ("WITH t AS (SELECT id FROM t WHERE id = 1), u AS (SELECT id FROM t) SELECT id FROM u", [(1,)]),
        (
            "SELECT id FROM (WITH t AS (SELECT 7 AS id) SELECT id FROM t) UNION ALL SELECT id FROM t WHERE id = 1",
            [(1,), (7,)],
        ),
        ("SELECT id FROM t AS db WHERE db.id = 1", [(1,)]),
        ("SELECT max(id) FROM t VERSION AS OF {first}", [(3,)]),
        ("SELECT max(id) FROM t FOR SYSTEM_VERSION AS OF 'kept'", [(3,)]),
        ("SELECT max(id) FROM db.t.tag_kept", [(3,)]),
        ("SELECT count(*) FROM db.t.snapshots", [(2,)]),
        ("SELECT id FROM IDENTIFIER('t') WHERE id = 4;", [(4,)]),
        ("FROM t SELECT id WHERE id = 2", [(2,)]),
        (
            "SELECT a.id FROM t a LEFT JOIN t b USING (id) LATERAL VIEW explode(array(1)) e AS x WHERE a.id = 3 -- end",
            [(3,)],
        ),
        ("VALUES (5L)", [(5,)]),
        ("TABLE one", [(1,)]),
        (
            "WITH RECURSIVE t(n) AS (SELECT 1L UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT max(n) FROM t",
            [(3,)],
        ),
        # Another column before it: the name says which one it is.
        ("SELECT s, id FROM t WHERE id = 1", [(1,)]),
        ("SELECT CAST(lake.system.bucket(1, id) AS BIGINT) FROM t WHERE id = 1", [(0,)]),
    ],
)
def test_what_a_statement_may_say(sql, lake, statement, found):
    table = lake.load_table("db.t")
    first = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_tag(first, "kept").commit()
    table.append(pa.table({"id": [4], "s": ["d"]}))
    lake.create_table("db.one", as_select=pa.table({"id": [1]}))
    view(lake, "db.v", statement.format(first=first))
    assert rows(sql("SELECT * FROM db.v")) == found


@pytest.mark.parametrize(
    ("statement", "error", "says"),
    [
        (
            "SELECT 1; DROP TABLE db.t",
            InvalidDataError,
            "expected one query .*, found 2: 'SELECT 1; DROP TABLE db.t'",
        ),
        ("DROP TABLE db.t", InvalidDataError, "expected a query"),
        ("INSERT INTO db.t VALUES (9, 'x')", InvalidDataError, "expected a query"),
        (
            "WITH a AS (SELECT 1) INSERT INTO db.t SELECT 9, 'x'",
            (InvalidDataError, UnsupportedError),
            "statement",
        ),
        ("FROM db.t INSERT INTO db.t SELECT id, s", (InvalidDataError, UnsupportedError), "statement"),
        ("SELECT 1 AS id) UNION (SELECT 2", UnsupportedError, "cannot be understood"),
        ("SELECT 'unclosed", InvalidDataError, "is not SQL of Spark"),
        ("SELECT id FROM t WHERE", (InvalidDataError, UnsupportedError), "view: lake.db.v"),
        ("/* nothing */", InvalidDataError, "is not SQL of Spark"),
        (
            "SELECT nothing FROM t",
            InvalidDataError,
            r"Spark does not take .*UNRESOLVED_COLUMN.* \(view: lake.db.v\)",
        ),
        ("SELECT :id", InvalidDataError, "UNBOUND"),
        ("SELECT id FROM gone", NoSuchTableError, r"has no table 'db.gone'.*view: lake.db.v"),
        (
            "SELECT s FROM t",
            InvalidDataError,
            r"column 'id' of the view is bigint, and its query gives string now",
        ),
        ("SELECT CAST(id AS DOUBLE) FROM t", InvalidDataError, "is bigint, and its query gives double"),
        (
            "SELECT id AS one, s AS two FROM t",
            InvalidDataError,
            "the query gives 2 columns, and the view has 1",
        ),
        ("SELECT id, id FROM t", InvalidDataError, "the query gives 2 columns"),
    ],
)
def test_a_statement_that_is_no_query_of_its_columns_is_an_error(sql, lake, statement, error, says):
    view(lake, "db.v", statement)
    before = lake.load_table("db.t").metadata_location
    with pytest.raises(error, match=says):
        sql("SELECT * FROM db.v")
    assert lake.load_table("db.t").metadata_location == before


def test_no_text_of_a_view_reads_a_setting_of_the_session(spark, sql, lake):
    spark.conf.set("my.password", "hunter2")
    view(lake, "db.v", "SELECT '${my.password}' AS id", pa.schema({"id": pa.string()}))
    assert rows(sql("SELECT * FROM db.v")) == [("${my.password}",)]
    assert rows(sql("SELECT '${my.password}', id FROM db.v")) == [("hunter2", "${my.password}")]
    spark.conf.unset("my.password")


def test_a_star_keeps_the_columns_of_the_day_that_it_was_made(sql, lake):
    sql("CREATE VIEW db.v AS SELECT * FROM t")
    sql("CREATE VIEW db.renamed (k, label) AS SELECT * FROM t")
    view(lake, "db.bare", "SELECT * FROM t", pa.schema({"id": pa.int64(), "s": pa.string()}))
    sql("ALTER TABLE db.t ADD COLUMN more STRING FIRST")
    expected = [(1, "a"), (2, "b"), (3, "c")]
    for name, columns in (("v", ["id", "s"]), ("renamed", ["k", "label"]), ("bare", ["id", "s"])):
        found = sql(f"SELECT * FROM db.{name}")
        assert (found.columns, rows(found)) == (columns, expected)
    # A column of the same type takes its place: it is not the same column.
    sql("ALTER TABLE db.t DROP COLUMN s")
    sql("ALTER TABLE db.t DROP COLUMN more")
    sql("ALTER TABLE db.t ADD COLUMN other STRING")
    for name in ("v", "renamed"):
        with pytest.raises(
            InvalidDataError, match=r"'s' is missing. The query gives 'id', 'other'; the view has"
        ):
            sql(f"SELECT * FROM db.{name}")
    sql("CREATE OR REPLACE VIEW db.v AS SELECT * FROM t")
    assert sql("SELECT * FROM db.v").columns == ["id", "other"]
    lake.drop_table("db.t")
    with pytest.raises(NoSuchTableError, match=r"the catalog 'lake' has no table 'db.t'.*view: lake.db.v"):
        sql("SELECT * FROM db.v")


def test_names_that_need_quotes(spark, tmp_path):
    catalog = make(tmp_path, "la ke", "d`b")
    catalog.create_table(("d`b", "t.1"), as_select=pa.table({"a b": [1], "Sel`ect": [2], "{x}": [3]}))
    run = lambda text: floeberg.spark.sql(spark, text, catalog=catalog)  # noqa: E731
    run("CREATE VIEW `d``b`.`v {w}` AS SELECT `a b`, `t.1`.`Sel``ect`, `{x}` FROM `t.1`")
    run("CREATE VIEW `la ke`.`d``b`.over AS SELECT * FROM `v {w}`")
    found = run("SELECT `over`.* FROM `d``b`.over")
    assert (found.columns, rows(found)) == (["a b", "Sel`ect", "{x}"], [(1, 2, 3)])
    run(run("SHOW CREATE TABLE `d``b`.over").first()[0].replace("`over`", "`copy`"))
    assert rows(run("SELECT * FROM `d``b`.copy")) == [(1, 2, 3)]


def test_a_statement_of_another_dialect_is_translated(sql, lake):
    percentile = pa.schema({"m": pa.float64()})
    lake.create_view("db.v", percentile, sql={"trino": 'SELECT CAST(max("id") AS DOUBLE) FROM db."t"'})
    assert rows(sql("SELECT * FROM db.v")) == [(3.0,)]
    lake.create_view("db.w", ONE, sql={"trino": "SELECT id FROM db.t FOR VERSION AS OF 1", "nobody": "?"})
    with pytest.raises(NotFoundError, match="no snapshot 1"):
        sql("SELECT * FROM db.w")
    lake.create_view("db.x", ONE, sql={"nobody": "?"})
    with pytest.raises(UnsupportedError, match=r"knows none of its dialects \(nobody\).*view: lake.db.x"):
        sql("SELECT * FROM db.x")
    lake.create_view(
        "db.y", pa.schema({"c": pa.int64()}), sql={"snowflake": "SELECT max(id) FROM db.t SAMPLE (50 ROWS)"}
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lake.load_view("db.y").sql_for("spark", transpile=True)
    expected = [str(each.message) for each in told]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert rows(sql("SELECT * FROM db.y")) == [(3,)]
    assert [str(each.message) for each in told if each.category is UserWarning] == expected


def test_temporary_views_and_cached_ones_follow_views_of_a_catalog(spark, sql, lake):
    view(lake, "db.v", "SELECT id FROM t")
    view(lake, "db.over", "SELECT id FROM v WHERE id > 1")
    sql("CREATE TEMP VIEW seen AS SELECT * FROM db.over")
    sql("CACHE TABLE kept AS SELECT * FROM db.over")
    lake.load_table("db.t").append(pa.table({"id": [4], "s": ["d"]}))
    assert rows(sql("SELECT * FROM seen")) == rows(sql("SELECT * FROM kept")) == [(2,), (3,), (4,)]
    lake.create_or_replace_view("db.v", ONE, sql={"spark": "SELECT id FROM t WHERE id < 3"})
    assert rows(sql("SELECT * FROM seen")) == rows(sql("SELECT * FROM kept")) == [(2,)]
    assert spark.catalog.isCached("kept")
    for text in (
        "CACHE TABLE db.v",
        "UNCACHE TABLE db.v",
        "REFRESH TABLE db.v",
        "COMMENT ON TABLE db.v IS 'x'",
    ):
        with pytest.raises(NoSuchTableError, match=r"'db\.v' is a view"):
            sql(text)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO db.v SELECT 1",
        "DELETE FROM db.v",
        "UPDATE db.v SET id = 1",
        "ALTER TABLE db.v ADD COLUMN x INT",
    ],
)
def test_rows_of_a_view_do_not_change(sql, lake, text):
    view(lake, "db.v", "SELECT id FROM t")
    with pytest.raises(NoSuchTableError, match=r"'db\.v' is a view, and a table is expected"):
        sql(text)
    with pytest.raises(InvalidInputError, match="it is a view, which has no snapshots"):
        sql("SELECT * FROM db.v VERSION AS OF 1")


def test_settings_of_the_session_are_those_of_the_reader(spark, sql, lake):
    view(lake, "db.v", 'SELECT "id" AS id FROM t WHERE id = 1', pa.schema({"id": pa.string()}))
    assert rows(sql("SELECT * FROM db.v")) == [("id",)]
    spark.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    try:
        with pytest.raises(InvalidDataError, match="its query gives bigint now"):
            sql("SELECT * FROM db.v")
        assert rows(sql('SELECT "id" FROM db.t WHERE id = 2')) == [(2,)]
    finally:
        spark.conf.unset("spark.sql.ansi.doubleQuotedIdentifiers")


def test_a_view_is_scanned_by_the_active_session(spark, sql, lake, tmp_path):
    other = make(tmp_path, "other", "ns")
    other.create_table("ns.u", as_select=pa.table({"id": [70]}))
    schema = pa.schema(
        [pa.field("k", pa.int64(), metadata={"doc": "the key"}), pa.field("at", pa.timestamp("us", "UTC"))]
    )
    text = "SELECT id, TIMESTAMP '2026-01-01 00:00:00' FROM other.ns.u UNION ALL SELECT id, NULL FROM t WHERE id = 1"
    made = view(lake, "db.v", text, schema)
    assert spark is not None
    scan = made.scan("spark", catalogs={"other": other})
    found = scan.to_arrow().sort_by("k")
    assert found.schema.field("k").metadata == {b"doc": b"the key"}
    assert [str(each) for each in found.schema.types] == ["int64", "timestamp[us, tz=UTC]"]
    assert found["k"].to_pylist() == [1, 70]
    assert [each is None for each in found["at"].to_pylist()] == [True, False]
    assert scan.to_duckdb("w").sql("SELECT count(*) FROM w").fetchall() == [(2,)]
    assert rows(sql("SELECT count(*) FROM db.t")) == [(3,)]
    with pytest.raises(NotFoundError, match="lake.db.v"):
        made.scan("spark").to_arrow()
    with pytest.raises(UnsupportedError, match="needs the catalog of the view"):
        fb.open_view(made.metadata_location).scan("spark").to_arrow()
