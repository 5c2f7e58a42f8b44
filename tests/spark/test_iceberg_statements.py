"""Every kind of statement that Iceberg's documentation has for Spark runs, or is here with the reason why not.

The pages are those of Iceberg 1.11: DDL, writes, queries, procedures and configuration. Names and values are our own.
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError

DDL = """
CREATE TABLE prod.shop.plain (id bigint NOT NULL COMMENT 'the key', note string) USING iceberg;
CREATE TABLE prod.shop.by_kind (id bigint, note string, kind string) USING iceberg PARTITIONED BY (kind);
CREATE TABLE prod.shop.items (id bigint, note string, kind string, ts timestamp)
    USING iceberg PARTITIONED BY (bucket(16, id), days(ts), kind);
CREATE TABLE prod.shop.copied USING iceberg AS SELECT * FROM prod.shop.items;
CREATE TABLE prod.shop.copied_parts USING iceberg PARTITIONED BY (kind) TBLPROPERTIES ('owner'='jo')
    AS SELECT id, kind FROM prod.shop.items;
REPLACE TABLE prod.shop.copied USING iceberg AS SELECT id FROM prod.shop.items;
REPLACE TABLE prod.shop.copied USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('owner'='jo')
    AS SELECT id FROM prod.shop.items;
CREATE OR REPLACE TABLE prod.shop.copied USING iceberg AS SELECT id, note FROM prod.shop.items;
DROP TABLE prod.shop.copied;
DROP TABLE prod.shop.copied_parts PURGE;
ALTER TABLE prod.shop.by_kind RENAME TO prod.shop.renamed;
ALTER TABLE prod.shop.plain SET TBLPROPERTIES ('read.split.target-size'='268435456');
ALTER TABLE prod.shop.plain UNSET TBLPROPERTIES ('read.split.target-size');
ALTER TABLE prod.shop.plain SET TBLPROPERTIES ('comment' = 'what is sold');
ALTER TABLE prod.shop.plain ADD COLUMNS (more string comment 'added later');
ALTER TABLE prod.shop.plain ADD COLUMN place struct<x: double, y: double>;
ALTER TABLE prod.shop.plain ADD COLUMN place.z double;
ALTER TABLE prod.shop.plain ADD COLUMN places array<struct<x: double, y: double>>;
ALTER TABLE prod.shop.plain ADD COLUMN places.element.z double;
ALTER TABLE prod.shop.plain ADD COLUMN by_place map<struct<x: int>, struct<a: int>>;
ALTER TABLE prod.shop.plain ADD COLUMN by_place.value.b int;
ALTER TABLE prod.shop.plain ADD COLUMN beside bigint AFTER note;
ALTER TABLE prod.shop.plain ADD COLUMN place.first bigint FIRST;
ALTER TABLE prod.shop.plain RENAME COLUMN more TO other;
ALTER TABLE prod.shop.plain RENAME COLUMN place.x TO east;
ALTER TABLE prod.shop.plain ADD COLUMN size float;
ALTER TABLE prod.shop.plain ALTER COLUMN size TYPE double;
ALTER TABLE prod.shop.plain ALTER COLUMN size TYPE double COMMENT 'in metres';
ALTER TABLE prod.shop.plain ALTER COLUMN size COMMENT 'in kilometres';
ALTER TABLE prod.shop.plain ALTER COLUMN size FIRST;
ALTER TABLE prod.shop.plain ALTER COLUMN place.z AFTER east;
ALTER TABLE prod.shop.plain ALTER COLUMN id DROP NOT NULL;
ALTER TABLE prod.shop.plain DROP COLUMN other;
ALTER TABLE prod.shop.plain DROP COLUMN place.z;
ALTER TABLE prod.shop.items ADD PARTITION FIELD note;
ALTER TABLE prod.shop.items ADD PARTITION FIELD bucket(8, id);
ALTER TABLE prod.shop.items ADD PARTITION FIELD truncate(4, note);
ALTER TABLE prod.shop.items ADD PARTITION FIELD year(ts);
ALTER TABLE prod.shop.items ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE prod.shop.items DROP PARTITION FIELD note;
ALTER TABLE prod.shop.items DROP PARTITION FIELD bucket(8, id);
ALTER TABLE prod.shop.items DROP PARTITION FIELD truncate(4, note);
ALTER TABLE prod.shop.items DROP PARTITION FIELD year(ts);
ALTER TABLE prod.shop.items DROP PARTITION FIELD shard;
ALTER TABLE prod.shop.items REPLACE PARTITION FIELD ts_day WITH month(ts);
ALTER TABLE prod.shop.items REPLACE PARTITION FIELD ts_month WITH day(ts) AS day_of_ts;
ALTER TABLE prod.shop.items WRITE ORDERED BY kind, id;
ALTER TABLE prod.shop.items WRITE ORDERED BY kind ASC, id DESC;
ALTER TABLE prod.shop.items WRITE ORDERED BY kind ASC NULLS LAST, id DESC NULLS FIRST;
ALTER TABLE prod.shop.items WRITE LOCALLY ORDERED BY kind, id;
ALTER TABLE prod.shop.items WRITE UNORDERED;
ALTER TABLE prod.shop.items WRITE DISTRIBUTED BY PARTITION;
ALTER TABLE prod.shop.items WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY kind, id;
ALTER TABLE prod.shop.keyed SET IDENTIFIER FIELDS id;
ALTER TABLE prod.shop.keyed SET IDENTIFIER FIELDS id, note;
ALTER TABLE prod.shop.keyed DROP IDENTIFIER FIELDS note;
ALTER TABLE prod.shop.keyed DROP IDENTIFIER FIELDS id;
ALTER TABLE prod.shop.keyed SET IDENTIFIER FIELDS id, note;
ALTER TABLE prod.shop.keyed DROP IDENTIFIER FIELDS id, note;
INSERT INTO prod.shop.items SELECT id, note, kind, ts FROM other_items ORDER BY ts, kind;
ALTER TABLE prod.shop.items CREATE BRANCH `to-check`;
ALTER TABLE prod.shop.items CREATE BRANCH IF NOT EXISTS `to-check`;
ALTER TABLE prod.shop.items CREATE OR REPLACE BRANCH `to-check`;
ALTER TABLE prod.shop.items CREATE BRANCH `to-check-2` AS OF VERSION {snapshot};
ALTER TABLE prod.shop.items CREATE BRANCH `to-check-3` AS OF VERSION {snapshot} RETAIN 30 DAYS
    WITH SNAPSHOT RETENTION 3 SNAPSHOTS 2 DAYS;
ALTER TABLE prod.shop.items CREATE TAG `as-it-was`;
ALTER TABLE prod.shop.items CREATE TAG IF NOT EXISTS `as-it-was`;
ALTER TABLE prod.shop.items CREATE OR REPLACE TAG `as-it-was`;
ALTER TABLE prod.shop.items CREATE TAG `as-it-was-2` AS OF VERSION {snapshot};
ALTER TABLE prod.shop.items CREATE TAG `as-it-was-3` AS OF VERSION {snapshot} RETAIN 365 DAYS;
ALTER TABLE prod.shop.items REPLACE BRANCH `to-check` AS OF VERSION {snapshot} RETAIN 60 DAYS;
ALTER TABLE prod.shop.items REPLACE TAG `as-it-was` AS OF VERSION {snapshot} RETAIN 60 DAYS;
ALTER TABLE prod.shop.items DROP BRANCH `to-check-3`;
ALTER TABLE prod.shop.items DROP TAG `as-it-was-3`
"""
WRITES = """
INSERT INTO prod.shop.keyed VALUES (1, 'a'), (2, 'b');
INSERT INTO prod.shop.keyed SELECT id, note FROM other_items;
MERGE INTO prod.shop.keyed t   -- what is changed
    USING (SELECT * FROM changes) s          -- by these rows
    ON t.id = s.id                -- that match it
    WHEN MATCHED AND s.op = 'delete' THEN DELETE
    WHEN MATCHED AND t.note IS NULL AND s.op = 'increment' THEN UPDATE SET t.note = '0'
    WHEN MATCHED AND s.op = 'increment' THEN UPDATE SET t.note = concat(t.note, '+')
    WHEN NOT MATCHED AND s.event_time > TIMESTAMP '2026-01-01 00:00:00' THEN INSERT (id, note) VALUES (s.id, 'new')
    WHEN NOT MATCHED BY SOURCE THEN UPDATE SET note = 'invalid';
MERGE INTO prod.shop.keyed t USING (SELECT id, note FROM other_items) s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
CREATE TABLE prod.shop.logs (uuid string NOT NULL, level string NOT NULL, ts timestamp NOT NULL, message string)
    USING iceberg PARTITIONED BY (level, hours(ts));
INSERT INTO prod.shop.logs VALUES ('u', 'INFO', TIMESTAMP '2026-07-01 10:00:00', 'm');
INSERT OVERWRITE prod.shop.logs SELECT uuid, first(level), first(ts), first(message) FROM prod.shop.logs
    WHERE cast(ts as date) = '2026-07-01' GROUP BY uuid;
INSERT OVERWRITE prod.shop.logs PARTITION (level = 'INFO') SELECT uuid, first(ts), first(message) FROM prod.shop.logs
    WHERE level = 'INFO' GROUP BY uuid;
DELETE FROM prod.shop.items WHERE ts >= '2026-05-01 00:00:00' and ts < '2026-06-01 00:00:00';
DELETE FROM prod.shop.items WHERE ts < (SELECT min(ts) FROM prod.shop.logs) AND id > 1000;
DELETE FROM prod.shop.items AS t1 WHERE EXISTS (SELECT oid FROM prod.shop.returned WHERE t1.id = oid);
UPDATE prod.shop.items SET note = 'n', kind = 'k' WHERE ts >= '2026-05-01 00:00:00' and ts < '2026-06-01 00:00:00';
UPDATE prod.shop.items SET id = 0, note = 'old' WHERE ts < (SELECT min(ts) FROM prod.shop.logs);
UPDATE prod.shop.items AS t1 SET kind = 'returned' WHERE EXISTS (SELECT oid FROM prod.shop.returned WHERE t1.id = oid);
ALTER TABLE prod.shop.keyed CREATE BRANCH checked;
INSERT INTO prod.shop.keyed.branch_checked VALUES (11, 'a'), (12, 'b');
MERGE INTO prod.shop.keyed.branch_checked t USING (SELECT 11 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE;
UPDATE prod.shop.keyed.branch_checked AS t1 SET note = 'c';
DELETE FROM prod.shop.keyed.branch_checked WHERE id = 12;
ALTER TABLE prod.shop.keyed SET TBLPROPERTIES ('write.spark.accept-any-schema'='true');
INSERT INTO prod.shop.items SELECT id, note, kind, ts FROM other_items;
ALTER TABLE prod.shop.items SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read');
DELETE FROM prod.shop.items WHERE id = 1
"""
QUERIES = """
SELECT * FROM prod.shop.items;
SELECT count(1) AS count, kind FROM prod.shop.items GROUP BY kind;
SHOW CURRENT NAMESPACE;
SHOW VIEWS;
SELECT * FROM prod.shop.items.files;
SELECT * FROM prod.shop.items TIMESTAMP AS OF '2100-10-26 01:21:00';
SELECT * FROM prod.shop.items VERSION AS OF {snapshot};
SELECT * FROM prod.shop.items VERSION AS OF 'to-check';
SELECT * FROM prod.shop.items VERSION AS OF 'as-it-was';
SELECT * FROM prod.shop.items FOR SYSTEM_TIME AS OF '2100-10-26 01:21:00';
SELECT * FROM prod.shop.items FOR SYSTEM_VERSION AS OF {snapshot};
SELECT * FROM prod.shop.items FOR SYSTEM_VERSION AS OF 'to-check';
SELECT * FROM prod.shop.items FOR SYSTEM_VERSION AS OF 'as-it-was';
SELECT * FROM prod.shop.items TIMESTAMP AS OF 4102444800;
SELECT * FROM prod.shop.items FOR SYSTEM_TIME AS OF 4102444800;
SELECT * FROM prod.shop.items.`branch_to-check`;
SELECT * FROM prod.shop.items.`tag_as-it-was`;
SELECT * FROM prod.shop.items.history;
SELECT * from prod.shop.items.metadata_log_entries;
SELECT * FROM prod.shop.items.snapshots;
select h.made_current_at, s.operation, h.snapshot_id, h.is_current_ancestor, s.summary['spark.app.id']
    from prod.shop.items.history h join prod.shop.items.snapshots s on h.snapshot_id = s.snapshot_id
    order by made_current_at;
SELECT * FROM prod.shop.items.entries;
SELECT * FROM prod.shop.items.manifests;
SELECT * FROM prod.shop.items.partitions;
SELECT * FROM prod.shop.items.position_deletes;
SELECT * FROM prod.shop.items.all_data_files;
SELECT * FROM prod.shop.items.all_delete_files;
SELECT * FROM prod.shop.items.all_entries;
SELECT * FROM prod.shop.items.all_manifests;
SELECT * FROM prod.shop.items.refs;
SELECT * FROM prod.shop.items.manifests TIMESTAMP AS OF '2100-09-20 08:00:00';
SELECT * FROM prod.shop.items.partitions VERSION AS OF {snapshot};
SELECT * FROM prod.shop.items.changes;
SELECT system.iceberg_version();
SELECT prod.system.bucket(16, id) FROM prod.shop.items;
SELECT system.bucket(16, id), system.days(ts) FROM prod.shop.items;
SELECT system.years(ts) FROM prod.shop.items;
SELECT system.months(ts) FROM prod.shop.items;
SELECT system.hours(ts) FROM prod.shop.items;
SELECT system.truncate(4, note) FROM prod.shop.items;
SELECT * FROM prod.shop.items WHERE system.days(ts) = date('2026-03-01')
"""
PROCEDURES = """
CALL prod.system.rollback_to_snapshot('shop.items', {snapshot});
CALL prod.system.rollback_to_timestamp('shop.items', TIMESTAMP '2100-06-30 00:00:00.000');
CALL prod.system.set_current_snapshot('shop.items', {snapshot});
CALL prod.system.set_current_snapshot(table => 'shop.items', ref => 'as-it-was');
CALL prod.system.cherrypick_snapshot('shop.items', {staged});
CALL prod.system.cherrypick_snapshot(snapshot_id => {staged_2}, table => 'shop.items');
CALL prod.system.publish_changes('shop.items', 'w1');
CALL prod.system.publish_changes(wap_id => 'w2', table => 'shop.items');
CALL prod.system.fast_forward('shop.items', 'to-check', 'main');
CALL prod.system.ancestors_of('shop.items');
CALL prod.system.ancestors_of('shop.items', {snapshot});
CALL prod.system.ancestors_of(snapshot_id => {snapshot}, table => 'shop.items');
CALL prod.system.add_files(table => 'shop.by_file', source_table => '`parquet`.`{files}`');
CALL prod.system.add_files(table => 'shop.by_file_2', source_table => 'hive_like',
    partition_filter => map('region', 'eu'));
CALL prod.system.create_changelog_view(table => 'shop.keyed',
    options => map('start-snapshot-id','{before}','end-snapshot-id', '{last}'));
CALL prod.system.create_changelog_view(table => 'shop.keyed',
    options => map('start-timestamp','1678335750489','end-timestamp', '4102444800000'), changelog_view => 'changed');
CALL prod.system.create_changelog_view(table => 'shop.keyed',
    options => map('start-snapshot-id','{before}','end-snapshot-id', '{last}'),
    identifier_columns => array('id', 'note'));
SELECT * FROM keyed_changes;
SELECT * FROM keyed_changes where _change_type = 'INSERT' AND id = 3 ORDER BY _change_ordinal;
CALL prod.system.create_changelog_view(table => 'shop.keyed', options => map('end-snapshot-id', '{last}'),
    net_changes => true);
CALL prod.system.rewrite_data_files('shop.items');
CALL prod.system.rewrite_data_files(table => 'shop.items',
    options => map('min-input-files', '2', 'rewrite-all', 'true'));
CALL prod.system.rewrite_data_files(table => 'shop.items', where => 'id = 3 and note = "n"');
CALL prod.system.compute_table_stats('shop.items');
CALL prod.system.compute_table_stats(table => 'shop.items', snapshot_id => {snapshot});
CALL prod.system.compute_table_stats(table => 'shop.items', snapshot_id => {snapshot}, columns => array('id', 'note'));
CALL prod.system.compute_partition_stats('shop.items');
CALL prod.system.compute_partition_stats(table => 'shop.items', snapshot_id => {snapshot});
CALL prod.system.rewrite_table_path(table => 'shop.items', source_prefix => '{folder}',
    target_prefix => 's3a://bucket/prefix/shop/items');
CALL prod.system.rewrite_table_path(table => 'shop.items', source_prefix => '{folder}',
    target_prefix => 's3a://bucket/prefix/shop/items', start_version => '{start}', end_version => '{end}',
    staging_location => '{staging}');
CALL prod.system.rewrite_data_files(table => 'shop.items', strategy => 'sort',
    sort_order => 'id DESC NULLS LAST,note ASC NULLS FIRST');
CALL prod.system.rewrite_data_files(table => 'shop.items', strategy => 'sort', sort_order => 'zorder(id,note)');
CALL prod.system.rewrite_manifests('shop.items');
CALL prod.system.rewrite_manifests(table => 'shop.items', spec_id => 1);
CALL prod.system.rewrite_manifests(table => 'shop.items', sort_by => array('kind'));
CALL prod.system.rewrite_position_delete_files('shop.items');
CALL prod.system.rewrite_position_delete_files(table => 'shop.items', options => map('rewrite-all', 'true'));
CALL prod.system.expire_snapshots('shop.items', TIMESTAMP '2026-06-30 00:00:00.000', 100);
CALL prod.system.expire_snapshots(table => 'shop.items', snapshot_ids => ARRAY({early}));
CALL prod.system.remove_orphan_files(table => 'shop.items', dry_run => true);
CALL prod.system.remove_orphan_files(table => 'shop.items', location => '{folder}/data');
CALL prod.system.remove_orphan_files(table => 'shop.items', file_list_view => 'files_view');
CALL prod.system.remove_orphan_files(table => 'shop.items', prefix_mismatch_mode => 'IGNORE');
CALL prod.system.remove_orphan_files(table => 'shop.items', equal_schemes => map('file', 'file1'));
CALL prod.system.remove_orphan_files(table => 'shop.items', equal_authorities => map('ns1', 'ns2'));
CALL prod.system.remove_orphan_files(table => 'shop.items', prefix_listing => true)
"""
REGISTERS = "CALL prod.system.register_table(table => 'shop.registered', metadata_file => '{metadata}')"
VIEWS = """
CREATE VIEW prod.shop.v AS SELECT * FROM prod.shop.items;
CREATE VIEW IF NOT EXISTS prod.shop.v AS SELECT * FROM prod.shop.items;
CREATE VIEW prod.shop.named (i COMMENT 'the key', n COMMENT 'the note') COMMENT 'what is sold'
    AS SELECT id, note FROM prod.shop.items;
CREATE VIEW prod.shop.described TBLPROPERTIES ('a' = 'b', 'c' = 'd') AS SELECT * FROM prod.shop.items;
CREATE VIEW prod.shop.placed TBLPROPERTIES ('location' = '{folder}/elsewhere') AS SELECT * FROM prod.shop.items;
CREATE OR REPLACE VIEW prod.shop.v (i COMMENT 'n') AS SELECT id FROM prod.shop.items;
CREATE OR REPLACE VIEW prod.shop.v (i COMMENT 'n') TBLPROPERTIES ('a' = 'c') AS SELECT id FROM prod.shop.items;
CREATE VIEW prod.shop.one AS SELECT 1 AS one;
ALTER VIEW prod.shop.v SET TBLPROPERTIES ('a' = 'b', 'c' = 'd');
ALTER VIEW prod.shop.v UNSET TBLPROPERTIES ('a', 'c');
SELECT * FROM prod.shop.v;
SHOW TBLPROPERTIES prod.shop.v;
SHOW CREATE TABLE prod.shop.v;
DESCRIBE prod.shop.v;
DESCRIBE EXTENDED prod.shop.v;
SHOW VIEWS IN shop;
SHOW VIEWS IN prod.shop;
DROP VIEW prod.shop.one;
DROP VIEW IF EXISTS prod.shop.one
"""
NO_SCHEMA = "SCHEMA_NOT_FOUND"
LEFT_OUT = [
    # The reason, the error that a user sees, and the statements.
    ("it has a namespace; Spark gets this", NO_SCHEMA, "SHOW VIEWS IN prod"),
    ("names have at least two parts", NO_SCHEMA, "USE prod;\nUSE shop;\nUSE prod.shop"),
    ("the same", "TABLE_OR_VIEW_NOT_FOUND", "SELECT * FROM items;\nINSERT INTO items SELECT 1"),
    (
        "they take over tables of Spark, and these are tables of the catalog",
        "NOT_FOUND",
        """
CALL prod.system.snapshot('shop.items', 'shop.snap');
CALL prod.system.snapshot('shop.items', 'shop.snap', '/tmp/temptable/');
CALL prod.system.migrate('shop.items');
CALL prod.system.migrate('spark_catalog.shop.items', map('a', 'b'))
""",
    ),
    (
        "columns that a query lacks are an error, as in Spark",
        "INSERT: the query has 1 columns, and 3 are expected: 'id', 'note', 'ts'",
        "INSERT INTO prod.shop.items SELECT 1",
    ),
]


def statements(text, values):
    return [each.strip().format(**values) for each in text.split(";\n") if each.strip()]


TOLD = {each: message for _, message, text in LEFT_OUT for each in statements(text, {})}


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog(
        "prod", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path / "w")
    )
    catalog.create_namespace("shop")
    keyed = pa.schema(
        [pa.field("id", pa.int64(), nullable=False), pa.field("note", pa.string(), nullable=False)]
    )
    catalog.create_table("shop.keyed", keyed)
    catalog.create_table("shop.returned", as_select=pa.table({"oid": [3]}))
    for name in ("by_file", "by_file_2"):
        schema = pa.schema({"id": pa.int64(), "region": pa.string()})
        catalog.create_table(f"shop.{name}", schema, partition_spec=["region"])
    return catalog


def test_every_statement_of_icebergs_documentation_runs(spark, lake, tmp_path):
    spark.sql(
        "SELECT id, 'n' AS note, 'k' AS kind, TIMESTAMP '2026-05-05 05:05:05' AS ts FROM range(5)"
    ).createOrReplaceTempView("other_items")
    spark.sql(
        "SELECT id, 'increment' AS op, TIMESTAMP '2026-05-05 05:05:05' AS event_time FROM range(3, 7)"
    ).createOrReplaceTempView("changes")
    for place in ("files/region=eu", "files/region=us", "others/region=eu", "others/region=us"):
        (tmp_path / place).mkdir(parents=True)
        pq.write_table(pa.table({"id": [1, 2]}), tmp_path / place / "a.parquet")
    spark.read.parquet(str(tmp_path / "others")).createOrReplaceTempView("hive_like")

    failed = []

    def run(text, **values):
        for each in statements(text, values):
            try:
                floeberg.spark.sql(spark, each, catalog=lake).collect()
            except (FloebergError, PySparkException) as error:
                failed.append(f"{each}: {error}")
        return len(statements(text, values))

    before, after = DDL.split("ALTER TABLE prod.shop.items CREATE BRANCH `to-check`;\n")
    ran = run(before)
    items = lake.load_table("shop.items")
    first = items.current_snapshot().snapshot_id
    ran += run("ALTER TABLE prod.shop.items CREATE BRANCH `to-check`;\n" + after, snapshot=first)
    ran += run(WRITES)
    items.refresh()
    assert items.inspect.position_deletes().num_rows == 1
    keyed = lake.load_table("shop.keyed")
    assert sorted(keyed.scan().to_arrow()["note"].to_pylist()) == ["n"] * 7 + ["new"] * 2
    assert keyed.scan().use_ref("checked").to_arrow()["note"].to_pylist() == ["c"] * 9
    ran += run(QUERIES, snapshot=first) + run(VIEWS, folder=tmp_path)
    with items.transaction(stage_only=True) as transaction:
        transaction.append(pa.table({"id": [100], "kind": ["k"]}))
    with items.transaction(stage_only=True) as second:
        second.append(pa.table({"id": [101], "kind": ["k"]}))
    for name in ("w1", "w2"):
        with items.transaction(stage_only=True, snapshot_properties={"wap.id": name}) as other:
            other.append(pa.table({"id": [len(name)], "kind": [name]}))
    ends = [each.snapshot_id for each in keyed.snapshots()]
    values = {"before": ends[0], "last": keyed.current_snapshot().snapshot_id}
    values |= {"staged_2": second.result.snapshot_id}
    values |= {"staged": transaction.result.snapshot_id, "files": tmp_path / "files"}
    values |= {"early": second.result.snapshot_id, "folder": items.location()}
    versions = json.loads(items.refresh()._inner.metadata_json())["metadata-log"]
    values |= {"start": Path(versions[0]["metadata-file"]).name, "end": Path(items.metadata_location).name}
    values |= {"staging": tmp_path / "staging"}
    listed = spark.createDataFrame([], "file_path string, last_modified timestamp")
    listed.createOrReplaceTempView("files_view")
    ran += run(PROCEDURES, snapshot=first, **values)
    # What expired is not in it.
    ran += run(REGISTERS, metadata=items.refresh().metadata_location)
    assert not failed, "\n".join(failed)
    assert ran == 204
    assert {name: lake.load_view(name).location() for name in lake.list_views("shop")} == {
        ("shop", each): f"{tmp_path}/{'elsewhere' if each == 'placed' else f'w/shop/{each}'}"
        for each in ("described", "named", "placed", "v")
    }
    kinds = items.refresh().scan().to_arrow()["kind"].to_pylist()
    assert {"w1", "w2"} <= set(kinds)
    assert lake.load_table("shop.by_file").scan().count() == 4
    assert lake.load_table("shop.by_file_2").scan().to_arrow()["region"].to_pylist() == ["eu", "eu"]
    assert lake.load_table("shop.registered").scan().count() > 0


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """A catalog with a table and a view, which statements that are errors leave as they are."""
    folder = tmp_path_factory.mktemp("left")
    catalog = fb.load_catalog("prod", type="sql", uri=f"sqlite:///{folder}/c.db", warehouse=str(folder / "w"))
    catalog.create_namespace("shop")
    items = pa.schema({"id": pa.int64(), "note": pa.string(), "ts": pa.timestamp("us", "UTC")})
    catalog.create_table("shop.items", items)
    catalog.create_view("shop.recent", pa.schema({"one": pa.int32()}), sql="SELECT 1 AS one", dialect="spark")
    return catalog


@pytest.mark.parametrize("text", TOLD)
def test_what_is_left_out_is_an_error_that_says_why(spark, left, text):
    table, view = left.load_table("shop.items"), left.load_view("shop.recent")
    with pytest.raises((FloebergError, PySparkException), match=f"(?s){TOLD[text]}"):
        floeberg.spark.sql(spark, text, catalog=left).collect()
    assert table.refresh().metadata_location == left.load_table("shop.items").metadata_location
    assert left.load_view("shop.recent").metadata_location == view.metadata_location
    assert (left.list_tables("shop"), left.list_views("shop")) == ([("shop", "items")], [("shop", "recent")])


def test_a_branch_that_set_names_is_written_and_read_until_it_is_reset(spark, lake):
    def sql(text):
        return floeberg.spark.sql(spark, text, catalog=lake)

    sql("ALTER TABLE prod.shop.returned SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    try:
        sql("SET spark.wap.branch = to_audit")
        sql("INSERT INTO prod.shop.returned VALUES (4)")
        assert sorted(sql("SELECT oid FROM prod.shop.returned").collect()) == [(3,), (4,)]
    finally:
        sql("RESET spark.wap.branch")
    assert sql("SELECT oid FROM prod.shop.returned").collect() == [(3,)]
    assert sql("SELECT oid FROM prod.shop.returned.branch_to_audit").count() == 2
