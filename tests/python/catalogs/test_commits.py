"""What becomes of a commit when others are faster, answers are lost, and stores fail?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_column import SCHEMA, ids, rows
from places import files_in

import floeberg as fb
from floeberg.commit import TableOperations, lock
from floeberg.commit.retries import Retries
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidInputError,
    NoSuchTableError,
    StorageError,
)

HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Writers that are in one thread cannot wait for each other."""
    monkeypatch.setattr(lock, "PATIENCE", 0.0)


class Script(TableOperations):
    """What keeps a table, whose calls go as they are told: each step takes what comes next, and the call."""

    def __init__(self, kept_by, *, commits=(), loads=()):
        self.kept_by = kept_by
        self.commits = list(commits)
        self.loads = list(loads)
        self.tried = 0

    @property
    def storage_options(self):
        return self.kept_by.storage_options

    def load(self, known):
        step = self.loads.pop(0) if self.loads else None
        return self.kept_by.load(known) if step is None else step(lambda: self.kept_by.load(known))

    def commit(self, base, attempt):
        self.tried += 1
        step = self.commits.pop(0) if self.commits else None
        call = lambda: self.kept_by.commit(base, attempt)  # noqa: E731
        return call() if step is None else step(call)

    def includes(self, current, attempt, metadata_location):
        return self.kept_by.includes(current, attempt, metadata_location)

    def is_superseded(self, current, attempt, base_location):
        return self.kept_by.is_superseded(current, attempt, base_location)


def lost_request(call):
    """Nobody was asked, and nobody knows."""
    del call
    raise CommitStateUnknownError("the connection broke", context={"metadata": "nowhere"})


def lost_answer(call):
    """It was done, and nobody knows."""
    raise CommitStateUnknownError("the connection broke", context={"metadata": call().metadata_location})


def failing(call):
    del call
    raise StorageError("the network is down", retryable=True)


def failing_for_good(call):
    del call
    raise StorageError("the disk is full")


def interrupted(call):
    call()
    raise KeyboardInterrupt


@pytest.fixture
def orders(catalog):
    """A table of one row."""
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", SCHEMA, properties=HASTE)
    table.append(rows(0))
    return table


@pytest.fixture
def scripted(catalog, orders):
    """Makes the table anew, kept by what follows a script."""

    def make(**steps):
        script = Script(orders._operations, **steps)
        return fb.Table(catalog.load_table("sales.orders")._inner, operations=script), script

    return make


@pytest.fixture
def unreferenced(catalog):
    """Finds the data files, manifests and lists that are there and that the table does not name."""

    def find():
        table = catalog.load_table("sales.orders")
        known = {name_of(path) for path in table.inspect.all_files()["file_path"].to_pylist()}
        known |= {name_of(path) for path in table.inspect.all_manifests()["path"].to_pylist()}
        known |= {name_of(each.manifest_list) for each in table.snapshots()}
        there = {name_of(path) for path in files_in(table.location())}
        return sorted(name for name in there - known if name.endswith((".parquet", ".avro")))

    return find


def name_of(path):
    return path.rsplit("/", 1)[-1]


def current(catalog):
    return catalog.load_table("sales.orders")


def test_a_commit_that_others_were_faster_than_is_tried_again(catalog, orders, scripted, unreferenced):
    def faster(call):
        orders.append(rows(len(ids(orders))))
        return call()

    table, script = scripted(commits=[faster, faster])
    table.append(rows(100))
    assert script.tried == 3
    assert ids(table) == ids(current(catalog)) == [0, 1, 2, 100]
    assert unreferenced() == []


def test_a_commit_whose_retries_run_out_leaves_nothing(catalog, orders, scripted, unreferenced):
    def faster(call):
        orders.append(rows(1))
        return call()

    orders.set_properties({"commit.retry.num-retries": "2"})
    table, script = scripted(commits=[faster] * 9)
    before = table.metadata_location
    with pytest.raises(CommitConflictError, match="gave up after 3 attempts") as caught:
        table.append(rows(100))
    assert caught.value.retryable
    assert script.tried == 3
    assert table.metadata_location == before
    assert ids(current(catalog)) == [0, 1, 1, 1]
    assert unreferenced() == []


def test_a_lost_answer_is_found_by_the_key(catalog, scripted, unreferenced):
    table, script = scripted(commits=[lost_answer])
    table.append(rows(1))
    assert script.tried == 1
    assert ids(table) == ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_a_lost_answer_to_what_makes_no_snapshot_is_found_by_the_metadata(catalog, scripted):
    table, script = scripted(commits=[lost_answer])
    table.set_properties({"owner": "jo"})
    assert script.tried == 1
    assert current(catalog).properties["owner"] == "jo"


def test_a_lost_answer_is_found_after_others_went_on(catalog, orders, scripted, unreferenced):
    def lost_and_overtaken(call):
        place = call().metadata_location
        for number in (2, 3):
            orders.append(rows(number))
        raise CommitStateUnknownError("the connection broke", context={"metadata": place})

    table, script = scripted(commits=[lost_and_overtaken])
    table.append(rows(1))
    assert script.tried == 1
    assert ids(table) == ids(current(catalog)) == [0, 1, 2, 3]
    assert unreferenced() == []


def test_a_lost_answer_after_a_lost_request_is_of_the_second_attempt(catalog, scripted, unreferenced):
    """Both have the same snapshot id, and the files of the first one alone are removed."""
    table, script = scripted(commits=[lost_request, lost_answer])
    table.append(rows(1))
    assert script.tried == 2
    assert ids(table) == ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_a_lost_request_is_made_again(catalog, scripted, unreferenced):
    table, script = scripted(commits=[lost_request])
    table.append(rows(1))
    assert script.tried == 2
    assert ids(table) == ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_an_answer_that_nobody_can_look_for_stays_unknown_and_nothing_is_removed(catalog, scripted):
    table, _ = scripted(commits=[lost_answer], loads=[None, None, *[failing] * 9])
    with pytest.raises(CommitStateUnknownError):
        table.append(rows(1), idempotency_key="k")
    assert ids(current(catalog)) == [0, 1]
    again, script = scripted()
    again.append(rows(1), idempotency_key="k")
    assert script.tried == 0
    assert ids(again) == ids(current(catalog)) == [0, 1]


def test_a_request_that_may_yet_arrive_keeps_its_files(catalog, scripted, unreferenced):
    kept = []

    def late(call):
        kept.append(call)
        raise CommitStateUnknownError("no answer", context={"metadata": "nowhere"})

    table, _ = scripted(commits=[late], loads=[None, *[failing] * 9])
    with pytest.raises(CommitStateUnknownError):
        table.append(rows(1))
    assert unreferenced() != []
    kept[0]()
    assert ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_a_failure_after_one_of_unknown_outcome_is_of_unknown_outcome_too(catalog, scripted):
    table, _ = scripted(commits=[lost_answer, failing_for_good], loads=[None, failing])
    table.append(rows(1))
    assert ids(table) == ids(current(catalog)) == [0, 1]
    table, script = scripted(commits=[lost_request, failing_for_good])
    with pytest.raises(CommitStateUnknownError, match=r"may still take effect.*disk is full"):
        table.append(rows(2))
    assert script.tried == 2
    assert ids(current(catalog)) == [0, 1]


def test_a_failure_that_may_pass_is_tried_again(catalog, scripted, unreferenced):
    table, script = scripted(commits=[failing, failing])
    table.append(rows(1))
    assert script.tried == 3
    assert ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_a_failure_for_good_leaves_nothing(catalog, scripted, unreferenced):
    table, script = scripted(commits=[failing_for_good])
    with pytest.raises(StorageError, match="the disk is full"):
        table.append(rows(1))
    assert script.tried == 1
    assert ids(current(catalog)) == ids(table) == [0]
    assert unreferenced() == []


def test_an_interruption_removes_nothing(catalog, scripted, unreferenced):
    table, _ = scripted(commits=[interrupted])
    with pytest.raises(KeyboardInterrupt):
        table.append(rows(1))
    assert ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_a_repeated_key_is_a_success_and_no_duplicate(catalog, orders, unreferenced):
    for number in range(3):
        done = orders.append(rows(1), idempotency_key="job-7")
        again = catalog.load_table("sales.orders").append(rows(9), idempotency_key="job-7")
        assert (done.already_committed, again.already_committed) == (number > 0, True)
        assert done.snapshot_id == again.snapshot_id
        assert ids(orders) == [0, 1], number
    assert ids(current(catalog)) == [0, 1]
    assert len(current(catalog).snapshots()) == 2
    orders.append(rows(2), idempotency_key="job-8")
    assert ids(orders) == [0, 1, 2]
    assert unreferenced() == []


def test_of_two_writers_with_one_key_one_writes(catalog, orders, scripted, unreferenced):
    def same_key(call):
        orders.append(rows(1), idempotency_key="job-7")
        return call()

    table, script = scripted(commits=[same_key])
    table.append(rows(1), idempotency_key="job-7")
    assert script.tried == 1
    assert ids(table) == ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_receipts_that_were_committed_before_are_kept(catalog, orders, unreferenced):
    receipt = orders.write_recipe().write(rows(1), task="0")
    for _ in range(2):
        catalog.load_table("sales.orders").commit_receipts([receipt], idempotency_key="job-7")
    assert ids(current(catalog)) == [0, 1]
    assert unreferenced() == []


def test_a_transaction_is_one_commit_or_none(catalog, orders, unreferenced):
    with orders.transaction(snapshot_properties={"by": "test"}) as transaction:
        transaction.append(rows(1))
        transaction.set_properties({"owner": "jo"})
        transaction.delete("id = 0")
        transaction.append(rows(2))
        assert ids(current(catalog)) == [0]
    assert ids(orders) == ids(current(catalog)) == [1, 2]
    assert orders.properties["owner"] == "jo"
    assert orders.current_snapshot().summary["by"] == "test"
    assert len(orders.history()) == 2
    with pytest.raises(ZeroDivisionError), orders.transaction() as transaction:  # noqa: PT012 - the block is it
        transaction.append(rows(3))
        raise ZeroDivisionError
    assert ids(current(catalog)) == [1, 2]
    assert unreferenced() == []


def test_a_table_that_is_dropped_meanwhile_is_told(catalog, scripted):
    def dropped(call):
        catalog.drop_table("sales.orders")
        return call()

    table, _ = scripted(commits=[dropped])
    with pytest.raises(NoSuchTableError):
        table.append(rows(1))
    assert not catalog.table_exists("sales.orders")


def test_retries_are_those_of_the_table():
    assert Retries.of({}) == Retries(4, 0.1, 60.0, 1800.0)
    given = {
        "commit.retry.num-retries": "7",
        "commit.retry.min-wait-ms": "50",
        "commit.retry.max-wait-ms": "200",
        "commit.retry.total-timeout-ms": "3000",
    }
    assert Retries.of(given) == Retries(7, 0.05, 0.2, 3.0)
    with pytest.raises(InvalidInputError, match=r"whole number.*many.*commit\.retry\.num-retries"):
        Retries.of({"commit.retry.num-retries": "many"})


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_wait_is_within_its_bounds(done, least, most):
    wait = Retries(4, least / 1000, most / 1000, 1.0).wait(done)
    assert 0 <= wait <= most / 1000
    if least * 2 ** min(done - 1, 30) <= most:
        assert wait >= least * 2 ** min(done - 1, 30) / 2000
