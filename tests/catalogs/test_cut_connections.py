"""Databases whose connections are cut, and which are killed, in the middle of commits: all tables, or none."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from children import Appender
from faulted import FAST, ROWS, SCHEMA, Place
from served_transactor import TABLES
from servers import started

import floeberg as fb
from tiers import ALL

WRITERS, COMMITS = (8, 50) if ALL else (3, 8)
SERVERS = ["postgresql", "mariadb"] if ALL else ["postgresql"]
RETRIES = {"commit.retry.num-retries": "100", "commit.retry.total-timeout-ms": "600000", **FAST}
TYPED = {"CommitStateUnknownError", "StorageError", "CommitConflictError"}

pytestmark = pytest.mark.timeout(1800)


class Transactor(Appender):
    """A process of `served_transactor.py`."""

    program = str(Path(__file__).with_name("served_transactor.py"))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class Cut:
    """Three tables of a database, which processes append to in one commit."""

    def __init__(self, name: str, folder: Path) -> None:
        self.server = started(name)
        known = self.server.properties | {"warehouse": (folder / "warehouse").as_uri()}
        self._file = folder / "properties.json"
        self._file.write_text(json.dumps(known))
        self._catalog = fb.load_catalog("cut", **known)
        self._catalog.create_namespace_if_not_exists("ns")
        for table in TABLES:
            if self._catalog.table_exists(table):
                self._catalog.drop_table(table)
            self._catalog.create_table(table, SCHEMA, properties=RETRIES)

    def transactors(self) -> list[Transactor]:
        """The processes, which commit already."""
        place = Place("server", self._file)
        children = [Transactor(place, writer, 0, COMMITS) for writer in range(WRITERS)]
        for child in children:
            child.go()
        return children

    def rows(self, name: str) -> Counter[tuple[int, int]]:
        """How many rows there are of each commit."""
        found = self._catalog.load_table(name).scan(selected_fields=("writer", "number")).to_arrow()
        return Counter(zip(found["writer"].to_pylist(), found["number"].to_pylist(), strict=True))

    def check(self, children: list[Transactor]) -> None:
        """What was acknowledged is in all tables once; what failed is in all of them, or in none."""
        assert [child.wait() for child in children] == [0] * WRITERS
        acknowledged = {(child.writer, number) for child in children for number in child.done}
        begun = {(child.writer, number) for child in children for number in child.begun}
        first, *others = [self.rows(name) for name in TABLES]
        assert all(each == first for each in others)
        assert set(first.values()) <= {ROWS}
        assert acknowledged <= set(first) <= begun
        failed = [line for child in children for line in child.failed]
        assert len(begun) == WRITERS * COMMITS and len(failed) == len(begun - acknowledged)
        assert {line.split()[1] for line in failed} <= TYPED, failed[:3]
        assert len(acknowledged) >= len(begun) / 2, failed[:3]


@contextmanager
def connections_cut(server):
    """Cut all connections again and again; how many were."""
    ends, counted = threading.Event(), []

    def cut() -> None:
        while not ends.wait(0.15):
            counted.append(server.cut())

    thread = threading.Thread(target=cut)
    thread.start()
    yield counted
    ends.set()
    thread.join()


@pytest.mark.parametrize("name", SERVERS)
def test_connections_that_are_cut_leave_commits_to_three_tables_whole(name, tmp_path) -> None:
    cut = Cut(name, tmp_path)
    children = cut.transactors()
    with connections_cut(cut.server) as counted:
        for child in children:
            child.until_done(COMMITS - 2)
    cut.check(children)
    assert sum(counted) >= WRITERS


@pytest.mark.parametrize("name", SERVERS)
def test_a_database_that_is_killed_leaves_commits_to_three_tables_whole(name, tmp_path) -> None:
    cut = Cut(name, tmp_path)
    children = cut.transactors()
    for _ in range(4 if ALL else 1):
        children[0].until_done(max(children[0].done, default=0) + 1)
        cut.server.kill_all()
        time.sleep(0.1)
        cut.server.process.start()
    cut.check(children)
