"""Tables whose versions an external manifest store decides about, shared by processes, and finished after crashes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog.sql_manifests import SqlManifestStore
from floeberg.errors import (
    CommitStateUnknownError,
    InvalidInputError,
    StorageError,
    TableAlreadyExistsError,
    UnsupportedError,
)

from .kit import check_same, rows

STEPS = ("before it is taken", "after it is taken", "before it is named", "after it is named")


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/manifests.db"


def new(folder: Path, store: Any, name: str = "t") -> fb.LanceTable:
    return fb.lance.create_table(f"{folder}/{name}", rows(0, 3), manifest_store=store)


def manifests(table: fb.LanceTable) -> list[str]:
    """What is in the folder of versions, but the hint."""
    found = (each.name for each in Path(table.location, "_versions").iterdir())
    return sorted(each for each in found if ".manifest" in each)


class Crash(BaseException):
    """The process ends here."""


class Crashing:
    """A store whose process ends at a step of the next commit."""

    def __init__(self, inner: SqlManifestStore, step: str) -> None:
        self.inner, self.step = inner, step
        self.latest, self.get = inner.latest, inner.get

    def put_if_absent(self, table: str, version: int, location: str) -> bool:
        self._end_at(STEPS[0])
        taken = self.inner.put_if_absent(table, version, location)
        self._end_at(STEPS[1])
        return taken

    def replace(self, table: str, version: int, location: str) -> None:
        self._end_at(STEPS[2])
        self.inner.replace(table, version, location)
        self._end_at(STEPS[3])

    def _end_at(self, step: str) -> None:
        if step == self.step:
            raise Crash(step)


def test_every_change_is_a_version_that_the_store_knows_and_pylance_reads(tmp_path, uri) -> None:
    store = SqlManifestStore(uri)
    table = new(tmp_path, store)
    table.append(rows(3, 6))
    table.delete("id = 1")
    table.upsert(rows(5, 8), ["id"])
    table.update({"v": 0.0}, "id = 0")
    table.add_columns({"twice": fb.sql_expr("id * 2")})
    table.maintenance.compact()
    check_same(table)
    newest = table.version
    assert store.latest(table.location) == (newest, table._inner.manifest_location)
    assert [store.get(table.location, version) is None for version in (1, newest, newest + 1)] == [
        False,
        False,
        True,
    ]
    assert len(manifests(table)) == newest
    assert all(each.endswith(".manifest") for each in manifests(table))
    # A pickled table goes on with its store.
    other = pickle.loads(pickle.dumps(table))
    other.append(rows(20, 21))
    assert store.latest(table.location)[0] == newest + 1 == table.refresh().version
    assert "sqlite" in repr(store)


def test_nothing_is_put_if_it_is_absent(tmp_path, uri) -> None:
    """The storage need not be able to: that is what the store is for."""
    calls = tmp_path / "calls"
    table = new(tmp_path, SqlManifestStore(uri))
    options = {"testing.calls": str(calls)}
    opened = fb.open_table(table.location, storage_options=options, manifest_store=SqlManifestStore(uri))
    opened.append(rows(3, 4))
    operations = {line.split()[1] for line in calls.read_text().splitlines()}
    assert "put" in operations
    assert "put_if_absent" not in operations


@pytest.mark.parametrize("step", STEPS)
def test_what_a_crash_left_is_finished_by_the_next_one(tmp_path, uri, step) -> None:
    store = SqlManifestStore(uri)
    new(tmp_path, store)
    place = f"{tmp_path}/t"
    crashing = fb.open_table(place, manifest_store=Crashing(store, step))
    with pytest.raises(Crash):
        crashing.append(rows(3, 6))
    expected = 3 if step == STEPS[0] else 6
    # A reader of the store sees the version from the moment on that it was taken.
    opened = fb.open_table(place, manifest_store=store)
    assert opened.scan().count() == expected
    assert sorted(opened.scan().to_arrow()["id"].to_pylist()) == list(range(expected))
    opened.append(rows(10, 11))
    check_same(opened)
    assert store.latest(opened.location) == (opened.version, opened._inner.manifest_location)
    unfinished = [each for each in manifests(opened) if not each.endswith(".manifest")]
    # What was never taken, or was named before it was removed, stays and harms nobody.
    assert len(unfinished) == (1 if step in (STEPS[0], STEPS[3]) else 0)


@pytest.mark.parametrize("step", STEPS[:3])
def test_a_first_version_that_a_crash_left_is_finished_or_not_there(tmp_path, uri, step) -> None:
    store = SqlManifestStore(uri)
    with pytest.raises(Crash):
        new(tmp_path, Crashing(store, step))
    if step == STEPS[0]:
        assert new(tmp_path, store).version == 1
        return
    assert fb.open_table(f"{tmp_path}/t", manifest_store=store).scan().to_arrow() == rows(0, 3)
    with pytest.raises(TableAlreadyExistsError):
        new(tmp_path, store)


class Losing:
    """A store whose answer to a put is lost, after it was done or before."""

    def __init__(self, inner: SqlManifestStore, *, is_done: bool, is_deaf: bool = False) -> None:
        self.inner, self.is_done, self.is_deaf = inner, is_done, is_deaf
        self.latest, self.replace = inner.latest, inner.replace
        self.puts = 0

    def get(self, table: str, version: int) -> str | None:
        if self.is_deaf:
            raise StorageError("nobody answers")
        return self.inner.get(table, version)

    def put_if_absent(self, table: str, version: int, location: str) -> bool:
        self.puts += 1
        if self.puts > 1:
            return self.inner.put_if_absent(table, version, location)
        if self.is_done:
            self.inner.put_if_absent(table, version, location)
        raise CommitStateUnknownError("the answer was lost")


@pytest.mark.parametrize("is_done", [True, False])
@pytest.mark.parametrize("is_deaf", [True, False])
def test_an_answer_that_was_lost_is_found_out(tmp_path, uri, is_done, is_deaf) -> None:
    store = SqlManifestStore(uri)
    new(tmp_path, store)
    losing = Losing(store, is_done=is_done, is_deaf=is_deaf)
    table = fb.open_table(f"{tmp_path}/t", manifest_store=losing)
    assert table.append(rows(3, 6)).version == 2
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == list(range(6))
    assert losing.puts == (1 if is_done else 2)
    opened = fb.open_table(table.location, manifest_store=store)
    opened.append(rows(6, 7))
    check_same(opened)


def test_a_store_that_fails_leaves_nothing(tmp_path, uri) -> None:
    class Failing(Losing):
        def put_if_absent(self, table: str, version: int, location: str) -> bool:
            raise StorageError(f"the database is down: {table} {version} {location}")

    store = SqlManifestStore(uri)
    before = new(tmp_path, store)
    there = sorted(Path(before.location).rglob("*"))
    table = fb.open_table(before.location, manifest_store=Failing(store, is_done=False))
    with pytest.raises(StorageError, match="the database is down"):
        table.append(rows(3, 6))
    assert sorted(Path(before.location).rglob("*")) == there
    with pytest.raises(StorageError, match="the database is down"):
        new(tmp_path, Failing(store, is_done=False), "other")
    assert not [path for path in Path(tmp_path, "other").rglob("*") if path.is_file()]


WRITER = """
import sys
import pyarrow as pa
import floeberg as fb
from floeberg.catalog.sql_manifests import SqlManifestStore

location, uri, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
table = fb.open_table(location, manifest_store=SqlManifestStore(uri))
for round in range(5):
    table.append(pa.table({"id": [1000 * (number + 1) + round], "name": ["a"], "v": [0.0]}))
    table.update({"v": fb.sql_expr("v + 1")}, "id = 0")
"""


def test_processes_that_share_a_store_lose_and_double_nothing(tmp_path, uri) -> None:
    store = SqlManifestStore(uri)
    table = new(tmp_path, store)
    command = [sys.executable, "-c", WRITER, table.location, uri]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(3)]
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0, 0]
    table.refresh()
    dataset = check_same(table)
    assert table.version == 31
    found = table.scan().to_arrow().to_pylist()
    appended = [1000 * (number + 1) + round_ for number in range(3) for round_ in range(5)]
    assert sorted(each["id"] for each in found) == [0, 1, 2, *appended]
    assert next(each["v"] for each in found if each["id"] == 0) == 15
    assert len(manifests(table)) == 31
    assert dataset.count_rows() == 18


def test_a_branch_has_versions_of_its_own_in_the_store(tmp_path, uri) -> None:
    store = SqlManifestStore(uri)
    table = new(tmp_path, store)
    table.create_branch("b")
    branch = fb.open_table(table.location, branch="b", manifest_store=store)
    branch.append(rows(3, 4))
    table.append(rows(7, 8))
    assert store.latest(table.location)[0] == store.latest(branch._inner.folder)[0] == 2
    again = fb.open_table(table.location, branch="b", manifest_store=store)
    assert sorted(again.scan().to_arrow()["id"].to_pylist()) == [0, 1, 2, 3]


def test_dynamodb_is_refused_by_name_and_other_objects_too(tmp_path) -> None:
    for refused in (
        lambda: fb.open_table("s3+ddb://bucket/table?ddbTableName=t"),
        lambda: fb.lance.create_table("s3+ddb://bucket/table", rows(0, 1)),
    ):
        with pytest.raises(UnsupportedError, match="DynamoDB"):
            refused()
    with pytest.raises(InvalidInputError, match="ManifestStore"):
        fb.open_table(tmp_path, manifest_store=object())
    with pytest.raises(InvalidInputError, match="'uri'"):
        SqlManifestStore("nonsense")


def test_pylance_goes_on_with_a_table_that_was_finished(tmp_path, uri) -> None:
    """It decides by the storage: not together with a store, but after it."""
    table = new(tmp_path, SqlManifestStore(uri))
    with suppress(Crash):
        crashing = Crashing(SqlManifestStore(uri), STEPS[1])
        fb.open_table(table.location, manifest_store=crashing).append(rows(3, 4))
    fb.open_table(table.location, manifest_store=SqlManifestStore(uri))
    assert lance.write_dataset(pa.table(rows(4, 5)), table.location, mode="append").version == 3
    assert check_same(table.refresh()).count_rows() == 5
