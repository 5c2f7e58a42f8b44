"""Statements that scripts begin with, in a session of Spark Connect."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import floeberg as fb
from test_other_sessions import run

pytestmark = pytest.mark.timeout(500)

TOLD = {
    # What statements return: rows, or how many.
    "SHOW TBLPROPERTIES db.t ('format-version')": [["format-version", "2"]],
    "SHOW COLUMNS IN db.t": [["id"], ["s"]],
    "DESCRIBE NAMESPACE lake.db": None,
    "DESCRIBE QUERY SELECT count(*) AS n FROM db.t": [["n", "bigint", None]],
    "COMMENT ON TABLE db.t IS 'some'": 0,
    "SHOW TBLPROPERTIES db.t ('comment')": [["comment", "some"]],
    "ALTER TABLE db.t CHANGE COLUMN s text STRING COMMENT 'w'": 0,
    "CREATE TEMP VIEW few (i COMMENT 'k') AS SELECT id FROM db.t WHERE id < 3": 0,
    "CREATE GLOBAL TEMP VIEW fewer AS SELECT i FROM few WHERE i < 1": 0,
    "INSERT INTO db.t (id) VALUES (-1)": 1,
    "SELECT count(*) FROM few": [[3]],
    "SELECT i FROM global_temp.fewer": [[-1]],
    "CACHE TABLE db.t": 0,
    "SELECT count(*) FROM db.t c": [[5]],
    "DELETE FROM db.t WHERE id = -1": 1,
    "SELECT count(*), max(text) FROM db.t": [[4, "s4"]],
    "CACHE LAZY TABLE kept OPTIONS ('storageLevel' 'MEMORY_ONLY') AS SELECT max(id) AS m FROM db.t": 0,
    "REFRESH TABLE db.t": 0,
    "CACHE TABLE whole AS SELECT * FROM db.t": 0,
    "SELECT max(_pos) >= 0, count(*) FROM db.t VERSION AS OF 'main'": [[True, 4]],
    "DROP VIEW whole": 0,
    "SELECT m FROM kept": [[4]],
    "UNCACHE TABLE db.t": 0,
    "EXPLAIN FORMATTED SELECT * FROM few JOIN db.t ON i = id": 1,
    "EXPLAIN DELETE FROM db.t WHERE id = 3": 1,
    "TABLE few": [[1], [2]],
    "SELECT id FROM IDENTIFIER('db.' || 't') WHERE id = 3": [[3]],
    "EXECUTE IMMEDIATE 'SELECT id FROM db.t WHERE id = ?' USING 3": [[3]],
    "DECLARE VARIABLE found BIGINT": 0,
    "EXECUTE IMMEDIATE 'SELECT max(id) FROM db.t' INTO found": 0,
    "SELECT found": [[4]],
    "SELECT max(lake.system.bucket(16, 34L)), min(system.truncate(2, text)) FROM db.t": [[3, "s1"]],
    "SELECT id, _deleted FROM db.t WHERE id = 3": [[3, False]],
    "FROM db.t INSERT INTO db.u SELECT id WHERE id = 3 INSERT INTO db.u SELECT id + 1 WHERE id = 3": 2,
    "INSERT WITH SCHEMA EVOLUTION INTO db.u SELECT 5L, 'new' AS s": 1,
    "SELECT s FROM db.u WHERE s IS NOT NULL": [["new"]],
}
PROGRAM = """
    import floeberg.spark
    spark = session(SparkSession.builder.remote("local[2]"))
    lake = fb.load_catalog("lake", type="filesystem", warehouse=options["at"])
    told = {"kind": type(spark).__module__, "told": []}
    for text in options["told"]:
        try:
            told["told"].append([list(each) for each in floeberg.spark.sql(spark, text, catalog=lake).collect()])
        except Exception as error:
            told["told"].append(f"{type(error).__name__}: {str(error)[:1000]}")
    told["left"] = sorted(each.name for each in spark.catalog.listTables())
    print(json.dumps(told), flush=True)
"""


def test_every_statement_runs_in_spark_connect(tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("db")
    numbers = range(1, 5)
    lake.create_table(
        "db.t", as_select=pa.table({"id": list(numbers), "s": [f"s{each}" for each in numbers]})
    )
    lake.create_table("db.u", pa.schema({"id": pa.int64()}))
    told = run(PROGRAM, json.dumps({"at": str(tmp_path), "told": list(TOLD)}))
    assert told["kind"].startswith("pyspark.sql.connect")
    wrong = [
        f"{text}: {found}"
        for (text, expected), found in zip(TOLD.items(), told["told"], strict=True)
        if not (
            found == expected
            or (expected is None and isinstance(found, list) and found)
            or (isinstance(expected, int) and isinstance(found, list) and len(found) == expected)
        )
    ]
    assert not wrong, "\n".join(wrong)
    assert told["left"] == ["few", "kept"]
