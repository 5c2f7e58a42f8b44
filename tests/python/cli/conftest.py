"""What do tests of the command line need? A runner, tables of both formats, and a clean environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import floeberg as fb
from floeberg.cli.app import app


@dataclass
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str
    raw: bytes

    @property
    def json(self) -> object:
        return json.loads(self.out)

    def lines(self) -> list[list[str]]:
        return [line.split("\t") for line in self.out.splitlines()]


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """No configuration but that of a test, and a folder of its own to work in."""
    for name in list(os.environ):
        if name.startswith(("FLOEBERG_CATALOG", "PYICEBERG_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run():
    """Runs a command in this process. The code is checked, unless it is `None`."""

    def run(*words: object, code: int | None = 0, stdin: bytes | str | None = None) -> Ran:
        result = CliRunner().invoke(app, [str(each) for each in words], input=stdin)
        ran = Ran(result.exit_code, result.stdout, result.stderr, result.stdout_bytes)
        assert code is None or ran.code == code, (words, ran)
        return ran

    return run


@pytest.fixture
def command():
    """The words that run the command line in a process of its own."""
    return [sys.executable, "-m", "floeberg"]


@pytest.fixture
def process(command):
    """Runs a command in a process of its own, with pipes."""

    def process(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *map(str, words)], capture_output=True, text=True, check=False, timeout=120, **options
        )

    return process


def rows() -> pa.Table:
    return pa.table({"id": [1, 2, 3], "country": ["de", "fr", None], "price": [2.5, 3.5, None]})


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """A Lance table with two commits."""
    folder = tmp_path_factory.mktemp("cli")
    lance = fb.lance.create_table(str(folder / "orders.lance"), rows().slice(0, 2))
    lance.append(rows().slice(2))
    return folder


@pytest.fixture
def tables(made_once, own_home):
    """A copy of it in the folder of the test. Lance tables may be moved."""
    shutil.copytree(made_once / "orders.lance", own_home / "orders.lance")
    return own_home


@pytest.fixture
def lake(own_home, monkeypatch):
    """A configured catalog in SQLite, with the table `sales.orders`."""
    monkeypatch.setenv("FLOEBERG_CATALOG__LAKE__URI", f"sqlite:///{own_home}/catalog.db")
    monkeypatch.setenv("FLOEBERG_CATALOG__LAKE__WAREHOUSE", str(own_home / "warehouse"))
    catalog = fb.load_catalog("lake")
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", rows().slice(0, 2), partition_spec=["country"])
    table.append(rows().slice(2))
    return catalog


@pytest.fixture(params=["iceberg", "lance", "sql"])
def table_name(request, tables, lake):  # noqa: ARG001 - it is there for all of them
    """The name of a table with three rows and two commits: in a folder, a Lance table, in a SQL catalog."""
    if request.param == "lance":
        return "orders.lance"
    if request.param == "sql":
        return "lake.sales.orders"
    made = fb.load_catalog("here", type="filesystem", warehouse=str(tables / "folders"))
    made.create_namespace("sales")
    made.create_table("sales.orders", rows().slice(0, 2), partition_spec=["country"]).append(rows().slice(2))
    return "folders/sales/orders"
