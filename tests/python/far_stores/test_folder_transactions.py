"""A commit of several tables in folders of an object store: clients that are killed, and readers, at every request."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import traceback
from functools import partial

import pyarrow as pa
import pytest

import far_store_faults as faults
from far_store import FarStore
from far_store_tables import BUCKET
from floeberg.catalog import FileSystemCatalog
from floeberg.commit import settling
from floeberg.errors import CommitStateUnknownError

SCHEMA = pa.schema({"id": pa.int64()})
NUMBERS = itertools.count()
NONE = {"a": [0], "b": [0]}
ALL = {"a": [0, 1], "b": [0, 1], "n": [1]}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(settling, "PATIENCE", 0.01)


def rows(number: int) -> pa.Table:
    return pa.table({"id": [number]}, SCHEMA)


def lake(far, name, **options):
    properties = {"warehouse": f"s3://{BUCKET}/folders/{name}"} | far.options | options
    return FileSystemCatalog("far", properties)


def made(far):
    """A new catalog of the tables `db.a` and `db.b`, of the id 0."""
    catalog = lake(far, f"{next(NUMBERS)}")
    catalog.create_namespace("db")
    for name in "ab":
        catalog.create_table(f"db.{name}", SCHEMA, properties={"commit.retry.min-wait-ms": "1"}).append(
            rows(0)
        )
    return catalog


def begun(catalog):
    """One row for each table and one in a new one, not yet committed."""
    transaction = catalog.transaction()
    for name in "ab":
        transaction.table(f"db.{name}").append(rows(1))
    transaction.create_table("db.n", SCHEMA).append(rows(1))
    return transaction


def there(catalog):
    """The ids of each table that is there, in the order in which they are loaded."""
    tables = {name: catalog.load_table(f"db.{name}") for _, name in catalog.list_tables("db")}
    return {name: sorted(table.scan().to_arrow()["id"].to_pylist()) for name, table in sorted(tables.items())}


def requests_of(far):
    """How many requests a commit makes."""
    transaction = begun(made(far))
    with far.counted() as counts:
        transaction.commit_transaction()
    return sum(counts.verbs.values())


def killed_in_a_child(far, transaction, number):
    """Commits in a fork that the store kills instead of answering a request. Returns how the child ended."""
    for part in transaction._parts.values():
        # The child has them: this process does not remove the files of its copy.
        part.keep_files()
    hears, says = os.pipe()
    child = os.fork()
    if child == 0:
        answer = 1
        try:
            os.read(hears, 1)
            transaction.commit_transaction()
            answer = 0
        finally:
            os._exit(answer)
    kill = lambda: os.kill(child, signal.SIGKILL)  # noqa: E731 - a step
    far.misbehave(faults.Fault(first=kill, sent=0, does=False), skip=number)
    os.write(says, b"x")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    far.behave()
    os.close(hears), os.close(says)
    return status


def test_a_client_that_is_killed_at_any_request_leaves_all_or_none(far):
    ends = []
    for number in range(requests_of(far)):
        catalog = made(far)
        assert killed_in_a_child(far, begun(catalog), number) == -signal.SIGKILL
        whole = there(catalog)
        assert whole in (NONE, ALL), number
        ends.append(whole == ALL)
        for name in "ab":
            catalog.load_table(f"db.{name}").append(rows(2))
        expected = {name: [*ids, 2] if name in "ab" else ids for name, ids in whole.items()}
        assert there(catalog) == expected
    assert ends == sorted(ends)
    assert set(ends) == {False, True}


def test_a_reader_at_any_request_sees_both_or_neither(far):
    catalog = made(far)
    transaction = begun(catalog)
    # By another server, whose requests do not count.
    beside = FarStore(far.folder).start()
    reader = lake(beside, catalog.properties["warehouse"].rpartition("/")[2])
    looking, seen = threading.Lock(), []

    def look():
        if looking.acquire(blocking=False):
            with contextlib.ExitStack() as stack:
                stack.callback(looking.release)
                seen.append([1 in ids_of(reader, name) for name in "abab"])

    far.misbehave(faults.after(look), times=None)
    transaction.commit_transaction()
    far.behave()
    beside.stop()
    assert there(catalog) == ALL
    # Who loads one table with the commit has it in each one that is loaded after that.
    assert all(each == sorted(each) for each in seen)
    assert [False] * 4 in seen
    assert [True] * 4 in seen


def ids_of(catalog, name):
    return catalog.load_table(f"db.{name}").scan().to_arrow()["id"].to_pylist()


@pytest.mark.parametrize("does", [False, True])
def test_a_decision_whose_answer_is_lost_is_found_out(far, does):
    catalog = made(far)
    transaction = begun(catalog)
    fault = faults.closed_before(does=does)
    far.misbehave(fault, verb="PUT", key="*_floeberg-transaction-*", times=3)
    transaction.commit_transaction()
    far.behave()
    assert there(catalog) == ALL
    assert len(transaction.results) == 3


def test_a_store_that_is_down_at_the_decision_leaves_it_unknown(far):
    catalog = made(far)
    transaction = begun(catalog)
    far.misbehave(faults.closed_before(does=True), key="*_floeberg-transaction-*", times=None)
    with pytest.raises(CommitStateUnknownError):
        transaction.commit_transaction()
    far.behave()
    assert there(catalog) == ALL


COMMITS = 6


def in_forks(*works):
    """Does some works at once, each in a fork. Returns how they ended."""
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            answer = 1
            try:
                work()
                answer = 0
            except Exception:  # noqa: BLE001 - the parent sees that there was one
                traceback.print_exc()
            finally:
                os._exit(answer)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def transfers(far, name, worker):
    """Commits the same ids to both tables, in one commit each."""
    catalog = lake(far, name)
    for number in range(COMMITS):
        with catalog.transaction() as transaction:
            for table in "ab" if worker % 2 else "ba":
                transaction.table(f"db.{table}").append(rows(100 * worker + number))


def appends(far, name, worker):
    """Commits to one table alone."""
    catalog = lake(far, name)
    for number in range(COMMITS):
        catalog.load_table("db.b").append(rows(-100 * worker - number))


def looks(far, name):
    """Whoever sees an id in one table sees it in each table that is loaded after that."""
    catalog = lake(far, name)
    for _ in range(4 * COMMITS):
        seen = [{each for each in ids_of(catalog, table) if each > 0} for table in "aba"]
        assert seen[0] <= seen[1] <= seen[2], seen


def test_writers_without_patience_split_no_commit(far, monkeypatch):
    """Processes decide against each other's commits all the time: what was acknowledged is there, once, in both."""
    monkeypatch.setattr(settling, "PATIENCE", 0.005)
    catalog = made(far)
    far.milliseconds = 1
    often = {"commit.retry.num-retries": "1000", "commit.retry.max-wait-ms": "30"}
    for name in "ab":
        catalog.load_table(f"db.{name}").set_properties(often)
    name = catalog.properties["warehouse"].rpartition("/")[2]
    works = [partial(transfers, far, name, worker) for worker in (1, 2, 3)]
    works += [partial(appends, far, name, 1), partial(looks, far, name), partial(looks, far, name)]
    assert in_forks(*works) == [0] * len(works)
    moved = [100 * worker + number for worker in (1, 2, 3) for number in range(COMMITS)]
    alone = [-100 - number for number in range(COMMITS)]
    assert there(catalog) == {"a": sorted([0, *moved]), "b": sorted([0, *moved, *alone])}
