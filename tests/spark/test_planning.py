"""Is a plan that Spark's tasks make the plan of one process, and does who makes it depend on what users say?"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import textwrap
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidDataError, InvalidInputError, NotFoundError, UnsupportedError
from floeberg.spark.read import distributed
from floeberg.spark.read.distributed import _task_ranges
from floeberg.spark.session.local_dir import driver_local_dir
from planned_by_parts import told
from properties.drawing import tables
from properties.predicates import Filter, Leaf, expression, filters
from properties.tables import Table
from properties.writing import write
from reading import rows_of
from test_other_sessions import run

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0")) // 10


@st.composite
def asked(draw: st.DrawFn) -> tuple[Table, Filter]:
    table = draw(tables())
    return table, draw(filters([Leaf(column.path, column.now) for column in table.columns]))


@settings(
    max_examples=EXAMPLES or 5,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(drawn=asked())
def test_a_plan_of_tasks_says_the_same(spark: SparkSession, drawn: tuple[Table, Filter]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        opened = fb.open_table(write(drawn[0], Path(folder, "table")))
        for scan in (opened.scan(), opened.scan(row_filter=expression(drawn[1]))):
            there = floeberg.spark.plan_files(spark, scan, "distributed")
            assert told(there) == told(scan.plan_files())


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


def make(catalog, **properties):
    """A table of six manifests, the last two of deletes, and four rows."""
    table = catalog.create_table(
        "ns.t", pa.schema({"id": pa.int64()}), properties={"format-version": "3", **properties}
    )
    for number in range(4):
        table.append(pa.table({"id": [number, number + 10]}))
    for number in (10, 11):
        table.delete(f"id = {number}")
    return table


MERGE_ON_READ = {"write.delete.mode": "merge-on-read"}


@pytest.fixture
def table(catalog):
    return make(catalog, **MERGE_ON_READ)


@pytest.fixture
def jobs(monkeypatch):
    """The number of tasks of each job."""
    ran = []
    run_tasks = distributed.run_tasks

    def counted(frame, work):
        ran.append(len(work.tasks))
        return run_tasks(frame, work)

    monkeypatch.setattr(distributed, "run_tasks", counted)
    return ran


def manifests(table, content):
    rows = table.inspect.manifests().to_pylist()
    return [Path(row["path"].removeprefix("file://")) for row in rows if row["content"] == content]


class TestWhoPlans:
    def test_is_the_driver_for_a_table_of_few_manifests(self, spark, table, jobs):
        plan = floeberg.spark.plan_files(spark, table.scan())
        assert (told(plan), jobs) == (told(table.scan().plan_files()), [])

    def test_is_what_the_call_says(self, spark, table, jobs):
        expected = told(table.scan().plan_files())
        assert told(floeberg.spark.plan_files(spark, table.scan(), "local")) == expected
        assert jobs == []
        assert told(floeberg.spark.plan_files(spark, table.scan(), "distributed")) == expected
        assert len(jobs) == 2
        assert (
            floeberg.spark.plan_files(spark, table.scan(row_filter="id < 0"), "distributed")
            .to_arrow()
            .num_rows
            == 0
        )

    @pytest.mark.parametrize(
        ("modes", "count"),
        [({"data": "distributed"}, 1), ({"delete": "distributed"}, 1), ({"data": "LOCAL"}, 0)],
    )
    def test_is_what_the_properties_of_the_table_say(self, spark, catalog, jobs, modes, count):
        properties = {f"read.{kind}-planning-mode": mode for kind, mode in modes.items()}
        table = make(catalog, **MERGE_ON_READ, **properties)
        plan = floeberg.spark.plan_files(spark, table.scan())
        assert told(plan) == told(table.scan().plan_files())
        assert len(jobs) == count
        # What the call says comes first.
        floeberg.spark.plan_files(spark, table.scan(), "local")
        assert len(jobs) == count

    def test_is_a_job_where_manifests_are_many_and_large(self, spark, table, jobs, monkeypatch):
        monkeypatch.setattr(distributed, "own_cores", lambda: 1)
        scan = table.scan()
        floeberg.spark.plan_files(spark, scan)
        assert jobs == []
        monkeypatch.setattr(distributed, "_LOCAL_BYTES", 100)
        assert told(floeberg.spark.plan_files(spark, scan)) == told(scan.plan_files())
        # Two delete manifests are not more than two for each core.
        assert jobs == [1]
        monkeypatch.setattr(distributed, "own_cores", lambda: 2)
        floeberg.spark.plan_files(spark, scan)
        assert jobs == [1]

    def test_is_the_driver_for_what_appends_added(self, spark, catalog, jobs):
        table = make(catalog, **MERGE_ON_READ, **{"read.data-planning-mode": "distributed"})
        scan = table.incremental_append_scan()
        assert len(floeberg.spark.plan_files(spark, scan)) == 4
        assert jobs == []
        with pytest.raises(UnsupportedError, match="planning='local'"):
            floeberg.spark.plan_files(spark, scan, "distributed")

    def test_is_said_in_known_words(self, spark, table):
        with pytest.raises(
            InvalidInputError, match="expected 'auto', 'local' or 'distributed', found 'remote'"
        ):
            table.scan().to_spark(spark, planning="remote")
        with pytest.raises(InvalidInputError, match="read.data-planning-mode"):
            table.set_properties({"read.data-planning-mode": "remote"})


def test_manifests_are_shared_between_tasks_and_jobs():
    small = _task_ranges([1 << 20] * 20, 2)
    assert small == [[(0, 4), (4, 8), (8, 12), (12, 16), (16, 20)]]
    jobs = _task_ranges([8 << 20] * 1_000, 8)
    assert [len(job) for job in jobs] == [32] * 31 + [8]
    tasks = [task for job in jobs for task in job]
    assert [start for start, _ in tasks] == [0, *(end for _, end in tasks[:-1])]
    assert tasks[-1][1] == 1_000
    # A hundred cores have something to do in each job.
    assert [len(job) for job in _task_ranges([4 << 20] * 400, 100)] == [200, 200]
    # One manifest may be larger than a task or a job, and one may not say its length.
    assert _task_ranges([1 << 30, 0, 1 << 30], 2) == [[(0, 1)], [(1, 2)], [(2, 3)]]
    assert _task_ranges([], 2) == []


class TestFrames:
    @pytest.mark.parametrize("reader", ["auto", "native", "arrow"])
    def test_have_the_same_rows(self, spark, table, jobs, reader):
        scan = table.scan(row_filter="id <> 3")
        expected = rows_of(scan.to_spark(spark, reader=reader))
        frame = scan.to_spark(spark, reader=reader, planning="distributed")
        # The frame that Floeberg alone reads makes its plan when it runs.
        assert len(jobs) == (0 if reader == "arrow" else 2)
        assert sorted(rows_of(frame)) == sorted(expected)
        assert frame.count() == len(expected) == 5

    @pytest.mark.unchecked_tables("manifests are moved away")
    def test_of_both_readers_plan_once(self, spark, catalog, jobs):
        table = make(catalog, **MERGE_ON_READ)
        with table.transaction() as changes:
            changes.append(pa.table({"id": [100]}))
            changes.set_properties({"write.format.default": "avro"})
        table.append(pa.table({"id": [101]}))
        scan = table.scan()
        frame = scan.to_spark(spark, planning="distributed")
        assert [lane.reader for lane in scan.explain(spark=spark).lanes] == ["native", "arrow"]
        ran = len(jobs)
        # The process that plans the query reads no manifest.
        for path in (*manifests(table, 0), *manifests(table, 1)):
            path.rename(path.with_suffix(".gone"))
        assert sorted(row.id for row in frame.collect()) == [0, 1, 2, 3, 12, 13, 100, 101]
        assert len(jobs) == ran

    def test_are_made_of_tables_by_name(self, spark, table, jobs):
        frame = floeberg.spark.table(spark, table, planning="distributed", filter="id > 11")
        assert sorted(row.id for row in frame.collect()) == [12, 13]
        view = floeberg.spark.create_view(spark, "planned_by_tasks", table, planning="distributed")
        assert view.count() == 6
        assert len(jobs) == 4

    def test_say_where_their_plan_is_gone(self, spark, catalog):
        table = make(catalog, **MERGE_ON_READ, **{"write.format.default": "avro"})
        frame = table.scan().to_spark(spark, planning="distributed")
        local = Path(driver_local_dir(spark), "floeberg")
        (saved,) = sorted(local.glob("plan-*"), key=os.path.getmtime)[-1:]
        saved.unlink()
        with pytest.raises(Exception, match="make the DataFrame again"):
            frame.collect()

    def test_take_no_other_file_for_a_plan(self, spark, table, tmp_path):
        (tmp_path / "plan").write_bytes(b"none")
        token = "../../../" + str(tmp_path / "plan")
        reader = spark.read.format("floeberg").option("plan-token", token)
        with pytest.raises(Exception, match="'plan-token' is set by Floeberg only"):
            reader.load(table.metadata_location).collect()


class TestErrors:
    @pytest.mark.unchecked_tables("a manifest is broken")
    def test_name_a_manifest_that_is_gone(self, spark, table):
        gone = manifests(table, 0)[1]
        gone.unlink()
        with pytest.raises(NotFoundError, match=gone.name) as found:
            floeberg.spark.plan_files(spark, fb.open_table(table.metadata_location).scan(), "distributed")
        assert "a task of Spark" in "".join(getattr(found.value, "__notes__", [str(found.value)]))
        assert found.value.context["table"] == table.metadata_location

    @pytest.mark.unchecked_tables("a manifest is broken")
    @pytest.mark.parametrize("content", [0, 1])
    def test_name_a_manifest_that_is_damaged(self, spark, table, content):
        damaged = manifests(table, content)[0]
        damaged.write_bytes(damaged.read_bytes()[:-40])
        scan = fb.open_table(table.metadata_location).scan()
        with pytest.raises(InvalidDataError, match=damaged.name):
            scan.to_spark(spark, planning="distributed")

    @pytest.mark.skipif(os.name != "posix", reason="the other Python is a shell script")
    @pytest.mark.timeout(300)
    def test_of_workers_without_the_package_say_what_to_do(self, table, tmp_path):
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
        said = run(
            """
            import floeberg.spark
            spark = session(SparkSession.builder.master("local[2]"))
            try:
                floeberg.spark.plan_files(spark, fb.open_table(options["table"]).scan(), "distributed")
            except fb.errors.NotInstalledError as error:
                print(json.dumps(str(error)), flush=True)
            """,
            json.dumps({"table": table.metadata_location}),
            PYSPARK_PYTHON=str(python),
        )
        assert "cannot import Floeberg: No module named 'floeberg'" in said
        assert "PYSPARK_PYTHON" in said


@pytest.mark.timeout(500)
def test_spark_connect_plans_by_tasks(table):
    said = run(
        """
        import floeberg.spark
        from planned_by_parts import told
        spark = session(SparkSession.builder.remote("local[2]"))
        scan = fb.open_table(options["table"]).scan(row_filter="id > 1")
        plan = floeberg.spark.plan_files(spark, scan, "distributed")
        frame = scan.to_spark(spark, planning="distributed")
        answer = {"same": told(plan) == told(scan.plan_files()), "rows": sorted(row.id for row in frame.collect())}
        answer["kind"] = type(spark).__module__
        secret = fb.open_table(options["table"], storage_options={"s3.session-token": "hunter2hunter2"})
        frame = secret.scan(row_filter="id > 1").to_spark(spark, planning="distributed", reader="arrow")
        answer["in_spark"] = sorted(row.id for row in frame.collect())
        answer["limited"] = len(secret.scan(limit=3).to_spark(spark, planning="distributed", reader="arrow").collect())
        answer["shown"] = repr(frame) + frame._plan.print() + frame._explain_string(extended=True)
        print(json.dumps(answer), flush=True)
        """,
        json.dumps({"table": table.metadata_location}),
        PYTHONPATH=str(Path(__file__).parents[1] / "python"),
    )
    assert said["kind"].startswith("pyspark.sql.connect")
    assert (said["same"], said["rows"]) == (True, [2, 3, 12, 13])
    assert (said["in_spark"], said["limited"]) == ([2, 3, 12, 13], 3)
    assert "hunter2" not in said["shown"]
    assert "floeberg_plan" in said["shown"]
