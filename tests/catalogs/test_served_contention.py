"""Many processes commit to a table of a server, which may crash: nothing acknowledged is lost, or there twice."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from children import Appender
from faulted import FAST, ROWS, SCHEMA, Place
from servers import Server, started

import floeberg as fb
from tiers import ALL

WRITERS, COMMITS = (8, 50) if ALL else (4, 10)
SERVERS = [
    *("floeberg-sqlite", "floeberg-folders", "iceberg-rest", "seaweedfs", "postgresql"),
    *(["mariadb"] if ALL else []),
]
RETRIES = {"commit.retry.num-retries": "100", "commit.retry.total-timeout-ms": "600000", **FAST}
TYPED = {"CommitStateUnknownError", "StorageError", "CommitConflictError"}

pytestmark = pytest.mark.timeout(1800)


class ServedAppender(Appender):
    """A process of `served_appender.py`."""

    program = str(Path(__file__).with_name("served_appender.py"))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class Contended:
    """A table that processes append to."""

    def __init__(self, name: str, folder: Path) -> None:
        self.server: Server = started(name)
        known = dict(self.server.properties)
        if name in {"postgresql", "mariadb"}:
            known["warehouse"] = (folder / "warehouse").as_uri()
        elif name == "seaweedfs":
            known["warehouse"] = self.server.warehouse()
        self._file = folder / "properties.json"
        self._file.write_text(json.dumps(known))
        self._catalog = fb.load_catalog("contended", **known)
        self._catalog.create_namespace_if_not_exists("ns")
        if self._catalog.table_exists("ns.t"):
            self._catalog.drop_table("ns.t")
        self._catalog.create_table("ns.t", SCHEMA, properties=RETRIES)

    def appenders(self) -> list[ServedAppender]:
        """The processes, which append already."""
        place = Place("server", self._file)
        children = [ServedAppender(place, writer, 0, COMMITS) for writer in range(WRITERS)]
        for child in children:
            child.go()
        return children

    def check(self, children: list[ServedAppender]) -> None:
        """What was acknowledged is there once, what failed once or not at all, and nothing else."""
        assert [child.wait() for child in children] == [0] * WRITERS
        acknowledged = {(child.writer, number) for child in children for number in child.done}
        begun = {(child.writer, number) for child in children for number in child.begun}
        assert len(begun) == WRITERS * COMMITS
        there = self.rows()
        assert set(there.values()) == {ROWS}
        assert acknowledged <= set(there) <= begun
        failed = [line for child in children for line in child.failed]
        assert len(failed) == len(begun - acknowledged)
        assert {line.split()[1] for line in failed} <= TYPED, failed[:3]

    def rows(self) -> Counter[tuple[int, int]]:
        """How many rows there are of each append."""
        with self._catalog:
            found = self._catalog.load_table("ns.t").scan(selected_fields=("writer", "number")).to_arrow()
        return Counter(zip(found["writer"].to_pylist(), found["number"].to_pylist(), strict=True))


@pytest.mark.parametrize("name", SERVERS)
def test_processes_commit_to_one_table(name, tmp_path) -> None:
    contended = Contended(name, tmp_path)
    children = contended.appenders()
    contended.check(children)
    assert sum(len(child.done) for child in children) >= 0.9 * WRITERS * COMMITS, children[0].failed[:3]


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_crashes_loses_nothing_that_was_acknowledged(name, tmp_path) -> None:
    contended = Contended(name, tmp_path)
    children = contended.appenders()
    children[0].until_done(2)
    contended.server.process.kill(contended.server.crash)
    contended.server.process.start()
    contended.check(children)
    done = [number for child in children for number in child.done]
    assert max(done) == COMMITS - 1, "clients go on with the server that came back"


@pytest.mark.parametrize("name", SERVERS)
def test_a_client_that_is_killed_leaves_its_appends_whole(name, tmp_path) -> None:
    contended = Contended(name, tmp_path)
    children = contended.appenders()
    children[0].until_begun(3)
    children[0].kill()
    others = children[1:]
    assert [child.wait() for child in others] == [0] * len(others)
    acknowledged = {(child.writer, number) for child in children for number in child.done}
    begun = {(child.writer, number) for child in children for number in child.begun}
    rows = contended.rows()
    assert set(rows.values()) == {ROWS}
    assert acknowledged <= set(rows) <= begun
