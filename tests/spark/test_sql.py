"""Statements over tables by their names: which names, which snapshots, which text Spark runs."""

from __future__ import annotations

import datetime
import functools
import threading

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame

import floeberg as fb
import floeberg.spark
from floeberg.errors import (
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
    NotInstalledError,
    UnsupportedError,
)
from lake import fill, make_lake, orders_of, rows


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return make_lake(tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="module")
def ask(spark, lake):
    def ask(text, args=None, **options):
        return rows(floeberg.spark.sql(spark, text, args, catalog=lake, **options))

    return ask


@pytest.fixture(scope="module")
def snapshots(lake):
    return [each.snapshot_id for each in lake.load_table("sales.orders").snapshots()]


FIRST_THREE = [
    "SELECT id FROM sales.orders WHERE id < 3",
    "select ID from lake.sales.orders where Id < 3",
    "SELECT orders.id FROM sales.orders WHERE orders.id < 3",
    "SELECT sales.orders.id FROM sales.orders WHERE lake.sales.orders.id < 3",
    "SELECT lake.sales.orders.id FROM lake.sales.orders WHERE SALES.Orders.id < 3",
    "SELECT `orders`.`id` FROM `sales` . `orders` /* sales.orders */ WHERE `sales`.orders.id < 3",
    "SELECT o.id FROM sales.orders o WHERE o.id < 3",
    "SELECT `o o`.id FROM sales.orders AS `o o` WHERE id < 3;",
    "SELECT a FROM sales.orders AS o(a, b, c, d, e) WHERE a < 3",
    "SELECT id FROM (SELECT * FROM sales.orders) WHERE id < 3",
    "SELECT id FROM (SELECT sales.orders.* FROM sales.orders) WHERE id < 3",
    "SELECT id FROM (SELECT orders.* EXCEPT (note) FROM sales.orders) WHERE id < 3",
    "WITH orders AS (SELECT * FROM sales.orders) SELECT id FROM orders WHERE id < 3",
    "WITH a AS (WITH a AS (SELECT id FROM sales.orders) SELECT * FROM a WHERE id < 3) SELECT * FROM a",
    """WITH RECURSIVE n(i) AS (SELECT 0L UNION ALL SELECT i + 1 FROM n WHERE i < 2)
       SELECT orders.id FROM n JOIN sales.orders ON i = orders.id""",
    "FROM sales.orders SELECT id WHERE id < 3",
    "FROM sales.orders |> WHERE id < 3 |> SELECT id",
    "SELECT id FROM sales.orders WHERE id < 2 UNION ALL SELECT id FROM sales.orders WHERE id = 2",
    "SELECT id FROM sales.orders EXCEPT SELECT id FROM lake.sales.orders WHERE id >= 3",
    "(SELECT id FROM sales.orders WHERE id < 3)",
    "SELECT id FROM sales.orders TABLESAMPLE (100 PERCENT) WHERE orders.id < 3",
    "SELECT o.id FROM sales.orders TABLESAMPLE (20 ROWS) AS o WHERE o.id < 3",
    "SELECT /*+ BROADCAST(orders) */ id FROM sales.orders WHERE id < 3",
    "SELECT id FROM sales.orders LATERAL VIEW explode(array(1)) e AS one WHERE orders.id < 3 AND one = 1",
    "SELECT o.id FROM VALUES (0L), (1L), (2L) AS o(id) JOIN sales.orders ON sales.orders.id = o.id",
    "SELECT x.id FROM range(3) x, LATERAL (SELECT 1 FROM sales.orders WHERE sales.orders.id = x.id)",
    "SELECT id FROM sales.orders WHERE note = 'FROM sales.orders {0} {' OR id < 3 -- sales.orders }",
    "SELECT id FROM sales.orders WHERE id < 3 AND EXISTS (SELECT * FROM sales.lines WHERE `order` = sales.orders.id)",
    "SELECT id FROM sales.orders o WHERE id IN (SELECT l.order FROM sales.lines l WHERE l.order = o.id) AND id < 3",
    "SELECT id FROM sales.orders WHERE id < 3 AND id <= (SELECT max(`order`) FROM sales.lines)",
    "SELECT orders.id FROM (SELECT 1 AS other) orders2, sales.orders WHERE orders.id < 3",
    "SELECT sales.orders.id FROM (SELECT 1 AS one) orders, sales.orders WHERE sales.orders.id < 3 AND orders.one = 1",
    "SELECT id FROM (SELECT id, rank() OVER w AS r FROM sales.orders WINDOW w AS (ORDER BY orders.id)) WHERE r < 4",
]


def test_queries_find_their_tables_and_columns(spark, lake):
    # One job for all of them.
    frames = [floeberg.spark.sql(spark, text, catalog=lake).toDF("id") for text in FIRST_THREE]
    numbered = [frame.selectExpr(f"{number} AS query", "id") for number, frame in enumerate(frames)]
    found = rows(functools.reduce(DataFrame.unionAll, numbered))
    for number, text in enumerate(FIRST_THREE):
        assert [row[1] for row in found if row[0] == number] == [0, 1, 2], text


def test_an_inner_table_of_the_same_last_name_does_not_catch_columns_of_the_outer_one(ask, lake):
    if not lake.namespace_exists("other"):
        lake.create_namespace("other")
        fill(lake, "other.orders", pa.schema({"id": pa.int64()}), [{"id": 1}, {"id": 5}])
    exists = "SELECT 1 FROM other.orders WHERE other.orders.id = sales.orders.id"
    assert ask(f"SELECT id FROM sales.orders WHERE EXISTS ({exists})") == [(1,), (5,)]
    assert ask(
        "SELECT sales.orders.id, o.id FROM sales.orders JOIN other.orders o ON sales.orders.id = o.id"
    ) == [(1, 1), (5, 5)]
    both = "FROM sales.orders JOIN other.orders ON sales.orders.id = other.orders.id"
    assert ask(f"SELECT sales.orders.id, price {both} WHERE orders.price > 1")[0][0] == 5
    with pytest.raises(
        InvalidInputError, match="orders.id: there are two tables 'orders': give them aliases"
    ):
        ask(f"SELECT orders.id {both}")


def test_names_may_have_many_levels_dots_and_letters_of_any_kind(spark, tmp_path):
    catalog = fb.load_catalog("much", type="filesystem", warehouse=str(tmp_path))
    for namespace in (("a",), ("a", "b"), ("a", "b", "ä ß")):
        catalog.create_namespace(namespace)
    schema = pa.schema({"größe": pa.int64(), "a.b": pa.int64(), "snapshots": pa.int64()})
    for name in (("a", "b", "t.x"), ("a", "b", "ä ß", "Bestellung`en"), ("a", "b", "files")):
        catalog.create_table(name, schema).append(pa.table([[1, 2], [3, 4], [5, 6]], schema=schema))

    def ask(text):
        return rows(floeberg.spark.sql(spark, text, catalog=catalog))

    assert ask("SELECT `größe` FROM a.b.`t.x` WHERE `a.b` = 3") == [(1,)]
    assert ask("SELECT `t.x`.`größe` FROM much.a.b.`t.x` WHERE a.b.`t.x`.`a.b` = 4") == [(2,)]
    long = "a.b.`ä ß`.`Bestellung``en`"
    assert ask(f"SELECT {long}.`größe`, `Bestellung``en`.snapshots FROM {long} WHERE {long}.`größe` > 1") == [
        (2, 6)
    ]
    # A table wins over a metadata table of the same name.
    assert ask("SELECT snapshots FROM a.b.files") == [(5,), (6,)]
    assert ask("SELECT count(*) FROM a.b.files.snapshots") == [(1,)]


def test_snapshots_are_chosen_by_version_time_branch_and_tag(ask, snapshots, lake):
    first, last = snapshots
    count = "SELECT count(*) FROM sales.orders"
    moment = lake.load_table("sales.orders").snapshots()[0].timestamp_ms
    text = datetime.datetime.fromtimestamp(moment / 1000 + 0.001, datetime.timezone.utc).isoformat(" ")
    for old in (
        f"VERSION AS OF {first}",
        f"FOR VERSION AS OF '{first}'",
        f"FOR SYSTEM_VERSION AS OF {first}",
        "VERSION AS OF 'first'",
        "VERSION AS OF 'audit'",
        f"TIMESTAMP AS OF '{text}'",
        f"FOR SYSTEM_TIME AS OF TIMESTAMP '{text}'",
        f"TIMESTAMP AS OF timestamp_millis({moment} - 0) + INTERVAL 1 MILLISECOND o",
    ):
        assert ask(f"{count} {old}") == [(10,)], old
    for selector in ("branch_audit", "tag_first", f"snapshot_id_{first}", f"at_timestamp_{moment + 1}"):
        assert (
            ask(f"{count}.{selector}")
            == ask(f"SELECT count({selector}.id) FROM lake.sales.orders.{selector}")
            == [(10,)]
        )
    assert (
        ask(f"{count} VERSION AS OF {last}") == ask(f"{count} TIMESTAMP AS OF current_timestamp()") == [(20,)]
    )
    twice = (
        f"SELECT a.id FROM sales.orders a LEFT ANTI JOIN sales.orders VERSION AS OF {first} b ON a.id = b.id"
    )
    assert ask(twice) == [(number,) for number in range(10, 20)]


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ("sales.orders.branch_first", InvalidInputError, "'first' is a tag"),
        ("sales.orders.tag_nothing", NotFoundError, 'no branch or tag "nothing"'),
        ("sales.orders VERSION AS OF 'nothing'", NotFoundError, 'no branch or tag "nothing"'),
        ("sales.orders VERSION AS OF 12345", NotFoundError, "12345"),
        ("sales.orders TIMESTAMP AS OF '1999-01-01'", NotFoundError, "no snapshot was current"),
        ("sales.orders TIMESTAMP AS OF NULL", InvalidInputError, "expected a constant"),
        ("sales.orders TIMESTAMP AS OF id", InvalidInputError, "expected a constant"),
        ("sales.orders.branch_audit VERSION AS OF 'first'", InvalidInputError, "choose one snapshot"),
        ("sales.orders.history VERSION AS OF 'first'", InvalidInputError, "covers all snapshots"),
        (
            "sales.ordrs",
            NoSuchTableError,
            "the catalog 'lake' has no table 'sales.ordrs'; near matches: 'sales.orders'",
        ),
        ("lake.sale.orders", NoSuchTableError, "the catalog 'lake' has no table 'sale.orders'"),
    ],
)
def test_what_is_not_there_is_an_error_that_names_it(ask, asked, error, says):
    with pytest.raises(error, match=says.replace("(", r"\(")):
        ask(f"SELECT * FROM {asked}")


def test_metadata_tables_are_tables(ask, lake, snapshots):
    table = lake.load_table("sales.orders")
    for name in (
        "snapshots",
        "history",
        "refs",
        "metadata_log_entries",
        "manifests",
        "all_manifests",
        "entries",
        "all_entries",
        "files",
        "data_files",
        "delete_files",
        "all_files",
        "all_data_files",
        "all_delete_files",
        "partitions",
    ):
        assert ask(f"SELECT count(*) FROM sales.orders.{name}") == [
            (getattr(table.inspect, name)().num_rows,)
        ], name
    found = ask("SELECT snapshots.snapshot_id FROM lake.sales.orders.SNAPSHOTS")
    assert set(found) == {(each,) for each in snapshots}
    assert ask("SELECT sum(record_count) FROM sales.orders.files VERSION AS OF 'first'") == [(10,)]
    # All columns of all types arrive.
    assert ask("SELECT * FROM sales.orders.files")[0][4] == 10
    joined = "SELECT h.snapshot_id FROM sales.orders.history h JOIN sales.orders.refs r USING (snapshot_id)"
    assert set(ask(joined)) == {(each,) for each in snapshots}


def test_metadata_columns_are_read_where_they_are_named(ask):
    found = ask("SELECT _file, _pos, id FROM sales.orders WHERE id = 13")
    assert found == [(found[0][0], 3, 13)] and found[0][0].endswith(".parquet")
    with pytest.raises(UnsupportedError, match="_pos: \\* does not include metadata columns"):
        ask("SELECT *, _pos FROM sales.orders")


def test_tables_of_spark_stand_beside_ours(spark, ask):
    spark.range(3).createOrReplaceTempView("orders")
    try:
        assert ask("SELECT * FROM orders") == [(0,), (1,), (2,)]
        assert ask("SELECT o.id FROM orders JOIN sales.orders o USING (id)") == [(0,), (1,), (2,)]
        assert ask("SELECT o.id FROM orders NATURAL JOIN sales.orders o") == [(0,), (1,), (2,)]
        spark.sql("CREATE DATABASE sales")
        spark.sql("CREATE TABLE sales.other USING parquet AS SELECT 7 AS id")
        assert ask("SELECT id FROM sales.other") == [(7,)]
        assert ask("SELECT o.id FROM sales.other x JOIN sales.orders o ON o.id = x.id") == [(7,)]
        spark.sql("CREATE TABLE sales.customers USING parquet AS SELECT 8 AS id")
        with pytest.raises(
            InvalidInputError, match="both the catalog 'lake' and Spark have a table 'sales.customers'"
        ):
            ask("SELECT id FROM sales.customers")
        assert ask("SELECT id FROM spark_catalog.sales.customers") == [(8,)]
        assert ask("SELECT count(id) FROM lake.sales.customers") == [(6,)]
    finally:
        spark.sql("DROP DATABASE IF EXISTS sales CASCADE")
        spark.catalog.dropTempView("orders")


def test_statements_without_our_tables_are_sparks(spark, ask, tmp_path):
    assert ask("SELECT 1 AS one") == [(1,)]
    assert ask("SHOW TABLES") == rows(spark.sql("SHOW TABLES"))
    assert ask("VALUES (1)") == [(1,)]
    spark.range(2).write.parquet(str(tmp_path / "x"))
    assert ask(f"SELECT * FROM parquet.`{tmp_path / 'x'}`") == [(0,), (1,)]
    assert floeberg.spark.sql(spark, "SELECT '{' AS brace").first()[0] == "{"
    for wrong in ("SELEC 1", "SELECT 'open", "SELECT 1; SELECT 2"):
        with pytest.raises(ParseException):
            ask(wrong)
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        ask("SELECT * FROM nowhere.nothing")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("INSERT INTO x SELECT * FROM sales.orders", "INSERT"),
        ("WITH x AS (SELECT * FROM sales.orders) INSERT INTO y SELECT * FROM x", "INSERT"),
        ("FROM sales.orders INSERT INTO x SELECT *", "INSERT"),
        ("CREATE TABLE x AS SELECT * FROM sales.orders", "CREATE"),
        ("ANALYZE TABLE sales.orders COMPUTE STATISTICS", "ANALYZE"),
        ("TABLE sales.orders WHERE id = 1", "TABLE"),
    ],
)
def test_other_statements_about_our_tables_are_errors_that_show_the_word(ask, text, word):
    with pytest.raises(UnsupportedError, match=f"{word}: '(lake.)?sales.orders' is a table of a catalog"):
        ask(text)


def test_errors_of_texts_are_sparks_own(ask):
    for text in (
        "SELEC * FROM sales.orders",
        "SELECT * FROM sales.orders WHERE id =",
        "SELECT FROM sales.orders GROUP id",
    ):
        with pytest.raises(PySparkException) as raised:
            ask(text)
        assert "floeberg" not in str(raised.value) and "_pyspark" not in str(raised.value)
    with pytest.raises(AnalysisException, match="nothing"):
        ask("SELECT nothing FROM sales.orders")
    with pytest.raises(InvalidInputError, match="expected one statement, found 2"):
        ask("SELECT 1; SELECT * FROM sales.orders")
    with pytest.raises(UnsupportedError, match="the query cannot be understood"):
        ask("SELECT * FROM sales.orders WHERE id !> 3")
    with pytest.raises(AnalysisException, match="NOT_A_CONSTANT_STRING"):
        ask("SELECT * FROM IDENTIFIER(concat('sales.orders', x))")
    with pytest.raises(InvalidInputError, match="expected a SparkSession"):
        floeberg.spark.sql("SELECT 1", "SELECT 1")


def test_parameters_and_variables_go_through(spark, ask):
    assert ask("SELECT id FROM sales.orders WHERE id = :x", {"x": 3}) == [(3,)]
    assert ask("SELECT id FROM sales.orders WHERE id IN (?, ?)", [3, 12]) == [(12,), (3,)]
    spark.sql("DECLARE OR REPLACE VARIABLE wanted BIGINT DEFAULT 4")
    assert ask("SELECT id FROM sales.orders WHERE id = wanted") == [(4,)]
    spark.sql("SET floeberg.test.wanted = 5 OR id = 6")
    assert ask("SELECT id FROM sales.orders WHERE id = ${floeberg.test.wanted}") == [(5,), (6,)]


def test_columns_have_the_case_that_the_session_says(spark, ask):
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert ask("SELECT sales.orders.id FROM sales.orders WHERE id = 3") == [(3,)]
        with pytest.raises(AnalysisException):
            ask("SELECT ID FROM sales.orders")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_no_name_is_left_behind(spark, ask):
    frame_of = "SELECT o.id FROM sales.orders o JOIN sales.orders p ON o.id = p.id"
    before = spark.catalog.listTables()
    ask(frame_of)
    with pytest.raises(AnalysisException):
        ask("SELECT nothing FROM sales.orders")
    assert spark.catalog.listTables() == before


def test_every_statement_reads_what_is_newest_and_a_frame_keeps_what_it_read(spark, tmp_path):
    lake = make_lake(tmp_path)
    frame = floeberg.spark.sql(spark, "SELECT id FROM sales.orders", catalog=lake)
    assert frame.count() == 20
    lake.load_table("sales.orders").append(orders_of([20]))
    assert frame.count() == 20
    assert floeberg.spark.sql(spark, "SELECT count(*) FROM sales.orders", catalog=lake).first()[0] == 21


def test_a_statement_opens_each_table_once(spark, lake, monkeypatch):
    opened = []
    load = type(lake).load_table
    monkeypatch.setattr(type(lake), "load_table", lambda self, name: opened.append(name) or load(self, name))
    text = "SELECT * FROM sales.orders a, lake.sales.orders b, sales.orders.refs, sales.orders VERSION AS OF 'first' d"
    floeberg.spark.sql(spark, text, catalog=lake)
    assert opened == [("sales", "orders")]


def test_views_that_pin_nothing_follow_their_tables(spark, tmp_path):
    lake = make_lake(tmp_path)
    make = floeberg.spark.create_view
    make(spark, "followed", "sales.orders", catalog=lake)
    make(spark, "pinned", "sales.orders", catalog=lake, tag="first")
    make(spark, "replaced", "sales.orders", catalog=lake)
    make(spark, "dropped", "sales.orders", catalog=lake)

    def count(view):
        return floeberg.spark.sql(spark, f"SELECT count(*) FROM {view}", catalog=lake).first()[0]

    try:
        assert [count("followed"), count("Pinned")] == [20, 10]
        lake.load_table("sales.orders").append(orders_of([20]))
        spark.range(3).createOrReplaceTempView("replaced")
        spark.catalog.dropTempView("dropped")
        assert spark.sql("SELECT count(*) FROM followed").first()[0] == 20
        assert [count("Followed"), count("pinned"), count("replaced")] == [21, 10, 3]
        assert spark.sql("SELECT count(*) FROM followed").first()[0] == 21
        with pytest.raises(AnalysisException):
            count("dropped")
    finally:
        for view in ("followed", "pinned", "replaced"):
            spark.catalog.dropTempView(view)


def test_two_threads_may_ask_at_once(spark, lake):
    found, failed = {}, []

    def work(number):
        try:
            text = f"SELECT id FROM sales.orders o WHERE id = {number}"
            found[number] = rows(floeberg.spark.sql(spark, text, catalog=lake))
        except Exception as error:  # noqa: BLE001 - the test shows it
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (failed, found) == ([], {number: [(number,)] for number in range(4)})


def test_catalogs_are_named_in_the_configuration(spark, tmp_path, monkeypatch):
    make_lake(tmp_path, name="pond")
    monkeypatch.setenv("FLOEBERG_CATALOG__POND__TYPE", "filesystem")
    monkeypatch.setenv("FLOEBERG_CATALOG__POND__WAREHOUSE", str(tmp_path))
    text = "SELECT count(*) FROM pond.sales.orders JOIN pond.sales.customers c ON c.id = customer"
    assert floeberg.spark.sql(spark, text).first()[0] > 0
    assert floeberg.spark.sql(spark, "SELECT count(*) FROM sales.orders", catalog="pond").first()[0] == 20
    monkeypatch.setenv("FLOEBERG_DEFAULT_CATALOG", "pond")
    assert floeberg.spark.sql(spark, "SELECT count(*) FROM sales.orders").first()[0] == 20


def test_a_type_that_spark_lacks_is_an_error_only_where_it_is_read(spark, tmp_path):
    catalog = fb.load_catalog("nanos", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    schema = pa.schema({"id": pa.int64(), "ts": pa.timestamp("ns")})
    catalog.create_table("n.t", schema, format_version=3).append(pa.table([[1], [1001]], schema=schema))

    def ask(text, **options):
        return rows(floeberg.spark.sql(spark, text, catalog=catalog, **options))

    assert ask("SELECT id FROM n.t") == [(1,)]
    with pytest.raises(UnsupportedError, match="'ts' is of type timestamp_ns"):
        ask("SELECT * FROM n.t")
    assert ask("SELECT year(ts) FROM n.t", truncate_nanoseconds=True) == [(1970,)]


def test_the_parser_is_asked_for_by_its_name(spark, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sqlglot", None)
    with pytest.raises(NotInstalledError, match=r"sqlglot is not installed: pip install 'floeberg\[spark\]'"):
        floeberg.spark.sql(spark, "SELECT 1")


def test_two_uses_with_long_filters_are_two(ask):
    many = ", ".join(map(str, range(1000, 1400)))
    both = " UNION ALL ".join(f"SELECT id FROM sales.orders WHERE id IN ({many}, {one})" for one in (1, 2))
    assert ask(both) == [(1,), (2,)]


@pytest.mark.parametrize("counted", ["count(*, id)", "count(id, *)"])
def test_a_count_of_all_columns_looks_at_all_of_them(ask, counted):
    # note is null in four orders of the twenty, customer in two others.
    assert ask(f"SELECT {counted} FROM sales.orders") == ask(
        f"SELECT {counted} FROM (SELECT * FROM sales.orders)"
    )
    assert ask(f"SELECT {counted} FROM sales.orders") < ask("SELECT count(*) FROM sales.orders")


def test_a_join_in_brackets_hides_the_tables_outside(ask):
    text = """SELECT id FROM sales.customers WHERE EXISTS
              (SELECT 1 FROM (range(9) r JOIN (SELECT 3L AS id) customers ON r.id = customers.id)
               WHERE customers.id = 3)"""
    assert len(ask(text)) == 6


def test_a_timestamp_without_a_zone_is_not_pushed_with_one(spark, ask):
    text = "SELECT line FROM sales.lines WHERE sent = CAST('2026-01-01 01:00:00+01:00' AS TIMESTAMP)"
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    try:
        assert ask(text) == ask(text.replace("sales.lines", "(SELECT * FROM sales.lines)"))
    finally:
        spark.conf.unset("spark.sql.timestampType")
