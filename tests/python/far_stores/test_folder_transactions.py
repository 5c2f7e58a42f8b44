"""A commit of several tables in folders of an object store: clients that are killed, and readers, at every request."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading

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
