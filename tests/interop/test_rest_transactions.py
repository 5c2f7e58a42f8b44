"""Commits of several tables on Iceberg's own REST server, which checks all requirements before it commits any table."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from rest.proxy import Proxy
from rest.server import RestServer

import floeberg as fb
from floeberg.commit import lock
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    NoSuchTableError,
    UnsupportedError,
)

SCHEMA = pa.schema({"id": pa.int64()})
HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}
NAMES = itertools.count()

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Writers that are in one thread cannot wait for each other."""
    monkeypatch.setattr(lock, "PATIENCE", 0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rest")


@pytest.fixture(scope="module")
def server(folder):
    started = RestServer(folder)
    yield started
    started.stop()


@pytest.fixture
def proxy(server):
    started = Proxy(server.url)
    yield started
    started.stop()


@pytest.fixture
def direct(server, folder):
    """The catalog, asked without anything between."""
    catalog = fb.load_catalog("rest", type="rest", uri=server.url, warehouse=(folder / "warehouse").as_uri())
    catalog.create_namespace_if_not_exists("ns")
    return catalog


@pytest.fixture
def catalog(direct, proxy, folder):
    assert direct.namespace_exists("ns")
    return fb.load_catalog("rest", type="rest", uri=proxy.url, warehouse=(folder / "warehouse").as_uri())


@pytest.fixture
def names(direct):
    """Two tables, of the id 0."""
    made = [f"ns.t{next(NAMES)}" for _ in range(2)]
    for name in made:
        direct.create_table(name, SCHEMA, properties=HASTE).append(rows(0))
    return made


@pytest.fixture
def transaction(catalog, proxy, names):
    """The id 1 for each table, not yet committed."""
    begun = catalog.transaction()
    for name in names:
        begun.table(name).append(rows(1))
    proxy.answers.clear()
    return begun


def rows(*ids):
    return pa.table({"id": list(ids)}, SCHEMA)


def there(catalog, names):
    return [sorted(catalog.load_table(name).to_arrow()["id"].to_pylist()) for name in names]


def test_several_tables_change_by_one_request(catalog, direct, proxy, names):
    proxy.asked.clear()
    with catalog.transaction() as transaction:
        one = transaction.table(names[0])
        with one.update_schema() as update:
            update.add_column("price", "double")
        one.append(pa.table({"id": [1], "price": [0.5]}))
        transaction.table(names[1]).delete("id = 0")
    assert [each for each in proxy.asked if each.startswith("POST")] == ["POST /v1/transactions/commit"]
    assert there(direct, names) == [[0, 1], []]
    assert direct.load_table(names[0]).schema().column_names == ["id", "price"]
    assert [each.operation for each in transaction.results.values()] == ["append", "delete"]


def test_a_conflict_of_one_table_tries_all_again(direct, proxy, names, transaction):
    proxy.steps = [lambda: direct.load_table(names[1]).append(rows(2))] * 2
    transaction.commit_transaction()
    assert proxy.answers == [409, 409, 204]
    assert there(direct, names) == [[0, 1], [0, 1, 2, 2]]


def test_conflicts_that_last_change_nothing(direct, proxy, names, transaction):
    proxy.steps = [lambda: direct.load_table(names[1]).append(rows(2))] * 9
    with pytest.raises(CommitConflictError, match="gave up after 5 attempts"):
        transaction.commit_transaction()
    assert proxy.answers == [409] * 5
    assert there(direct, names) == [[0], [0, 2, 2, 2, 2, 2]]


def test_a_lost_answer_is_found_in_both_tables(direct, proxy, names, transaction):
    proxy.steps = ["lose-answer"]
    transaction.commit_transaction()
    assert proxy.answers == []
    assert there(direct, names) == [[0, 1], [0, 1]]
    assert [len(direct.load_table(name).snapshots()) for name in names] == [2, 2]


def test_a_lost_request_is_made_again(direct, proxy, names, transaction):
    proxy.steps = ["lose-request", "lose-answer"]
    transaction.commit_transaction()
    assert there(direct, names) == [[0, 1], [0, 1]]


def test_a_refusal_of_a_request_that_was_sent_twice_is_no_conflict(direct, proxy, names, transaction):
    proxy.steps = ["send-twice"]
    transaction.commit_transaction()
    assert proxy.answers == [409]
    assert there(direct, names) == [[0, 1], [0, 1]]


def test_what_may_yet_be_served_keeps_its_files(direct, proxy, names, transaction):
    proxy.steps = ["lose-request"] * 9
    with pytest.raises(CommitStateUnknownError) as caught:
        transaction.commit_transaction()
    assert caught.value.context == {f"table {name}": "not committed so far" for name in names}
    assert there(direct, names) == [[0], [0]]
    for name in names:
        files = direct.load_table(name).location().removeprefix("file:")
        assert len(list(Path(files, "data").glob("*.parquet"))) == 2


def test_a_table_that_is_dropped_meanwhile_stops_all(direct, proxy, names, transaction):
    proxy.steps = [lambda: direct.drop_table(names[1])]
    with pytest.raises(NoSuchTableError):
        transaction.commit_transaction()
    assert there(direct, names[:1]) == [[0]]


def test_lost_changes_of_columns_are_found(catalog, direct, proxy, names):
    proxy.steps = ["lose-answer"]
    with catalog.transaction() as transaction:
        with transaction.table(names[0]).update_schema() as update:
            update.add_column("price", "double")
        transaction.table(names[1]).set_properties(owner="jo")
    assert direct.load_table(names[0]).schema().column_names == ["id", "price"]
    assert direct.load_table(names[1]).properties["owner"] == "jo"


def test_this_server_creates_no_tables_in_such_a_commit(catalog, direct, names):
    transaction = catalog.transaction()
    transaction.table(names[0]).append(rows(1))
    transaction.create_table("ns.new", SCHEMA).append(rows(2))
    with pytest.raises(NoSuchTableError, match="some servers do not do"):
        transaction.commit_transaction()
    assert there(direct, names) == [[0], [0]]
    assert not direct.table_exists("ns.new")


def test_a_server_without_the_endpoint_says_so(catalog, monkeypatch):
    endpoints = catalog._server.endpoints
    fewer = type(endpoints)(endpoints.prefix, endpoints.separator, frozenset())
    monkeypatch.setattr(catalog._server, "endpoints", fewer)
    with pytest.raises(UnsupportedError, match="does not offer POST /v1/{prefix}/transactions/commit"):
        catalog.transaction()
