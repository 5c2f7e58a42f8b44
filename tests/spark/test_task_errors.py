"""Errors of Floeberg that tasks raise come to the user as they are, and nothing in a message is taken for one."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PythonException
from pyspark.errors.exceptions.base import AnalysisException

import floeberg as fb
import floeberg.spark
from floeberg import errors
from floeberg.errors import InvalidInputError, NotFoundError, NotInstalledError
from floeberg.spark.session.task_errors import own_errors, raised_by_task
from test_other_sessions import run

WORKER = "\n  An exception was thrown from the Python worker. Please see the stack trace below.\n"
FRAMES = 'Traceback (most recent call last):\n  File "x.py", line 3, in f\n    raise it\n    ^^^^^^^^\n'
PLANNER = "[PYTHON_DATA_SOURCE_ERROR] Failed to create Python data source instance: "
CHAINED = "\nThe above exception was the direct cause of the following exception:\n\n"
OWN = "floeberg.errors.NotFoundError: no file (path: /x)\n"

TEXTS = {
    # What PySpark says, and the class and the message that come of it.
    WORKER + FRAMES + OWN: (NotFoundError, "no file (path: /x)"),
    f"[PYTHON_EXCEPTION] An exception was thrown from the Python worker: {FRAMES}{OWN} SQLSTATE: 38000": (
        NotFoundError,
        "no file (path: /x)",
    ),
    f"Job aborted due to stage failure: Task 0 failed: org.apache.spark.api.python.PythonException: {FRAMES}{OWN}\n"
    "\tat org.apache.spark.api.python.Reader.read(Reader.scala:1)\n\nDriver stacktrace:": (
        NotFoundError,
        "no file (path: /x)",
    ),
    f"{PLANNER}{FRAMES}{OWN} SQLSTATE: 38000\n\nJVM stacktrace:\norg.x\n\tat org.x": (
        NotFoundError,
        "no file (path: /x)",
    ),
    f"{PLANNER}{FRAMES}OSError: gone\n{CHAINED}{FRAMES}{OWN}": (NotFoundError, "no file (path: /x)"),
    f"{WORKER}{FRAMES}floeberg.errors.InvalidInputError: one\nand two\na note\n": (
        InvalidInputError,
        "one\nand two\na note",
    ),
    f"{WORKER}{FRAMES}floeberg.errors.CancelledError": (errors.CancelledError, ""),
    # Without tracebacks, as a setting of Spark asks for.
    f"An exception was thrown from the Python worker:\n{OWN}": (NotFoundError, "no file (path: /x)"),
    f"[PYTHON_EXCEPTION] An exception was thrown from the Python worker: {OWN} SQLSTATE: 38000": (
        NotFoundError,
        "no file (path: /x)",
    ),
    f"{WORKER}{FRAMES}ImportError: Spark runs its Python workers with /usr/bin/p (Python 3.11.2), which cannot import "
    "Floeberg: No module named 'floeberg'. Install it there\n": (
        NotInstalledError,
        (
            "Spark runs its Python workers with /usr/bin/p (Python 3.11.2), which cannot import Floeberg: No module "
            "named 'floeberg'. Install it there"
        ),
    ),
}
FORGED = [
    f"{WORKER}{FRAMES}ValueError: {OWN}",
    f"{WORKER}{FRAMES}ValueError: x\n{OWN}",
    f"{WORKER}{FRAMES}ValueError: x\n{CHAINED}{FRAMES}{OWN}",
    f"{WORKER}{FRAMES}ValueError: {FRAMES}{OWN}",
    f"{WORKER}{FRAMES}floeberg.errors.os: x\n",
    f"{WORKER}{FRAMES}floeberg.errors.TYPE_CHECKING: x\n",
    f"{WORKER}{FRAMES}floeberg.errors.__class__: x\n",
    f"{WORKER}{FRAMES}floeberg.other.NotFoundError: x\n",
    f"{WORKER}{FRAMES}not.floeberg.errors.NotFoundError: x\n",
    f"[DIVIDE_BY_ZERO] {OWN}",
    OWN,
    f"An exception was thrown from the Python worker:\nValueError: {OWN}",
    WORKER + FRAMES,
    "Traceback (most recent call last):\n",
    "",
]


class _Told(PythonException):
    """An error of PySpark with a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


@pytest.mark.parametrize("text", TEXTS)
def test_the_class_behind_the_traceback_counts(text):
    kind, message = TEXTS[text]
    found = raised_by_task(_Told(text))
    assert (type(found), str(found)) == (kind, message)


@pytest.mark.parametrize("text", FORGED)
def test_what_a_message_says_is_no_class(text):
    assert raised_by_task(_Told(text)) is None
    with pytest.raises(_Told), own_errors():
        raise _Told(text)


def test_errors_of_others_stay():
    with pytest.raises(ValueError, match="floeberg"), own_errors():
        raise ValueError(WORKER + FRAMES + OWN)


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    for name in ("t", "u"):
        table = catalog.create_table(f"db.{name}", pa.schema({"id": pa.int64(), "v": pa.int64()}))
        table.append(pa.table({"id": [1, 2], "v": [1, 2]}))
    return catalog


def remove_file(table):
    path = Path(table.scan().plan_files().to_arrow()["file_path"][0].as_py().removeprefix("file://"))
    path.unlink()
    return path.name


STATEMENTS = [
    "DELETE FROM db.t WHERE id % 2 = 0",
    "UPDATE db.t SET v = v + 1 WHERE id % 2 = 0",
    "MERGE INTO db.t t USING (SELECT * FROM db.u) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v",
    "INSERT INTO db.t SELECT id, v FROM db.u",
    "INSERT OVERWRITE db.t SELECT id, v FROM db.u",
    "CREATE TABLE db.made AS SELECT * FROM db.u",
]


@pytest.mark.unchecked_tables("a file is gone")
@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_raise_what_tasks_raise(spark, lake, text):
    name = remove_file(lake.load_table("db.u" if "db.u" in text else "db.t"))
    with pytest.raises(NotFoundError, match=name) as raised:
        floeberg.spark.sql(spark, text, catalog=lake, reader="arrow")
    assert isinstance(raised.value.__cause__, (PythonException, AnalysisException))
    assert "Traceback" not in str(raised.value)
    # What the user collects is PySpark's.
    frame = floeberg.spark.sql(spark, "SELECT * FROM db.u, db.t", catalog=lake, reader="arrow")
    with pytest.raises(PythonException, match=name):
        frame.collect()


@pytest.mark.unchecked_tables("a file is gone")
def test_writes_raise_what_tasks_raise(spark, lake):
    frame = floeberg.spark.sql(spark, "SELECT * FROM db.u", catalog=lake, reader="arrow")
    name = remove_file(lake.load_table("db.u"))
    with pytest.raises(NotFoundError, match=name):
        floeberg.spark.write(frame, "db.t", catalog=lake)
    with pytest.raises(NotFoundError, match=name):
        floeberg.spark.upsert_batches("db.t", join_cols=["id"], catalog=lake, query_id="q")(frame, 0)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_errors_of_the_users_functions_stay(spark, lake):
    def fail(batches):
        for _ in batches:
            raise ValueError("floeberg.errors.NotFoundError: forged\nfloeberg.errors.NotFoundError: forged")
        yield from ()

    frame = spark.range(2).mapInArrow(fail, "id long, v long")
    with pytest.raises(PythonException, match="forged"):
        floeberg.spark.write(frame, "db.t", catalog=lake)


@pytest.mark.timeout(500)
@pytest.mark.unchecked_tables("a file is gone")
def test_the_same_holds_in_spark_connect(tmp_path):
    told = run(
        """
        import pathlib
        import pyarrow as pa
        import floeberg as fb
        import floeberg.spark
        spark = session(SparkSession.builder.remote("local[2]"))
        lake = fb.load_catalog("lake", type="filesystem", warehouse=options["warehouse"])
        lake.create_namespace("db")
        for name in ("t", "u"):
            lake.create_table(f"db.{name}", pa.schema({"id": pa.int64(), "a.b": pa.string()})).append(
                pa.table({"id": [1, 2], "a.b": ["x", "y"]})
            )
        def ask(text):
            return floeberg.spark.sql(spark, text, catalog=lake, reader="arrow")
        told = {}
        spark.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
        told["quoted"] = ask('SELECT "id" FROM "db"."t" WHERE "a.b" = \\'y\\'').collect()
        spark.conf.set("spark.sql.parser.quotedRegexColumnNames", "true")
        told["patterns"] = [ask("SELECT `a.*`, `i.*` FROM db.t").columns,
                            ask("UPDATE db.t SET `a.b` = 'z' WHERE id % 2 = 0").first().updated_rows,
                            spark.conf.get("spark.sql.parser.quotedRegexColumnNames")]
        gone = next(pathlib.Path(options["warehouse"]).joinpath("db", "u").rglob("*.parquet"))
        gone.unlink()
        told["raised"] = []
        for act in (lambda: ask("INSERT INTO db.t SELECT * FROM db.u"),
                    lambda: floeberg.spark.write(ask("SELECT * FROM db.u"), "db.t", catalog=lake),
                    lambda: ask("SELECT * FROM db.u").collect()):
            try:
                act()
            except Exception as error:
                told["raised"].append([type(error).__name__, type(error.__cause__).__name__, gone.name in str(error)])
        print(json.dumps(told), flush=True)
        """,
        json.dumps({"warehouse": str(tmp_path)}),
    )
    assert told["quoted"] == [[2]]
    assert told["patterns"] == [["a.b", "id"], 1, "true"]
    assert told["raised"] == [
        ["NotFoundError", "PythonException", True],
        ["NotFoundError", "PythonException", True],
        ["PythonException", "NoneType", True],
    ]
