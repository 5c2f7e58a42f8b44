"""CREATE, ALTER and DROP TABLE, CALL, DESCRIBE and SHOW, as Iceberg's documentation for Spark writes them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import (
    FloebergError,
    InvalidInputError,
    NoSuchTableError,
    TableAlreadyExistsError,
    UnsupportedError,
)
from lake import rows

DAYS = 86_400_000

UNSUPPORTED = [
    # Statements of Iceberg's documentation that are not run, each an error that shows the word.
    ("ALTER TABLE db.t CHANGE COLUMN id other BIGINT DEFAULT 1", "DEFAULT"),
    ("ALTER TABLE db.t ADD PARTITION (id = 1)", "FIELD"),
    ("ALTER TABLE db.t ALTER COLUMN id USING x", "USING"),
    ("ALTER TABLE db.t WRITE SORTED BY id", "SORTED"),
    ("ALTER TABLE db.t CREATE BRANCH b RETAIN 3 WEEKS", "WEEKS"),
    ("CREATE TABLE prod.db.new (id INT) USING parquet", "parquet"),
    ("CREATE TABLE db.new (id INT) PARTITIONED BY (cube(id))", "cube"),
    ("CREATE TABLE db.new (id INT) CLUSTERED BY (id) INTO 4 BUCKETS", "CLUSTERED"),
    ("SHOW PARTITIONS db.t", "PARTITIONS"),
]


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("prod", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


def test_a_table_is_made_as_its_statement_says(sql, lake):
    sql(
        """CREATE TABLE prod.db.sample (
             id bigint NOT NULL COMMENT 'unique id', data string, category string, ts timestamp,
             point struct<x: double NOT NULL, y: double>, tags array<string>, m map<string, int>)
           USING iceberg
           PARTITIONED BY (bucket(16, id), days(ts), category, truncate(4, data))
           COMMENT 'a table' TBLPROPERTIES ('format-version' = '3', write.delete.mode = 'merge-on-read')"""
    )
    table = lake.load_table("db.sample")
    assert [str(each) for each in table.schema().fields][:4] == [
        "1: id: required long (unique id)",
        "2: data: optional string",
        "3: category: optional string",
        "4: ts: optional timestamptz",
    ]
    assert str(table.schema().find_field("point.x").required) == "True"
    assert [f"{each.name} {each.transform}" for each in table.spec().fields] == [
        "id_bucket_16 bucket[16]",
        "ts_day day",
        "category identity",
        "data_trunc_4 truncate[4]",
    ]
    assert (table.format_version, table.properties["comment"]) == (3, "a table")
    assert table.properties["write.delete.mode"] == "merge-on-read"
    sql("CREATE TABLE IF NOT EXISTS db.sample (other int)")
    with pytest.raises(TableAlreadyExistsError):
        sql("CREATE TABLE db.sample (other int)")
    sql("CREATE OR REPLACE TABLE db.sample (other int NOT NULL) USING iceberg")
    assert lake.load_table("db.sample").schema().column_names == ["other"]


def test_a_table_is_made_and_replaced_with_the_rows_of_a_query_in_one_commit(spark, sql, lake):
    sql(
        "CREATE TABLE prod.db.sample USING iceberg PARTITIONED BY (part) TBLPROPERTIES ('key' = 'value') "
        "AS SELECT id, id % 2 AS part FROM range(6)"
    )
    table = lake.load_table("db.sample")
    assert (len(table.snapshots()), table.properties["key"], table.scan().count()) == (1, "value", 6)
    assert [each.name for each in table.spec().fields] == ["part"]
    sql("REPLACE TABLE prod.db.sample USING iceberg AS SELECT count(*) AS n FROM db.sample")
    assert table.refresh().scan().to_arrow().to_pylist() == [{"n": 6}]
    assert (len(table.snapshots()), table.spec().is_unpartitioned()) == (2, True)
    with pytest.raises(PySparkException):
        sql("CREATE OR REPLACE TABLE db.sample AS SELECT CAST(raise_error('no') AS INT) AS n").collect()
    assert table.refresh().scan().count() == 1
    with pytest.raises(NoSuchTableError):
        sql("REPLACE TABLE db.nothing AS SELECT 1 AS one")
    spark.range(1).createOrReplaceTempView("own_rows")
    assert rows(sql("SELECT * FROM own_rows")) == [(0,)]


def test_tables_and_namespaces_are_dropped_and_renamed(sql, lake, tmp_path):
    lake.create_table("db.t", as_select=pa.table({"id": [1]}))
    sql("ALTER TABLE prod.db.t RENAME TO prod.db.renamed")
    sql("ALTER TABLE db.renamed RENAME TO u")
    assert lake.list_tables("db") == [("db", "u")]
    sql("DROP TABLE prod.db.u PURGE")
    assert not list(tmp_path.rglob("*.parquet"))
    sql("DROP TABLE IF EXISTS db.u")
    with pytest.raises(NoSuchTableError):
        sql("DROP TABLE db.u")
    sql("CREATE NAMESPACE prod.other WITH PROPERTIES ('owner' = 'jo')")
    assert lake.load_namespace_properties("other")["owner"] == "jo"
    sql("DROP NAMESPACE prod.other")
    assert lake.list_namespaces() == [("db",)]


def test_columns_are_changed_as_the_documentation_says(sql, lake):
    sql("CREATE TABLE db.t (id int NOT NULL, data string, measurement float, m map<string, struct<a: int>>)")
    for change in (
        "ADD COLUMNS (new_column string comment 'new_column docs')",
        "ADD COLUMN point struct<x: double, y: double>",
        "ADD COLUMN point.z double",
        "ADD COLUMN points array<struct<x: double>>",
        "ADD COLUMN points.element.z double",
        "ADD COLUMN m.value.b int",
        "ADD COLUMN after_id bigint AFTER id",
        "ADD COLUMN point.w bigint FIRST",
        "RENAME COLUMN data TO payload",
        "RENAME COLUMN point.x TO latitude",
        "ALTER COLUMN measurement TYPE double COMMENT 'unit is bytes per second'",
        "ALTER COLUMN id TYPE bigint",
        "ALTER COLUMN payload FIRST",
        "ALTER COLUMN measurement AFTER payload",
        "ALTER COLUMN id DROP NOT NULL",
        "DROP COLUMN new_column",
        "DROP COLUMN point.y",
        "DROP COLUMNS IF EXISTS (nothing)",
        "SET TBLPROPERTIES ('read.split.target-size' = '268435456', 'gone' = 'x', 'comment' = 'A comment.')",
        "UNSET TBLPROPERTIES ('gone')",
    ):
        sql(f"ALTER TABLE prod.db.t {change}")
    table = lake.load_table("db.t")
    assert table.schema().column_names == [
        *("payload", "measurement", "id", "after_id", "m", "m.key", "m.value", "m.value.a", "m.value.b"),
        *("point", "point.w", "point.latitude", "point.z", "points", "points.element"),
        *("points.element.x", "points.element.z"),
    ]
    measurement = table.schema().find_field("measurement")
    assert (str(measurement.field_type), measurement.doc) == ("double", "unit is bytes per second")
    assert not table.schema().find_field("id").required
    assert table.properties["read.split.target-size"] == "268435456"
    assert "gone" not in table.properties
    assert table.properties["comment"] == "A comment."


def test_partitions_orders_and_identifier_fields_are_changed(sql, lake):
    sql("CREATE TABLE db.t (id bigint NOT NULL, data string NOT NULL, category string, ts timestamp)")
    table = lake.load_table("db.t")

    def fields():
        return [each.name for each in table.refresh().spec().fields]

    for change in ("category", "bucket(16, id)", "truncate(4, data)", "year(ts)", "bucket(8, id) AS shard"):
        sql(f"ALTER TABLE prod.db.t ADD PARTITION FIELD {change}")
    assert fields() == ["category", "id_bucket_16", "data_trunc_4", "ts_year", "shard"]
    for change in ("category", "bucket(16, id)", "truncate(4, data)", "shard"):
        sql(f"ALTER TABLE prod.db.t DROP PARTITION FIELD {change}")
    sql("ALTER TABLE prod.db.t REPLACE PARTITION FIELD ts_year WITH day(ts) AS day_of_ts")
    assert fields() == ["day_of_ts"]
    for change, mode, order in (
        ("ORDERED BY category, id", "range", ["asc nulls-first", "asc nulls-first"]),
        (
            "ORDERED BY category ASC NULLS LAST, id DESC NULLS FIRST",
            "range",
            ["asc nulls-last", "desc nulls-first"],
        ),
        ("LOCALLY ORDERED BY category, bucket(4, id) DESC", "none", ["asc nulls-first", "desc nulls-last"]),
        ("UNORDERED", "none", []),
        ("DISTRIBUTED BY PARTITION", "hash", []),
        ("DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id", "hash", ["asc nulls-first"]),
    ):
        sql(f"ALTER TABLE prod.db.t WRITE {change}")
        table.refresh()
        assert table.properties["write.distribution-mode"] == mode
        assert [
            f"{each.direction.value} {each.null_order.value}" for each in table.sort_order().fields
        ] == order
    sql("ALTER TABLE prod.db.t SET IDENTIFIER FIELDS id, data")
    assert table.refresh().schema().identifier_field_names() == {"id", "data"}
    sql("ALTER TABLE prod.db.t DROP IDENTIFIER FIELDS data")
    assert table.refresh().schema().identifier_field_names() == {"id"}


def test_branches_and_tags_are_made_replaced_and_dropped(sql, lake):
    table = lake.create_table("db.t", as_select=pa.table({"id": [1]}))
    first = table.current_snapshot().snapshot_id
    table.append(pa.table({"id": [2]}))
    second = table.current_snapshot().snapshot_id
    for change in (
        "CREATE BRANCH `audit-branch`",
        "CREATE BRANCH IF NOT EXISTS `audit-branch`",
        f"CREATE OR REPLACE BRANCH `audit-branch` AS OF VERSION {first}",
        f"CREATE BRANCH kept AS OF VERSION {first} RETAIN 30 DAYS WITH SNAPSHOT RETENTION 3 SNAPSHOTS 2 DAYS",
        f"CREATE TAG `historical-tag` AS OF VERSION {first} RETAIN 365 DAYS",
        "CREATE TAG IF NOT EXISTS `historical-tag`",
        "CREATE OR REPLACE TAG gone",
        f"REPLACE BRANCH kept AS OF VERSION {second} RETAIN 60 DAYS",
        f"REPLACE TAG `historical-tag` AS OF VERSION {second} RETAIN 60 DAYS",
        "DROP TAG gone",
        "DROP BRANCH IF EXISTS nothing",
    ):
        sql(f"ALTER TABLE prod.db.t {change}")
    refs = table.refresh().refs()
    assert set(refs) == {"main", "audit-branch", "kept", "historical-tag"}
    kept, tag = refs["kept"], refs["historical-tag"]
    assert refs["audit-branch"].snapshot_id == first
    assert (kept.snapshot_id, kept.max_ref_age_ms) == (second, 60 * DAYS)
    assert (kept.min_snapshots_to_keep, kept.max_snapshot_age_ms) == (3, 2 * DAYS)
    assert (tag.snapshot_id, tag.max_ref_age_ms) == (second, 60 * DAYS)
    with pytest.raises(FloebergError):
        sql("ALTER TABLE prod.db.t CREATE TAG `historical-tag`")
    with pytest.raises(InvalidInputError, match="no branch 'nothing'"):
        sql(f"ALTER TABLE prod.db.t REPLACE BRANCH nothing AS OF VERSION {first}")


def test_procedures_have_the_arguments_and_results_of_icebergs(sql, lake):
    table = lake.create_table("db.t", as_select=pa.table({"id": [1]}))
    first = table.current_snapshot()
    table.append(pa.table({"id": [2]}))
    second = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_tag(second, "s2").create_branch(second, "audit").commit()
    assert rows(sql(f"CALL prod.system.rollback_to_snapshot('db.t', {first.snapshot_id})")) == [
        (second, first.snapshot_id)
    ]
    called = sql("CALL prod.system.fast_forward(table => 'db.t', branch => 'main', to => 'audit')")
    assert called.columns == ["branch_updated", "previous_ref", "updated_ref"]
    assert rows(called) == [("main", first.snapshot_id, second)]
    assert rows(
        sql(f"CALL prod.system.rollback_to_timestamp('db.t', timestamp_millis({first.timestamp_ms + 1}))")
    )[0][1] in {first.snapshot_id, second}
    assert rows(sql("CALL prod.system.set_current_snapshot(table => 'db.t', ref => 's2')"))[0][1] == second
    with table.refresh().transaction(stage_only=True, snapshot_properties={"wap.id": "w1"}) as transaction:
        transaction.append(pa.table({"id": [3]}))
    staged = transaction.result.snapshot_id
    assert rows(sql("CALL prod.system.publish_changes('db.t', 'w1')"))[0][0] == staged
    with table.refresh().transaction(stage_only=True) as transaction:
        transaction.append(pa.table({"id": [4]}))
    staged = transaction.result.snapshot_id
    table.refresh().append(pa.table({"id": [5]}))
    assert (
        rows(sql(f"CALL prod.system.cherrypick_snapshot(snapshot_id => {staged}, table => 'prod.db.t')"))[0][
            0
        ]
        == staged
    )
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == [1, 2, 3, 4, 5]
    for text, words in (
        ("rollback_to_snapshot('db.t')", "'snapshot_id' is missing"),
        ("rollback_to_snapshot('db.t', 1, 2)", "at most 2 arguments"),
        ("set_current_snapshot('db.t')", "either snapshot_id or ref"),
        ("fast_forward(table => 'db.t', other => 1)", "'other'"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            sql(f"CALL prod.system.{text}")


def test_procedures_look_after_a_table(spark, sql, lake, tmp_path):
    table = lake.create_table("db.t", as_select=pa.table({"id": [0], "part": ["a"]}))
    for number in range(1, 6):
        table.append(pa.table({"id": [number], "part": ["ab"[number % 2]]}))
    called = sql("CALL prod.system.rewrite_data_files(table => 'db.t', where => 'part = \"a\" OR id > 0')")
    assert called.columns[:2] == ["rewritten_data_files_count", "added_data_files_count"]
    ((rewritten, added, size, failed, deletes),) = rows(called)
    assert (rewritten, added, failed, deletes) == (6, 1, 0, 0)
    assert size > 0
    called = sql("CALL prod.system.expire_snapshots('db.t', TIMESTAMP '2100-01-01 00:00:00', 2)")
    assert called.columns[0] == "deleted_data_files_count"
    assert rows(called) == [(0, 0, 0, 0, 5, 0)]
    kept = table.refresh().current_snapshot().snapshot_id
    gone = next(each.snapshot_id for each in table.snapshots() if each.snapshot_id != kept)
    called = sql(f"CALL prod.system.expire_snapshots(table => 'db.t', snapshot_ids => array({gone}))")
    assert rows(called) == [(6, 0, 0, 6, 1, 0)]
    lost = tmp_path / "db" / "t" / "data" / "lost"
    lost.write_text("x")
    listed = spark.createDataFrame([(str(lost), 0.0)], "file_path string, seconds double")
    listed.selectExpr("file_path", "timestamp_seconds(seconds) AS last_modified").createOrReplaceTempView(
        "listed"
    )
    assert rows(sql("CALL prod.system.remove_orphan_files(table => 'db.t', dry_run => true)")) == []
    call = "CALL prod.system.remove_orphan_files(table => 'db.t', file_list_view => 'listed', dry_run => {})"
    for dry_run in ("true", "false"):
        called = sql(call.format(dry_run))
        assert called.columns == ["orphan_file_location"]
        assert rows(called) == [(str(lost),)]
    assert not lost.exists()
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == list(range(6))
    with pytest.raises(InvalidInputError, match="older_than"):
        sql("CALL prod.system.remove_orphan_files('db.t', TIMESTAMP '2100-01-01 00:00:00')")
    spark.range(1).createOrReplaceTempView("no_list")
    with pytest.raises(InvalidInputError, match="file_path"):
        sql("CALL prod.system.remove_orphan_files(table => 'db.t', file_list_view => 'no_list')")
    with pytest.raises(InvalidInputError, match="condition"):
        sql("CALL prod.system.rewrite_data_files(table => 'db.t', where => 'id = = 1')")


def test_procedures_sort_files(sql, lake):
    sql("CREATE TABLE db.t (id bigint, name string, part string) PARTITIONED BY (part)")
    table = lake.load_table("db.t")
    for number in range(12):
        table.append(
            pa.table(
                {"id": [number * 5 % 12], "name": [f"n{number * 7 % 12:02}"], "part": ["ab"[number % 2]]}
            )
        )

    def stored(column: str) -> list[list[object]]:
        parts = (table.refresh().scan(f"part = '{part}'").to_arrow() for part in "ab")
        return [part[column].to_pylist() for part in parts]

    def call(arguments: str) -> tuple[int, ...]:
        ((rewritten, added, _, failed, deletes),) = rows(
            sql(f"CALL prod.system.rewrite_data_files(table => 'db.t', {arguments})")
        )
        return rewritten, added, failed, deletes

    # A sort order alone means sort, and names are as the session has them.
    assert call("sort_order => 'ID DESC NULLS FIRST'") == (12, 2, 0, 0)
    assert stored("id") == [[10, 8, 6, 4, 2, 0], [11, 9, 7, 5, 3, 1]]
    all_files = "options => map('rewrite-all', 'true')"
    assert call(f"strategy => 'SORT', sort_order => '(truncate(name, 3) desc, id)', {all_files}") == (
        2,
        2,
        0,
        0,
    )
    for names in stored("name"):
        assert names == sorted(names, reverse=True)
    assert call(f"sort_order => 'zorder(part, id)', {all_files}") == (2, 2, 0, 0)
    assert stored("id") == [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]]
    sql("ALTER TABLE db.t WRITE ORDERED BY name")
    assert call(f"strategy => 'sort', {all_files}") == (2, 2, 0, 0)
    assert stored("name") == [sorted(names) for names in stored("name")]
    sql("ALTER TABLE db.t WRITE UNORDERED")
    for arguments, words in (
        ("strategy => 'sort'", "no sort order"),
        ("strategy => 'binpack', sort_order => 'id'", "binpack"),
        ("strategy => 'zorder'", "zorder"),
        ("sort_order => 'zorder(id), name'", "mixed"),
        ("sort_order => 'zorder(part)'", "partition column"),
        ("sort_order => 'nowhere'", "nowhere"),
        ("options => map('max-output-size', '1')", "max-output-size"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call(arguments)


def test_tables_are_described(spark, sql):
    sql(
        "CREATE TABLE db.t (id bigint NOT NULL COMMENT 'key', u string) PARTITIONED BY (bucket(4, id)) "
        "TBLPROPERTIES ('owner' = 'jo')"
    )
    described = sql("DESCRIBE TABLE prod.db.t").collect()
    assert list(map(tuple, described)) == [
        ("id", "bigint", "key"),
        ("u", "string", ""),
        ("", "", ""),
        ("# Partitioning", "", ""),
        ("Part 0", "bucket(4, id)", ""),
    ]
    assert ("Provider", "iceberg", "") in rows(sql("DESC EXTENDED db.t"))
    assert rows(sql("SHOW TABLES IN prod.db")) == [("db", "t", False)]
    assert rows(sql("SHOW TABLES IN db LIKE 'x*'")) == []
    assert rows(sql("SHOW NAMESPACES IN prod")) == [("db",)]
    assert ("owner", "jo") in rows(sql("SHOW TBLPROPERTIES db.t"))
    written = sql("SHOW CREATE TABLE db.t").first()[0]
    sql("DROP TABLE db.t")
    sql(written)
    assert rows(sql("DESCRIBE db.t")) == sorted(map(tuple, described), key=repr)
    assert rows(sql("SHOW TABLES")) == rows(spark.sql("SHOW TABLES"))


@pytest.mark.parametrize(("text", "word"), UNSUPPORTED)
def test_what_is_not_run_is_an_error_that_shows_it(sql, lake, text, word):
    lake.create_table("db.t", pa.schema({"id": pa.int64()}))
    with pytest.raises(UnsupportedError, match=word):
        sql(text)
