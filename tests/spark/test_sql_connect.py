"""Statements in a session of Spark Connect, which has a process of its own."""

from __future__ import annotations

import json

import pytest

from test_other_sessions import run

pytestmark = pytest.mark.timeout(500)


def test_statements_run_in_spark_connect(tmp_path):
    told = run(
        """
        import pathlib
        import floeberg.spark
        from lake import make_lake, orders_of, rows
        spark = session(SparkSession.builder.remote("local[2]"))
        lake = make_lake(pathlib.Path(options["warehouse"]))
        def ask(text, args=None):
            return floeberg.spark.sql(spark, text, args, catalog=lake)
        spark.range(3).createOrReplaceTempView("own")
        frame = ask("SELECT sales.orders.id FROM sales.orders JOIN own USING (id) WHERE sales.orders.day < :d",
                    {"d": "2026-01-03"})
        told = {"kind": type(spark).__module__, "joined": rows(frame), "again": frame.count()}
        told["old"] = ask("SELECT count(*) FROM sales.orders VERSION AS OF 'first'").first()[0]
        told["at"] = ask("SELECT count(*) FROM sales.orders TIMESTAMP AS OF current_timestamp()").first()[0]
        told["moment"] = ask(
            "SELECT count(*) FROM sales.lines WHERE sent < TIMESTAMP '2026-01-02 00:00:00Z'"
        ).first()[0]
        told["files"] = ask("SELECT count(*) FROM sales.orders.files").first()[0]
        floeberg.spark.create_view(spark, "followed", "sales.orders", catalog=lake)
        frame = ask("SELECT count(*) FROM sales.orders")
        lake.load_table("sales.orders").append(orders_of([20]))
        told["kept"] = frame.first()[0]
        view = "SELECT count(*) FROM followed"
        told["followed"] = [spark.sql(view).first()[0], ask(view).first()[0]]
        told["errors"] = []
        for text in ("SELECT nothing FROM sales.orders", "SELECT * FROM sales.nothing",
                     "ANALYZE TABLE sales.orders COMPUTE STATISTICS"):
            try:
                ask(text).collect()
            except Exception as error:
                told["errors"].append(type(error).__name__)
        changed = ask("UPDATE sales.orders SET note = upper(note) WHERE id IN (SELECT id FROM own)").first()
        merged = ask(
            "MERGE INTO sales.orders t USING own s ON t.id = s.id + 20 WHEN MATCHED THEN DELETE "
            "WHEN NOT MATCHED THEN INSERT (id, note) VALUES (s.id + 20, uuid())"
        ).first()
        told["changed"] = [changed.updated_rows, merged.deleted_rows, merged.inserted_rows]
        made = floeberg.spark.write(spark.range(4), "sales.made", catalog=lake, mode="create", partition_spec=["id"])
        told["made"] = [made.added_rows, lake.load_table("sales.orders").scan().count()]
        told["left"] = sorted(each.name for each in spark.catalog.listTables())
        from floeberg.spark.session.batch_limits import batch_limits
        ask("CALL lake.system.create_changelog_view('sales.made')")
        told["changes"] = [spark.sql("SELECT * FROM made_changes").count(),
                           ask("SELECT count(*) FROM sales.made.changes").first()[0]]
        told["limits"] = list(batch_limits(spark, spark.range(4).schema).values())
        sizes = "'rewrite-all', 'true', 'target-file-size-bytes', '900', 'min-file-size-bytes', '1'"
        called = ask(
            "CALL lake.system.rewrite_data_files(table => 'sales.orders', sort_order => 'id', "
            f"options => map({sizes}, 'max-file-size-bytes', '4000'))"
        ).first()
        told["compacted"] = [called.added_data_files_count > 1, lake.load_table("sales.orders").scan().count()]
        orphans = ask("CALL lake.system.remove_orphan_files(table => 'sales.orders', dry_run => true)")
        told["orphans"] = orphans.count()
        import floeberg as fb
        kept = fb.load_catalog("kept", type="sql", uri=f"sqlite:///{options['warehouse']}/kept.db",
                               warehouse=options["warehouse"] + "/kept")
        kept.create_namespace("ns")
        def see(text):
            return floeberg.spark.sql(spark, text, catalog=kept)
        see("CREATE TABLE ns.t (id BIGINT)")
        see("INSERT INTO ns.t VALUES (1), (2)")
        see("CREATE VIEW ns.v (k COMMENT 'the key') AS SELECT id FROM t WHERE id > 1")
        see("CREATE VIEW ns.over AS SELECT max(k) AS m FROM v")
        told["views"] = [rows(see("SELECT * FROM ns.over")), see("TABLE ns.v").schema["k"].metadata["comment"],
                         kept.load_view("ns.over").scan("spark").to_arrow().to_pylist()]
        print(json.dumps(told), flush=True)
        """,
        json.dumps({"warehouse": str(tmp_path)}),
        PYTHONPATH=__file__.rpartition("/")[0],
    )
    assert told["kind"].startswith("pyspark.sql.connect")
    assert (told["joined"], told["again"]) == ([[0], [1]], 2)
    assert (told["old"], told["at"], told["moment"], told["files"]) == (10, 20, 4, 2)
    assert (told["kept"], told["followed"]) == (20, [20, 21])
    assert told["errors"] == ["AnalysisException", "NoSuchTableError", "UnsupportedError"]
    assert (told["changed"], told["made"]) == ([3, 1, 2], [4, 22])
    assert (told["compacted"], told["orphans"]) == ([True, 22], 0)
    assert told["views"] == [[[2]], "the key", [{"m": 2}]]
    assert told["left"] == ["followed", "own"]
    assert told["limits"] == ["2147483647", "10000"]
