"""Every kind of statement, all modes of a write, streams of changes and upserts, in a session of Spark Connect."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

import floeberg as fb
from test_other_sessions import run

pytestmark = pytest.mark.timeout(500)

STREAMS = tuple(map(int, pyspark.__version__.split(".")[:2])) >= (4, 1)

CHANGES = """
CREATE TABLE lake.db.{t} (id bigint, v bigint, s string) PARTITIONED BY (s) TBLPROPERTIES (
    'format-version'='3', 'write.delete.mode'='{mode}', 'write.update.mode'='{mode}', 'write.merge.mode'='{mode}');
INSERT INTO db.{t} SELECT id, id * 10, concat('s', id % 2) FROM range(10);
INSERT OVERWRITE db.{t} SELECT id, v, s FROM db.{t};
INSERT OVERWRITE db.{t} PARTITION (s = 's0') SELECT id, v + 1 FROM db.{t} WHERE s = 's0';
DELETE FROM db.{t} WHERE id % 5 = 4;
DELETE FROM db.{t} WHERE id = 8;
UPDATE db.{t} SET v = v + (SELECT max(id) FROM own) WHERE id IN (SELECT id FROM own);
MERGE INTO db.{t} t USING (SELECT id + 1 AS id, rand() AS r FROM own) s ON t.id = s.id
    WHEN MATCHED AND s.id = 5 THEN DELETE WHEN MATCHED AND s.r < 2 THEN UPDATE SET v = -1
    WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'n')
    WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN UPDATE SET v = -7
"""
LEFT = [
    (0, -7, "s0"),
    (1, 10, "s1"),
    (2, 21, "s0"),
    (3, 35, "s1"),
    (4, None, "n"),
    (6, -1, "s0"),
    (7, 70, "s1"),
]
"""What the changes leave; `own` has the numbers 3, 4 and 5."""
TWICE = (
    "MERGE INTO db.cow t USING (SELECT explode(array(3, 3)) AS id) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = 0"
)
TOLD = {
    # What statements return: rows, or how many.
    "CREATE TABLE db.copied AS SELECT * FROM db.cow": 0,
    "CREATE OR REPLACE TABLE db.copied PARTITIONED BY (bucket(2, id)) AS SELECT id FROM db.cow": 0,
    "ALTER TABLE db.copied ADD COLUMN w int": 0,
    "ALTER TABLE db.copied ADD PARTITION FIELD truncate(4, id)": 0,
    "ALTER TABLE db.copied WRITE ORDERED BY id": 0,
    "ALTER TABLE db.copied CREATE BRANCH b": 0,
    "ALTER TABLE db.copied SET TBLPROPERTIES ('a' = 'b')": 0,
    "INSERT INTO db.copied.branch_b (id) VALUES (100)": 1,
    "SELECT count(*) FROM db.copied.branch_b": [[8]],
    "SELECT count(*) FROM db.copied VERSION AS OF 'main'": [[7]],
    "SELECT count(*) FROM db.copied.files WHERE record_count > 0": [[2]],
    "DESCRIBE db.copied": None,
    "SHOW TABLES IN db": [["db", "copied", False], ["db", "cow", False], ["db", "mor", False]],
    "SHOW CREATE TABLE db.copied": 1,
    "SHOW TBLPROPERTIES db.copied": None,
    "CALL lake.system.ancestors_of('db.cow')": 7,
    "CALL lake.system.fast_forward('db.copied', 'main', 'b')": 1,
    "CREATE TABLE lake.db.listed (id bigint, v bigint, s string)": 0,
    "CALL lake.system.add_files(table => 'db.listed', source_table => '`parquet`.`{at}/files`')": 1,
    "CREATE TABLE lake.db.viewed (id bigint, v bigint, s string)": 0,
    "CALL lake.system.add_files(table => 'db.viewed', source_table => 'files')": 1,
    "SELECT l.id, w.s FROM db.listed l JOIN db.viewed w USING (id)": [[1, "x"]],
    "TRUNCATE TABLE db.viewed": None,
    "SELECT count(*) FROM db.viewed": [[0]],
    "DROP TABLE db.viewed PURGE": 0,
    "SET spark.wap.branch = audit": 1,
    "ALTER TABLE db.listed SET TBLPROPERTIES ('write.wap.enabled' = 'true')": 0,
    "INSERT INTO db.listed VALUES (2, 2, 'audited')": 1,
    "SELECT id FROM db.listed ORDER BY id": [[1], [2]],
    "RESET spark.wap.branch": 0,
    "SELECT id FROM db.listed": [[1]],
}


PROGRAM = """
    import floeberg.spark
    spark = session(SparkSession.builder.remote("local[2]"))
    lake = fb.load_catalog("lake", type="filesystem", warehouse=options["at"])
    def sql(text):
        return floeberg.spark.sql(spark, text.replace("{at}", options["at"]), catalog=lake)
    def content(name):
        rows = lake.load_table(name).scan(selected_fields=("id", "v", "s")).to_arrow().to_pylist()
        return sorted((list(each.values()) for each in rows), key=repr)
    told = {"kind": type(spark).__module__}

    spark.range(3, 6).createOrReplaceTempView("own")
    spark.read.parquet(options["at"] + "/files").createOrReplaceTempView("files")
    for text in options["changes"]:
        sql(text).collect()
    told["left"] = [content("db.cow"), content("db.mor")]
    try:
        sql(options["twice"])
    except Exception as error:
        told["twice"] = [type(error).__name__, str(error)]
    told["told"] = [[list(each) for each in sql(text).collect()] for text in options["told"]]

    frame = spark.range(20, 24, 1, 1).selectExpr("id", "id AS v", "concat('z', id % 2) AS s")
    told["steps"] = []
    def write(mode, frame=frame, **how):
        done = floeberg.spark.write(frame, "db.written", catalog=lake, mode=mode, **how)
        told["steps"].append([mode, done.added_rows, lake.load_table("db.written").scan().count()])
    write("create", partition_spec=["s"])
    write("append")
    write("append", idempotency_key="k")
    write("append", idempotency_key="k")
    write("overwrite", overwrite_filter="id = 20")
    write("dynamic", frame=frame.where("s = 'z1'"))
    write("overwrite")
    write("append", frame=frame.selectExpr("*", "1 AS more"), merge_schema=True)
    table = lake.load_table("db.written")
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "b").commit()
    write("append", branch="b")
    told["branch"] = lake.load_table("db.written").scan(branch="b").count()
    write("replace")
    write("create_or_replace", frame=frame.limit(1))
    try:
        write("create")
    except Exception as error:
        told["there"] = type(error).__name__

    def ended(writer, name):
        writer = writer.option("checkpointLocation", f"{options['at']}/{name}").trigger(availableNow=True)
        while True:
            try:
                return writer.start().awaitTermination(200)
            except Exception as error:
                # Spark gives a process of Python ten seconds to start, which a busy machine may exceed.
                if "failed to connect back" not in str(error):
                    raise
    if options["streams"]:
        register(spark)
        place, seen = lake.load_table("other.changed").location(), options["at"] + "/seen"
        changes = spark.readStream.format("floeberg").option("changelog", "true").load(place)
        told["ended"] = [ended(changes.writeStream.format("parquet").option("path", seen), "one")]
        kinds = spark.read.parquet(seen).groupBy("_change_type").count().collect()
        told["kinds"] = sorted([each["_change_type"], each["count"]] for each in kinds)
        upsert = floeberg.spark.upsert_batches(
            "other.kept", ["id"], catalog=lake, query_id="q", order_by=["_change_ordinal"])
        fresh = changes.where("_change_type IN ('INSERT', 'UPDATE_AFTER')").select("id", "v", "s", "_change_ordinal")
        told["ended"].append(ended(fresh.writeStream.foreachBatch(upsert), "two"))
        told["kept"] = content("other.kept")
    print(json.dumps(told), flush=True)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a session of Spark Connect tells, which runs all of it."""
    at = tmp_path_factory.mktemp("connect")
    (at / "files").mkdir()
    pq.write_table(pa.table({"id": [1], "v": [2], "s": ["x"]}), at / "files" / "a.parquet")
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(at))
    for name in ("db", "other"):
        lake.create_namespace(name)
    rows = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "v": [10, 20, 30], "s": ["a", "b", "c"]})
    changed = lake.create_table("other.changed", as_select=rows, format_version=3)
    changed.update({"v": 21}, "id = 2")
    changed.delete("id = 3")
    lake.create_table("other.kept", rows.schema, format_version=3)
    modes = (("cow", "copy-on-write"), ("mor", "merge-on-read"))
    texts = CHANGES.strip().split(";\n")
    options = {
        "at": str(at),
        "changes": [each.format(t=name, mode=mode) for name, mode in modes for each in texts],
        "twice": TWICE,
        "told": list(TOLD),
        "streams": STREAMS,
    }
    return run(PROGRAM, json.dumps(options))


def test_changes_of_rows_leave_the_same_in_both_modes(told):
    assert told["kind"].startswith("pyspark.sql.connect")
    assert told["left"] == [[list(each) for each in LEFT]] * 2
    assert told["twice"][0] == "InvalidInputError"
    assert "more than one row of the source matches a row of the table" in told["twice"][1]


def test_every_kind_of_statement_runs(told):
    for (text, expected), found in zip(TOLD.items(), told["told"], strict=True):
        if isinstance(expected, int):
            assert len(found) == expected, text
        else:
            assert found == expected or (expected is None and found), text


def test_all_modes_of_a_write_run(told):
    assert told["steps"] == [
        ["create", 4, 4],
        ["append", 4, 8],
        ["append", 4, 12],
        ["append", 0, 12],
        ["overwrite", 4, 13],
        ["dynamic", 2, 7],
        ["overwrite", 4, 4],
        ["append", 4, 8],
        ["append", 4, 8],
        ["replace", 4, 4],
        ["create_or_replace", 1, 1],
    ]
    assert (told["branch"], told["there"]) == (12, "TableAlreadyExistsError")


@pytest.mark.skipif(not STREAMS, reason="PySpark 4.1 brought writers of Arrow")
def test_changes_are_streamed_and_upserted(told):
    assert told["ended"] == [True, True]
    assert told["kinds"] == [["DELETE", 1], ["INSERT", 3], ["UPDATE_AFTER", 1], ["UPDATE_BEFORE", 1]]
    assert told["kept"] == [[1, 10, "a"], [2, 21, "b"], [3, 30, "c"]]
