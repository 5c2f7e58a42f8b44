"""Sessions that need a process of their own: Spark Connect, and workers whose Python lacks the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest
from check_java import java_fault

from lifecycle import options_of
from test_native import TURNED

# Starting Spark a second time takes a while where others work too.
pytestmark = pytest.mark.timeout(500)

ENVIRONMENT = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_DRIVER_PYTHON": sys.executable,
}

BEGIN = """
import json, sys
import floeberg as fb
from floeberg.spark import register
from pyspark.sql import SparkSession

def session(builder):
    confs = {"spark.driver.host": "127.0.0.1", "spark.driver.memory": "1g", "spark.ui.enabled": "false"}
    for name, value in confs.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()

options = json.loads(sys.argv[1])
"""


def run(program: str, *arguments: str, **environment: str) -> dict:
    """What a program says in the last line that it prints."""
    if fault := java_fault():
        pytest.fail(fault, pytrace=False)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEGIN + textwrap.dedent(program), *arguments],
        env=os.environ | ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        timeout=480,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-5000:]
    return json.loads(ran.stdout.splitlines()[-1])


def test_spark_connect_reads_tables_and_scans(refs):
    told = run(
        """
        spark = session(SparkSession.builder.remote("local[2]"))
        told = {"kind": type(spark).__module__}
        told["found"] = spark.read.format("floeberg").options(**options).load().count()
        register(spark)
        frame = spark.read.format("floeberg").options(**options).option("filter", "id > 3").load()
        told["filtered"] = sorted(row.id for row in frame.collect())
        told["again"] = [frame.filter("id = 4").count(), frame.count()]
        secret, relocate = {"s3.session-token": "hunter2hunter2"}, json.loads(options["relocate"])
        table = fb.open_table(options["path"], relocate=relocate, storage_options=secret)
        scan = table.scan(row_filter="id > 3", selected_fields=("id",), limit=2)
        frame = scan.to_spark(spark, reader="arrow", partitions=1)
        told["scan"] = [frame.columns, frame.count(), scan.to_arrow().num_rows]
        told["shown"] = [repr(frame), frame._plan.print(), frame._plan._repr_html_()]
        told["explained"] = frame._explain_string(extended=True)
        try:
            spark.read.format("floeberg").option("colums", "id").load("/nowhere").schema
        except Exception as error:
            told["error"] = str(error)
        print(json.dumps(told), flush=True)
        """,
        json.dumps(options_of(refs)),
    )
    assert told["kind"].startswith("pyspark.sql.connect")
    assert (told["found"], told["filtered"], told["again"]) == (9, [4, 5, 6, 7, 8], [1, 5])
    assert told["scan"] == [["id"], 2, 2]
    assert "near matches: 'columns'" in told["error"]
    shown = "".join(told["shown"]) + told["explained"]
    assert "floeberg" in shown
    # No secret, and not what holds it either: the base64 of what zlib compressed begins like this.
    assert "hunter2" not in shown and "eJ" not in shown


def test_spark_connect_reads_files_by_itself(tmp_path):
    told = run(
        """
        import pyarrow as pa
        spark = session(SparkSession.builder.remote("local[2]"))
        catalog = fb.load_catalog("connect", type="filesystem", warehouse=options["warehouse"])
        catalog.create_namespace("db")
        schema = pa.schema([
            pa.field("id", pa.int64(), nullable=False),
            pa.field("name", pa.string()),
            pa.field("day", pa.date32(), nullable=False),
        ])
        table = catalog.create_table("db.t", schema, partition_spec=["name"])
        for start in range(0, 40, 10):
            ids = list(range(start, start + 10))
            table.append(pa.Table.from_pylist(
                [{"id": i, "name": None if i % 3 == 0 else f"n{i % 3}", "day": __import__("datetime").date(1500, 1, 1)}
                 for i in ids], schema))
        scan = table.scan(row_filter="id >= 5 AND name IS NOT NULL")
        frame = scan.to_spark(spark, reader="native")
        ours = scan.to_spark(spark, reader="arrow")
        forms = lambda frame: [(f.name, f.dataType.json(), f.nullable) for f in frame.schema]
        told = {"same": forms(frame) == forms(ours)}
        told["rows"] = sorted(map(str, frame.collect())) == sorted(map(str, ours.collect()))
        told["count"] = frame.count()
        turned = {}
        for key, values in options["turned"].items():
            before = spark.conf.get(key, None)
            for value in values:
                spark.conf.set(key, value)
                try:
                    found = frame.count(), frame.selectExpr("sum(id)").first()[0]
                except Exception as error:
                    found = str(error)[:300]
                turned[key + "=" + value] = found
            spark.conf.unset(key) if before is None else spark.conf.set(key, before)
        told["turned"] = turned
        told["lanes"] = [str(each) for each in scan.explain(spark=spark).lanes]
        special = table.scan(selected_fields=("id", "_file", "_pos", "_spec_id", "_row_id"))
        told["special"] = [str(each) for each in special.explain(spark=spark).lanes]
        both = [special.to_spark(spark, reader=each).collect() for each in ("native", "arrow")]
        told["special_rows"] = sorted(map(str, both[0])) == sorted(map(str, both[1]))
        from floeberg.spark.native import relation
        told["most"], relation._MOST_FILES_CONNECT = relation._MOST_FILES_CONNECT, 1
        told["more"] = [str(each) for each in scan.explain(spark=spark).lanes]
        told["more_rows"] = scan.to_spark(spark).count()
        print(json.dumps(told), flush=True)
        """,
        json.dumps({"warehouse": str(tmp_path / "w"), "turned": TURNED}),
    )
    assert (told["same"], told["rows"], told["count"]) == (True, True, 23)
    right = [23, sum(each for each in range(5, 40) if each % 3)]
    wrong = {key: found for key, found in told["turned"].items() if found != right}
    # Other readers of files know none of the options that say what is read: nothing may come of them.
    assert all(isinstance(found, str) for found in wrong.values()), wrong
    assert told["lanes"][0].startswith("in Spark by native: ")
    assert told["special"][0].startswith("in Spark by native: ")
    assert told["special_rows"]
    # As the guide says.
    assert told["most"] == 256
    assert all(each.endswith("the plan has more than 1 files") for each in told["more"])
    assert told["more_rows"] == 23


@pytest.mark.skipif(os.name != "posix", reason="the other Python is a shell script")
def test_workers_without_the_package_say_what_to_do(refs, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        textwrap.dedent(
            """
            import importlib.abc, sys
            class Hidden(importlib.abc.MetaPathFinder):
                def find_spec(self, name, path=None, target=None):
                    if name.partition(".")[0] in ("floeberg", "pyspark_floeberg"):
                        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            sys.meta_path.insert(0, Hidden())
            """
        )
    )
    python = tmp_path / "python-without"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    told = run(
        """
        from floeberg.spark.session.registration import _source
        spark = session(SparkSession.builder.master("local[2]"))
        told = {}
        try:
            register(spark)
        except fb.errors.NotInstalledError as error:
            told["registered"] = str(error)
        # Where the workers cannot be looked at beforehand, their own words reach the user.
        spark.dataSource.register(_source(None))
        try:
            spark.read.format("floeberg").options(**options).load()
        except Exception as error:
            told["loaded"] = str(error)
        print(json.dumps(told), flush=True)
        """,
        json.dumps(options_of(refs)),
        PYSPARK_PYTHON=str(python),
    )
    assert f"Python workers with {python}, which lacks floeberg. Set PYSPARK_PYTHON" in told["registered"]
    assert "which cannot import Floeberg: No module named 'floeberg'" in told["loaded"]
    assert "pip install 'floeberg[spark]'" in told["loaded"]
