"""Iceberg in Spark reads and writes tables in folders while Floeberg commits to several of them at once."""

from __future__ import annotations

import itertools
import logging
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.commit import folder_commit, settling
from floeberg.errors import PartialCommitError

pytestmark = pytest.mark.timeout(1800)

SCHEMA = pa.schema({"id": pa.int64()})
NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(settling, "PATIENCE", 0.05)


@pytest.fixture
def lake(tmp_path):
    """A catalog of the tables `ns.a` and `ns.b`, of the id 0."""
    catalog = fb.load_catalog("several", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    for name in "ab":
        catalog.create_table(f"ns.{name}", SCHEMA).append(rows(0))
    return catalog


@pytest.fixture
def sql(java_spark, tmp_path):
    """Asks Iceberg in Spark, by a catalog that remembers nothing."""

    def ask(text: str) -> list[list[Any]]:
        catalog = f"several_{next(NUMBERS)}"
        warehouse = str(tmp_path / "lake")
        return java_spark("sql", text=text.replace("CATALOG", catalog), catalog=catalog, warehouse=warehouse)

    return ask


def rows(number: int) -> pa.Table:
    return pa.table({"id": [number]}, SCHEMA)


def begun(lake):
    transaction = lake.transaction()
    for name in "ab":
        transaction.table(f"ns.{name}").append(rows(1))
    transaction.create_table("ns.n", SCHEMA).append(rows(1))
    return transaction


def ours(lake, name: str) -> list[int]:
    return sorted(lake.load_table(f"ns.{name}").scan().to_arrow()["id"].to_pylist())


def theirs(sql, name: str) -> list[int]:
    return sorted(each for [each] in sql(f"SELECT id FROM CATALOG.ns.{name}"))


class StoppedError(BaseException):
    """The client ends here, as if it had been killed."""


def stopped(*_: object) -> None:
    raise StoppedError


def killed_before(lake, step: str, monkeypatch) -> None:
    """A client is killed before a step of its commit."""
    with monkeypatch.context() as patched:
        patched.setattr(folder_commit, "_give_back", lambda *_: None)
        patched.setattr(folder_commit, step, stopped)
        with pytest.raises(StoppedError):
            begun(lake).commit_transaction()


def test_iceberg_reads_and_writes_what_was_committed(lake, sql):
    begun(lake).commit_transaction()
    assert [theirs(sql, name) for name in "abn"] == [[0, 1], [0, 1], [1]]
    assert sql("SHOW NAMESPACES IN CATALOG") == [["ns"]]
    for name in "abn":
        sql(f"INSERT INTO CATALOG.ns.{name} VALUES (7)")
    begun_again = lake.transaction()
    for name in "abn":
        begun_again.table(f"ns.{name}").append(rows(8))
    begun_again.commit_transaction()
    assert [ours(lake, name) for name in "abn"] == [[0, 1, 7, 8], [0, 1, 7, 8], [1, 7, 8]]
    assert [theirs(sql, name) for name in "abn"] == [[0, 1, 7, 8], [0, 1, 7, 8], [1, 7, 8]]


def test_iceberg_sees_undecided_tables_as_they_were(lake, sql, monkeypatch):
    killed_before(lake, "decide", monkeypatch)
    assert [theirs(sql, name) for name in "abn"] == [[0], [0], []]
    sql("INSERT INTO CATALOG.ns.b VALUES (7)")
    lake.load_table("ns.a").append(rows(8))
    assert [ours(lake, name) for name in "ab"] == [[0, 8], [0, 7]]
    lake.create_table("ns.n", as_select=rows(9))
    assert [theirs(sql, name) for name in "abn"] == [[0, 8], [0, 7], [9]]
    lake.load_table("ns.b").append(rows(8))
    assert theirs(sql, "b") == [0, 7, 8]


def test_iceberg_may_be_ahead_of_a_decided_commit(lake, sql, monkeypatch, caplog):
    killed_before(lake, "apply_part", monkeypatch)
    assert sql("SHOW NAMESPACES IN CATALOG") == [["ns"]]
    assert [theirs(sql, name) for name in "abn"] == [[0], [0], []]
    sql("INSERT INTO CATALOG.ns.b VALUES (7)")
    with caplog.at_level(logging.WARNING, "floeberg.commit"):
        assert [ours(lake, name) for name in "abn"] == [[0, 1], [0, 7], [1]]
    assert "cannot be made in ns.b" in caplog.text
    assert [theirs(sql, name) for name in "abn"] == [[0, 1], [0, 7], [1]]


def test_iceberg_is_faster_right_after_the_decision(lake, sql, monkeypatch):
    apply_part, left = folder_commit.apply_part, [True]

    def overtaken(*arguments):
        if left:
            left.pop()
            sql("INSERT INTO CATALOG.ns.b VALUES (7)")
        return apply_part(*arguments)

    monkeypatch.setattr(folder_commit, "apply_part", overtaken)
    with pytest.raises(PartialCommitError) as caught:
        begun(lake).commit_transaction()
    states = {name: state for name, state in caught.value.context.items() if name.startswith("table ")}
    assert states == {
        "table ns.a": "committed",
        "table ns.b": "not committed: another engine wrote its version first",
        "table ns.n": "committed",
    }
    assert Path(caught.value.context["decision"]).exists()
    assert (
        [theirs(sql, name) for name in "abn"] == [ours(lake, name) for name in "abn"] == [[0, 1], [0, 7], [1]]
    )
