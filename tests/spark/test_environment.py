"""What a user is told whose PySpark, session or Python of the workers is not right."""

from __future__ import annotations

import sys
import textwrap
from types import ModuleType, SimpleNamespace

import pytest
from pyspark.errors import AnalysisException

from floeberg.errors import InvalidInputError, NotInstalledError, UnsupportedError
from floeberg.spark import register
from floeberg.spark.session.environment import check_pyspark, check_workers, cores


@pytest.fixture
def python(tmp_path):
    """Makes commands that stand in for a Python and answer every program alike."""

    def make(script: str) -> str:
        path = tmp_path / "python-of-workers"
        path.write_text(f"#!{sys.executable}\n{textwrap.dedent(script)}\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_no_pyspark_is_told_with_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(NotInstalledError, match=r"pip install 'floeberg\[spark\]'"):
        register(SimpleNamespace())


@pytest.mark.parametrize("version", ["3.5.9", "3.0.0.dev1"])
def test_an_old_pyspark_is_refused_by_name(monkeypatch, version):
    old = ModuleType("pyspark")
    old.__version__ = version
    monkeypatch.setitem(sys.modules, "pyspark", old)
    with pytest.raises(UnsupportedError, match=f"PySpark {version} has no Python data sources: PySpark 4.0"):
        register(SimpleNamespace())


@pytest.mark.parametrize("version", ["4.0.0", "4.3.0", "5.0.0.dev0"])
def test_a_pyspark_with_data_sources_is_taken(monkeypatch, version):
    new = ModuleType("pyspark")
    new.__version__ = version
    monkeypatch.setitem(sys.modules, "pyspark", new)
    check_pyspark()


def test_what_is_no_session_is_refused():
    with pytest.raises(InvalidInputError, match="expected a SparkSession, found an object of type str"):
        register("local[2]")


def test_workers_of_this_python_are_taken():
    check_workers(sys.executable)


def test_workers_whose_python_cannot_be_run_here_are_not_looked_at(python):
    check_workers("./environment/bin/python")
    check_workers(python("raise SystemExit(1)"))
    check_workers(python("print('no JSON')"))


def test_workers_that_lack_the_package_are_told(python):
    version = list(sys.version_info[:2])
    lacking = python(f'print(\'{{"version": {version}, "missing": ["pyarrow", "floeberg"]}}\')')
    with pytest.raises(
        NotInstalledError, match="python-of-workers, which lacks pyarrow and floeberg. Set PYSPARK_PYTHON"
    ):
        check_workers(lacking)


def test_workers_of_another_version_are_told(python):
    other = python('print(\'{"version": [3, 1], "missing": []}\')')
    with pytest.raises(
        UnsupportedError, match="Python 3.1, and this is Python 3.*sys.executable names this one"
    ):
        check_workers(other)


def test_the_question_to_the_workers_is_answered_by_a_real_python(python):
    # The same program as the workers get, by the Python of the tests under another name.
    check_workers(
        python(f"import os, sys; os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])")
    )


@pytest.mark.parametrize(
    ("confs", "expected"),
    [
        ({}, None),
        ({"spark.default.parallelism": "12", "spark.master": "local[3]"}, 12),
        ({"spark.executor.instances": "4", "spark.executor.cores": "8"}, 32),
        ({"spark.master": "local[3]"}, 3),
        ({"spark.master": "local[3, 2]"}, 3),
        ({"spark.master": "local[*]"}, None),
        ({"spark.executor.instances": "4", "spark.master": "k8s://host"}, None),
    ],
)
def test_the_cores_of_a_session_of_connect_are_those_that_it_tells(confs, expected):
    class Session:
        conf = SimpleNamespace(get=confs.get)

    Session.__module__ = "pyspark.sql.connect.session"
    assert cores(Session()) == expected


def test_the_cores_of_a_classic_session_are_its_parallelism(spark):
    assert cores(spark) == 2


class Refused(AnalysisException):
    """What the JVM's errors are: they have conditions of its own."""

    def __init__(self, condition: str) -> None:
        super().__init__(f"[{condition}] no")
        self.condition = condition

    def getCondition(self) -> str:  # noqa: N802 - Spark's name
        return self.condition


def session_that_answers(condition: str) -> SimpleNamespace:
    """A session whose Spark refuses every data source with an error of this condition."""

    def refuse(_: type) -> None:
        raise Refused(condition)

    return Session(
        dataSource=SimpleNamespace(register=refuse),
        read=None,
        sparkContext=SimpleNamespace(pythonExec=sys.executable, defaultParallelism=2),
    )


class Session(SimpleNamespace):
    """One that can be looked up, as sessions can."""

    __hash__ = object.__hash__


def test_a_source_that_spark_keeps_because_it_found_it_by_itself_is_taken():
    register(session_that_answers("DATA_SOURCE_ALREADY_EXISTS"))


def test_any_other_refusal_is_told():
    with pytest.raises(AnalysisException):
        register(session_that_answers("INVALID_DATA_SOURCE"))
