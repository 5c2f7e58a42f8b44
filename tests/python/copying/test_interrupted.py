"""Copies beside others, and copies that are killed."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread

import pytest

import floeberg as fb
from floeberg.copying import targets
from floeberg.errors import CommitConflictError

from .tables import Places, ids, rows

KINDS = ("iceberg", "lance")


@pytest.fixture
def places(tmp_path) -> Places:
    return Places(tmp_path)


@pytest.mark.parametrize("other", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_copies_at_once_copy_each_row_once(places, kind, other):
    source = places.source(kind, rows(0, 3))
    outcomes: list[fb.CopyResult] = []
    for start in (3, 5, 7):
        source.append(rows(start, start + 2))
        state = source.scan().count()

        def copy() -> None:
            outcomes.append(places.copy(source, other))

        threads = [Thread(target=copy) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ids(places.target(other)) == list(range(state))
    assert len(outcomes) == 9
    assert sum(each.rows for each in outcomes if each.action in ("created", "appended")) == 9


@pytest.mark.parametrize("other", KINDS)
def test_copies_of_different_states_at_once_copy_each_row_once(places, other, monkeypatch):
    source = places.source("lance", rows(0, 3))
    places.copy(source, other)
    source.append(rows(3, 5))
    older = fb.open_table(source.location, version=source.version)
    source.append(rows(5, 6))
    kind = targets.LanceTarget if other == "lance" else targets.IcebergTarget
    append, done = kind.append, []

    def slow(self, given, marker, before):
        if not done:
            # While one of them writes, another one is faster.
            done.append(True)
            assert places.copy(older, other).rows == 2
        append(self, given, marker, before)

    monkeypatch.setattr(kind, "append", slow)
    copied = places.copy(source, other)
    assert (copied.action, copied.rows, copied.copied_from) == ("appended", 1, older.version)
    assert ids(places.target(other)) == list(range(6))


@pytest.mark.parametrize("other", KINDS)
def test_a_replacement_beside_a_copy_doubles_nothing(places, other, monkeypatch):
    source = places.source("iceberg", rows(0, 3))
    places.copy(source, other)
    source.append(rows(3, 5))
    kind = targets.LanceTarget if other == "lance" else targets.IcebergTarget
    append, done = kind.append, []

    def slow(self, given, marker, before):
        if not done:
            done.append(True)
            places.copy(source, other, mode="replace")
        append(self, given, marker, before)

    monkeypatch.setattr(kind, "append", slow)
    assert places.copy(source, other).action in ("unchanged", "appended")
    assert ids(places.target(other)) == list(range(5))


@pytest.mark.parametrize("other", KINDS)
def test_writers_of_the_target_do_not_disturb_a_copy(places, other, monkeypatch):
    source = places.source("lance", rows(0, 3))
    places.copy(source, other)
    source.append(rows(3, 5))
    kind = targets.LanceTarget if other == "lance" else targets.IcebergTarget
    append = kind.append

    def slow(self, given, marker, before):
        places.target(other).append(rows(100, 101))
        append(self, given, marker, before)

    monkeypatch.setattr(kind, "append", slow)
    assert places.copy(source, other).rows == 2
    assert ids(places.target(other)) == [0, 1, 2, 3, 4, 100]


def test_a_target_whose_marker_was_taken_away_is_a_conflict(places, monkeypatch):
    source = places.source("lance", rows(0, 3))
    target = places.copy(source, "lance").table
    name = next(iter(target.config))
    source.append(rows(3, 5))
    append = targets.LanceTarget.append
    done = []

    def slow(self, given, marker, before):
        if not done:
            done.append(True)
            places.target("lance").update_config({name: None})
        append(self, given, marker, before)

    monkeypatch.setattr(targets.LanceTarget, "append", slow)
    with pytest.raises(fb.errors.InvalidInputError, match="was not copied to it before"):
        places.copy(source, "lance")
    assert ids(target) == [0, 1, 2]


def test_a_conflict_that_stays_is_told(places, monkeypatch):
    source = places.source("lance", rows(0, 1))
    places.copy(source, "iceberg")
    source.append(rows(1, 2))

    def conflict(*_):
        raise CommitConflictError("as always")

    monkeypatch.setattr(targets.IcebergTarget, "append", conflict)
    with pytest.raises(CommitConflictError, match="as always"):
        places.copy(source, "iceberg")


KILLED = """
import os, sys
import floeberg as fb
from floeberg import _native
source, target, kind, after = sys.argv[1:]
calls = [0]

def counted(inner):
    def call(*arguments, **options):
        calls[0] += 1
        if calls[0] == int(after):
            os._exit(9)
        return inner(*arguments, **options)
    return call

from floeberg.lance import pages
from floeberg.commit import loop
pages._PylanceWriter.write_batch = counted(pages._PylanceWriter.write_batch)
pages._PylanceWriter.finish = counted(pages._PylanceWriter.finish)
loop.attempt_on = counted(loop.attempt_on)
loop.Progress.finished = counted(loop.Progress.finished)
real = _native.LanceCommit.begin
from floeberg.lance import committing

class Begun:
    begin = staticmethod(counted(real))

class Native:
    LanceCommit = Begun
    def __getattr__(self, name):
        return getattr(_native, name)

committing._native = Native()
if kind == "lance":
    fb.copy(source, target)
else:
    catalog = fb.load_catalog("copies", type="filesystem", warehouse=target)
    fb.copy(source, "db.target", catalog=catalog)
"""


@pytest.mark.parametrize("other", KINDS)
def test_a_copy_that_is_killed_is_repeated(places, other):
    source = places.source("lance", rows(0, 3))
    target = str(places.folder / ("target.lance" if other == "lance" else "lake"))
    killed = 0
    for after in range(1, 6):
        if after > 1:
            source.append(rows(after * 10, after * 10 + 2))
        done = subprocess.run(
            [sys.executable, "-c", KILLED, source.location, target, other, str(after)], check=False
        )
        killed += done.returncode == 9
        assert done.returncode in (0, 9)
        places.copy(source, other)
        assert ids(places.target(other)) == sorted(source.scan().to_arrow()["id"].to_pylist())
    assert killed >= 2
