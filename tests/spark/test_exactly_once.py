"""Workers, tasks and drivers that die while a statement runs: no row is lost, and none is there twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError
from test_other_sessions import BEGIN, ENVIRONMENT, run

pytestmark = pytest.mark.timeout(500)

STATEMENTS = [
    "INSERT INTO db.t SELECT id, id AS v FROM range(100, 120)",
    """MERGE INTO db.t USING (SELECT id, id * 2 AS v FROM range(90, 130)) s ON t.id = s.id
       WHEN MATCHED AND s.id % 5 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = t.v + s.v
       WHEN NOT MATCHED THEN INSERT *""",
]


def merged(numbers):
    """What the merge leaves of rows whose values are their numbers."""
    rows = {number: number for number in numbers}
    for number in range(90, 130):
        if number not in rows:
            rows[number] = number * 2
        elif number % 5 == 0:
            del rows[number]
        else:
            rows[number] += number * 2
    return sorted(rows.items())


KILLS = """
import os, signal, pathlib, uuid
import floeberg.spark
from floeberg.spark.session import tasks
from floeberg.spark.write import row_changes, frame as writing

class DiesOnce:
    \"\"\"A task that works, and whose worker then dies before it says so; or that fails halfway. Once each.\"\"\"

    def __init__(self, work, folder, how):
        self.work, self.folder, self.how = work, pathlib.Path(folder), how

    def __call__(self, batches):
        from pyspark import TaskContext
        part = TaskContext.get().partitionId()
        marker = self.folder / f"{self.how}-{type(self.work).__name__}-{part}-{self.key}"
        first = not marker.exists()
        marker.touch()
        if first and self.how == "fails":
            def some():
                for batch in batches:
                    yield batch
                    raise ValueError("this task fails")
            return self.work(some())
        done = self.work(batches)
        if first and self.how == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        return done

def break_tasks(folder, how):
    real = tasks.run_tasks
    def broken(frame, work, **named):
        made = DiesOnce(work, folder, how)
        made.key = uuid.uuid4().hex
        return real(frame, made, **named)
    row_changes.run_tasks = writing.run_tasks = broken
"""


def make(folder, mode):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("db")
    modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
    table = catalog.create_table(
        "db.t", pa.schema({"id": pa.int64(), "v": pa.int64()}), format_version=3, properties=modes
    )
    for start in range(0, 100, 25):
        numbers = list(range(start, start + 25))
        table.append(pa.table({"id": numbers, "v": numbers}))
    return table


def content(table):
    found = table.refresh().scan(selected_fields=("*", "_row_id")).to_arrow()
    assert len(found["_row_id"].unique()) == found.num_rows
    return sorted(zip(found["id"].to_pylist(), found["v"].to_pylist(), strict=True))


def test_workers_that_die_and_tasks_that_fail_change_rows_once(tmp_path):
    made = {}
    for mode in ("copy-on-write", "merge-on-read"):
        made[mode] = make(tmp_path / mode, mode)
    told = run(
        KILLS
        + textwrap.dedent(
            """
            spark = session(SparkSession.builder.master("local[2,4]").config("spark.sql.shuffle.partitions", 2))
            for mode, how in (("copy-on-write", "fails"), ("merge-on-read", "dies")):
                folder = pathlib.Path(options["folder"]) / mode
                lake = fb.load_catalog("lake", type="filesystem", warehouse=str(folder))
                break_tasks(options["folder"], how)
                for text in options["statements"]:
                    floeberg.spark.sql(spark, text, catalog=lake)
            marks = [each.name for each in pathlib.Path(options["folder"]).iterdir() if each.is_file()]
            print(json.dumps(sorted({name.split("-")[0] + " " + name.split("-")[1] for name in marks})), flush=True)
            """
        ),
        json.dumps({"folder": str(tmp_path), "statements": STATEMENTS}),
        PYTHONPATH=__file__.rpartition("/")[0],
    )
    assert told == [
        "dies AppendTask",
        "dies ChangeTask",
        "fails AppendTask",
        "fails ChangeTask",
        "fails CopyTask",
    ]
    for table in made.values():
        assert content(table) == merged(range(120))
        assert len(table.snapshots()) == 4 + len(STATEMENTS)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_driver_that_dies_has_changed_all_rows_or_none(tmp_path, when):
    table = make(tmp_path / "lake", "merge-on-read")
    before = content(table)
    program = f"""
        import os, signal, pathlib
        import floeberg.spark
        from floeberg.commit import transaction
        spark = session(SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2))
        lake = fb.load_catalog("lake", type="filesystem", warehouse=options["folder"])
        real = transaction.commit
        def dying(*arguments, **options):
            done = real(*arguments, **options) if {when == "after"} else None
            os.kill(os.getpid(), signal.SIGKILL)
        transaction.commit = dying
        floeberg.spark.sql(spark, options["statement"], catalog=lake)
    """
    arguments = json.dumps({"folder": str(tmp_path / "lake"), "statement": STATEMENTS[1]})
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEGIN + textwrap.dedent(program), arguments],
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr[-3000:]
    assert content(table) == (before if when == "before" else merged(range(100)))


def test_a_commit_that_fails_leaves_no_file_and_one_that_is_unknown_leaves_all(spark, tmp_path, monkeypatch):
    import floeberg.spark
    from floeberg.commit import transaction
    from floeberg.errors import CommitStateUnknownError

    table = make(tmp_path / "lake", "merge-on-read")
    before, files = content(table), set(tmp_path.rglob("*.p*"))
    real = transaction.commit

    def failing(*_, **__):
        raise CommitConflictError("another writer was faster", retryable=True)

    def unheard(*arguments, **options):
        real(*arguments, **options)
        raise CommitStateUnknownError("nothing was heard")

    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path / "lake"))
    monkeypatch.setattr(transaction, "commit", failing)
    with pytest.raises(CommitConflictError):
        floeberg.spark.sql(spark, STATEMENTS[1], catalog=catalog)
    assert (content(table), set(tmp_path.rglob("*.p*"))) == (before, files)
    monkeypatch.setattr(transaction, "commit", unheard)
    with pytest.raises(CommitStateUnknownError):
        floeberg.spark.sql(spark, STATEMENTS[1], catalog=catalog)
    assert content(table) != before
    assert len(content(table)) == 100 - 2 + 30
