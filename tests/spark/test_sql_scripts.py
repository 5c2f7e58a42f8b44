"""Statements that scripts begin with say of tables of a catalog what Spark says of the same tables of its own."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError, InvalidInputError, NoSuchTableError, UnsupportedError
from lake import make_lake, rows


@pytest.fixture(scope="module")
def lake(spark, tmp_path_factory):
    lake = make_lake(tmp_path_factory.mktemp("lake"))
    spark.sql("CREATE DATABASE IF NOT EXISTS own COMMENT 'of Spark'")
    for name in ("orders", "customers"):
        table = lake.load_table(f"sales.{name}")
        frame = spark.createDataFrame(table.scan().to_arrow())
        frame.write.mode("overwrite").saveAsTable(f"own.{name}")
    yield lake
    spark.sql("DROP DATABASE own CASCADE")


@pytest.fixture
def sql(spark, lake):
    return lambda text, args=None, **more: floeberg.spark.sql(spark, text, args, catalog=lake, **more)


@pytest.fixture
def shop(tmp_path):
    catalog = fb.load_catalog("shop", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    catalog.create_namespace("db", {"comment": "what is sold", "a": "b", "x": "y"})
    return catalog


@pytest.fixture
def in_shop(spark, shop):
    return lambda text, args=None: floeberg.spark.sql(spark, text, args, catalog=shop)


LIKE_SPARK = {
    # Statements over {orders} and {customers}, and the values of their parameters.
    "TABLE {orders}": None,
    "TABLE {customers} UNION ALL TABLE {customers} ORDER BY id LIMIT 5": None,
    "WITH a AS (TABLE {customers}), b AS (WITH c AS (SELECT id FROM a) TABLE c) TABLE b": None,
    "SELECT * FROM (TABLE {customers}) c WHERE c.id = :id": {"id": 3},
    "-- all\nTABLE /* of them */ {customers} -- ; \n;": None,
    "SELECT id FROM {customers} WHERE id IN (SELECT customer FROM (TABLE {orders}))": None,
    "FROM {customers} SELECT name, id WHERE id > 2": None,
    "DESCRIBE QUERY SELECT id + 1 AS i, note FROM {orders} WHERE id > :least": {"least": 2},
    "DESC QUERY TABLE {customers}": None,
    "DESC WITH a AS (SELECT * FROM {customers}) SELECT name FROM a": None,
    "DESCRIBE {customers} name": None,
    "DESCRIBE TABLE EXTENDED {customers} id": None,
    "SHOW COLUMNS IN {orders}": None,
    "SHOW COLUMNS FROM {customers}": None,
    "SELECT * FROM IDENTIFIER('{customers}') WHERE id = 1": None,
    "SELECT id, note FROM IDENTIFIER(:name) AS o WHERE o.id < 3": {"name": "{orders}"},
}


@pytest.mark.parametrize("text", LIKE_SPARK)
def test_a_statement_says_what_spark_says(spark, sql, text):
    def filled(value, where):
        names = {"orders": f"{where}.orders", "customers": f"{where}.customers"}
        return value.format(**names) if isinstance(value, str) else value

    args = LIKE_SPARK[text]

    def given(where):
        return None if args is None else {key: filled(value, where) for key, value in args.items()}

    own = sql(filled(text, "sales"), given("sales"))
    expected = spark.sql(filled(text, "own"), given("own"))
    assert own.columns == expected.columns
    assert rows(own) == rows(expected)
    assert rows(own)


def test_a_table_is_a_query_of_a_snapshot_a_branch_and_a_metadata_table_too(sql):
    assert sql("TABLE sales.orders.branch_audit").count() == 10
    assert sql("TABLE lake.sales.orders.tag_first").count() == 10
    assert sql("TABLE sales.orders.snapshots").count() == 2
    assert sql("TABLE `lake`.`sales`.`orders`").count() == 20
    with pytest.raises(NoSuchTableError, match="near matches: 'sales.orders'"):
        sql("TABLE sales.order")


@pytest.mark.parametrize("mode", ["", "EXTENDED", "FORMATTED", "COST", "CODEGEN"])
def test_a_query_is_explained_by_spark(sql, mode):
    (row,) = sql(f"EXPLAIN {mode} SELECT count(*) FROM sales.orders o WHERE o.id > 5").collect()
    assert "Physical Plan" in row.plan or "WholeStageCodegen" in row.plan
    if mode in {"EXTENDED", "FORMATTED"}:
        assert "id" in row.plan
    joined = (
        "EXPLAIN WITH a AS (SELECT * FROM sales.customers) SELECT * FROM a JOIN sales.orders o ON a.id = :c"
    )
    assert "Physical Plan" in sql(joined, {"c": 1}).first().plan


def test_changes_are_explained_and_not_made(spark, sql, lake):
    before = lake.load_table("sales.orders").metadata_location
    spark.range(3).createOrReplaceTempView("few")

    def said(text):
        (row,) = sql(f"EXPLAIN {text}").collect()
        return row.plan

    assert "without a job of Spark" in said("DELETE FROM sales.orders WHERE id = 3")
    assert "all rows" in said("TRUNCATE TABLE sales.orders")
    found = said("DELETE FROM sales.orders WHERE id % 7 = 3")
    assert "DELETE: one commit to lake.sales.orders, branch main" in found
    assert "Physical Plan" in found
    assert "new values" in said("UPDATE sales.orders.branch_audit SET note = upper(note) WHERE id % 7 = 3")
    assert "branch audit" in said("UPDATE sales.orders.branch_audit SET note = 'x' WHERE id = 3")
    assert "adds the rows" in said("INSERT INTO sales.orders TABLE sales.orders")
    assert "replaces rows" in said("INSERT OVERWRITE sales.orders SELECT * FROM sales.orders")
    with_names = "WITH f AS (SELECT * FROM few) INSERT INTO sales.orders (id) SELECT id FROM f"
    assert "Physical Plan" in said(with_names)
    merged = said(
        "MERGE INTO sales.orders o USING few f ON o.id = f.id WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (f.id)"
    )
    assert "MERGE: one commit" in merged
    assert "Join" in merged
    assert lake.load_table("sales.orders").metadata_location == before


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE sales.orders ADD COLUMN x int",
        "CREATE TABLE sales.new (id int)",
        "DROP TABLE sales.orders",
        "CACHE TABLE sales.orders",
    ],
)
def test_what_has_no_plan_is_refused_by_its_name(sql, text):
    with pytest.raises(
        UnsupportedError, match=f"EXPLAIN {text.split()[0]}: 'sales.(orders|new)' is of a catalog"
    ):
        sql(f"EXPLAIN {text}")


def test_a_column_is_described_and_listed_with_the_namespace_behind(sql):
    assert sql("SHOW COLUMNS IN customers IN sales").collect() == [("id",), ("name",), ("nation",)]
    assert sql("SHOW COLUMNS FROM sales.customers FROM sales").count() == 3
    assert sql("SHOW COLUMNS IN lake.sales.customers").count() == 3
    with pytest.raises(NoSuchTableError):
        sql("SHOW COLUMNS IN sales.nothing")
    with pytest.raises(InvalidInputError, match="no column 'nothing'"):
        sql("DESCRIBE sales.customers nothing")
    with pytest.raises(UnsupportedError, match="metadata table"):
        sql("SHOW COLUMNS IN sales.customers.files")


def test_a_namespace_is_described_as_spark_describes_its_own(spark, in_shop):
    found = in_shop("DESCRIBE NAMESPACE EXTENDED shop.db")
    assert found.columns == spark.sql("DESCRIBE NAMESPACE default").columns
    assert found.collect()[:3] == [
        ("Catalog Name", "shop"),
        ("Namespace Name", "db"),
        ("Comment", "what is sold"),
    ]
    assert found.collect()[-1] == ("Properties", "((a,b), (x,y))")
    for word in ("NAMESPACE", "DATABASE", "SCHEMA"):
        assert in_shop(f"DESC {word} db").collect()[:3] == found.collect()[:3]
        assert not [row for row in in_shop(f"DESC {word} db").collect() if row[0] == "Properties"]
    with pytest.raises(FloebergError):
        in_shop("DESCRIBE NAMESPACE shop.nothing")
    spark.sql("CREATE DATABASE db")
    try:
        with pytest.raises(
            InvalidInputError, match="both the catalog 'shop' and Spark have a namespace 'db'"
        ):
            in_shop("DESCRIBE NAMESPACE db")
        assert in_shop("DESCRIBE NAMESPACE shop.db").collect()[0] == ("Catalog Name", "shop")
        assert in_shop("DESCRIBE NAMESPACE spark_catalog.db").collect()[0] == (
            "Catalog Name",
            "spark_catalog",
        )
    finally:
        spark.sql("DROP DATABASE db")


def test_comments_are_set_and_removed(in_shop, shop):
    in_shop("CREATE TABLE shop.db.t (id bigint COMMENT 'the key', place struct<x: int>) COMMENT 'old'")
    in_shop("COMMENT ON TABLE db.t IS \"it's\" ' \\'new\\''")
    table = shop.load_table("db.t")
    assert table.properties["comment"] == "it's 'new'"
    in_shop("COMMENT ON TABLE shop.db.t IS NULL")
    assert "comment" not in table.refresh().properties
    in_shop("COMMENT ON TABLE db.t IS NULL")
    in_shop("COMMENT ON TABLE IDENTIFIER(:name) IS :text", {"name": "db.t", "text": "given"})
    assert table.refresh().properties["comment"] == "given"
    in_shop("COMMENT ON COLUMN db.t.place.x IS 'to the east'")
    in_shop("COMMENT ON COLUMN shop.db.t.id IS NULL")
    schema = table.refresh().schema()
    assert (schema.find_field("place.x").doc, schema.find_field("id").doc) == ("to the east", None)
    in_shop("COMMENT ON NAMESPACE db IS 'other'")
    assert shop.load_namespace_properties("db")["comment"] == "other"
    in_shop("COMMENT ON DATABASE shop.db IS NULL")
    assert "comment" not in shop.load_namespace_properties("db")
    with pytest.raises(NoSuchTableError):
        in_shop("COMMENT ON TABLE db.nothing IS 'x'")
    with pytest.raises(InvalidInputError, match="expected a text or NULL"):
        in_shop("COMMENT ON TABLE db.t IS 3")
    with pytest.raises(InvalidInputError, match="name the table"):
        in_shop("COMMENT ON TABLE db.t.files IS 'x'")


def test_columns_are_changed_as_hive_writes_it(in_shop, shop):
    in_shop(
        "CREATE TABLE shop.db.t (id int COMMENT 'k', note string, size float, place struct<x: int, y: int>)"
    )
    table = shop.load_table("db.t")
    ids = {each.name: each.field_id for each in table.schema().fields}
    in_shop("ALTER TABLE db.t CHANGE COLUMN id number BIGINT COMMENT 'the number' AFTER note")
    in_shop("ALTER TABLE shop.db.t CHANGE size size DOUBLE FIRST")
    in_shop("ALTER TABLE db.t CHANGE COLUMN place.x east INT COMMENT 'to the east'")
    in_shop("ALTER TABLE db.t CHANGE note COMMENT 'a note'")
    in_shop("ALTER TABLE db.t CHANGE COLUMN number TYPE bigint")
    in_shop("ALTER TABLE db.t ALTER note FIRST")
    fields = table.refresh().schema().fields
    assert [each.name for each in fields] == ["note", "size", "number", "place"]
    assert [each.field_id for each in fields] == [ids[each] for each in ("note", "size", "id", "place")]
    assert [str(each.field_type) for each in fields[:3]] == ["string", "double", "long"]
    assert [each.doc for each in fields[:3]] == ["a note", None, "the number"]
    east = table.schema().find_field("place.east")
    assert (str(east.field_type), east.doc) == ("int", "to the east")
    in_shop("ALTER TABLE db.t CHANGE COLUMN number number BIGINT")
    assert table.refresh().schema().find_field("number").doc == "the number"
    before = table.metadata_location
    for text, error in (
        ("CHANGE COLUMN nothing other INT", "no column 'nothing'"),
        ("CHANGE COLUMN number number STRING", "string"),
        ("CHANGE COLUMN number number BIGINT NOT NULL", "SET NOT NULL"),
        ("CHANGE COLUMN place.east other.east INT", "give the new name alone"),
    ):
        with pytest.raises(FloebergError, match=error):
            in_shop(f"ALTER TABLE db.t {text}")
    assert table.refresh().metadata_location == before


def test_properties_have_what_icebergs_tables_say_of_themselves(in_shop, shop):
    in_shop(
        "CREATE TABLE shop.db.t (id bigint NOT NULL, ts timestamp) TBLPROPERTIES ('format-version'='3', 'own'='x')"
    )
    shown = dict(in_shop("SHOW TBLPROPERTIES db.t").collect())
    assert shown["current-snapshot-id"] == "none"
    assert (shown["format"], shown["format-version"], shown["own"]) == ("iceberg/parquet", "3", "x")
    in_shop("INSERT INTO db.t VALUES (1, current_timestamp())")
    in_shop("ALTER TABLE db.t SET TBLPROPERTIES ('write.format.default'='orc')")
    in_shop("ALTER TABLE db.t SET IDENTIFIER FIELDS id")
    in_shop("ALTER TABLE db.t WRITE ORDERED BY days(ts) DESC, id")
    shown = dict(in_shop("SHOW TBLPROPERTIES db.t").collect())
    assert shown["current-snapshot-id"] == str(shop.load_table("db.t").current_snapshot().snapshot_id)
    assert (shown["format"], shown["identifier-fields"]) == ("iceberg/orc", "[id]")
    assert shown["sort-order"] == "days(ts) DESC NULLS LAST, id ASC NULLS FIRST"
    assert in_shop("SHOW TBLPROPERTIES db.t ('format-version')").collect() == [("format-version", "3")]


def test_nothing_of_a_catalog_falls_through_to_a_table_of_spark(spark, sql):
    assert spark.catalog.tableExists("own.orders")
    for text in ("CACHE TABLE sales.nothing", "REFRESH TABLE sales.nothing", "UNCACHE TABLE sales.nothing"):
        with pytest.raises(NoSuchTableError):
            sql(text)
    sql("UNCACHE TABLE IF EXISTS sales.nothing")
    with pytest.raises(UnsupportedError, match="ANALYZE: 'sales.orders' is a table of a catalog"):
        sql("ANALYZE TABLE sales.orders COMPUTE STATISTICS")


def test_rows_with_deletes_are_read_with_what_is_deleted(in_shop, shop):
    table = shop.create_table(
        "db.t", as_select=pa.table({"id": [1, 2, 3]}), properties={"write.delete.mode": "merge-on-read"}
    )
    table.delete("id = 2")
    marked = in_shop("SELECT id, _deleted FROM db.t ORDER BY id").collect()
    assert marked == [(1, False), (2, True), (3, False)]
    assert in_shop("SELECT id FROM db.t WHERE _deleted").collect() == [(2,)]
    assert in_shop("SELECT count(*) FROM db.t WHERE NOT t._deleted").collect() == [(2,)]
    assert in_shop("SELECT count(*) FROM db.t").collect() == [(2,)]
    for text in (
        "DELETE FROM db.t WHERE _deleted",
        "UPDATE db.t SET id = 9 WHERE t._deleted",
        "MERGE INTO db.t t USING (SELECT 2 AS id) s ON t.id = s.id AND t._deleted WHEN MATCHED THEN DELETE",
    ):
        with pytest.raises(InvalidInputError, match="brings deleted rows back"):
            in_shop(text)
    assert in_shop("SELECT id FROM db.t ORDER BY id").collect() == [(1,), (3,)]
