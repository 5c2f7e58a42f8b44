"""Workers whose Python lacks the package: writes and changes of rows say what to do, and change nothing."""

from __future__ import annotations

import json
import os
import sys

import pyarrow as pa
import pytest

import floeberg as fb
from test_other_sessions import run

pytestmark = [
    pytest.mark.timeout(500),
    pytest.mark.skipif(os.name != "posix", reason="the other Python is a shell script"),
]

HIDDEN = """
import importlib.abc, sys
class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("floeberg", "pyspark_floeberg"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""
STATEMENTS = [
    "INSERT INTO db.t SELECT id, id AS v FROM range(3)",
    "INSERT OVERWRITE db.t SELECT id, v FROM db.t",
    "CREATE TABLE db.made AS SELECT id FROM range(3)",
    "DELETE FROM db.{mode} WHERE id % 2 = 1",
    "UPDATE db.{mode} SET v = v + 1 WHERE id % 2 = 1",
    "MERGE INTO db.{mode} t USING (SELECT id FROM range(3)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 0",
]


@pytest.fixture
def without(tmp_path):
    """A Python that lacks the package."""
    (tmp_path / "sitecustomize.py").write_text(HIDDEN)
    python = tmp_path / "python-without"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return python


def test_writes_and_changes_say_what_to_do_and_change_nothing(tmp_path, without):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path / "lake"))
    lake.create_namespace("db")
    rows = pa.table({"id": pa.array(range(6), pa.int64()), "v": pa.array(range(6), pa.int64())})
    for name, mode in (("t", "copy-on-write"), ("cow", "copy-on-write"), ("mor", "merge-on-read")):
        modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
        lake.create_table(f"db.{name}", as_select=rows, format_version=3, properties=modes)
    before = {str(each) for each in (tmp_path / "lake").rglob("*") if each.is_file()}
    texts = [
        each.format(mode=mode) for each in STATEMENTS for mode in (("cow", "mor") if "{" in each else ("",))
    ]
    told = run(
        """
        import floeberg.spark
        spark = session(SparkSession.builder.master("local[2]"))
        spark.sparkContext.setLogLevel("OFF")
        lake = fb.load_catalog("lake", type="filesystem", warehouse=options["warehouse"])
        told = {}
        def ask(name, work):
            try:
                work()
                told[name] = ["nothing", ""]
            except Exception as error:
                told[name] = [type(error).__name__, str(error)]
        for text in options["texts"]:
            ask(text, lambda: floeberg.spark.sql(spark, text, catalog=lake))
        frame = spark.range(3).selectExpr("id", "id AS v")
        for mode in ("append", "dynamic"):
            ask(mode, lambda: floeberg.spark.write(frame, "db.t", catalog=lake, mode=mode))
        ask("create", lambda: floeberg.spark.write(frame, "db.made", catalog=lake, mode="create"))
        print(json.dumps(told), flush=True)
        """,
        json.dumps({"warehouse": str(tmp_path / "lake"), "texts": texts}),
        PYSPARK_PYTHON=str(without),
    )
    assert len(told) == len(texts) + 3
    for name, (kind, message) in told.items():
        assert kind == "NotInstalledError", (name, kind, message[:2000])
        assert f"Spark runs its Python workers with {sys.executable} (Python 3." in message
        assert "cannot import Floeberg: No module named 'floeberg'" in message
        assert "pip install 'floeberg[spark]'" in message and "PYSPARK_PYTHON" in message
    assert {str(each) for each in (tmp_path / "lake").rglob("*") if each.is_file()} == before
    assert sorted(name for _, name in lake.list_tables("db")) == ["cow", "mor", "t"]
