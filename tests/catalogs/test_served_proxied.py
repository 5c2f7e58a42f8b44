"""A proxy stands in front of servers of REST: what is acknowledged is there once, in each of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from one_column import SCHEMA, ids, rows
from servers import started

import far_store_faults as faults
import floeberg as fb
from floeberg.catalog import Catalog
from floeberg.errors import CommitStateUnknownError, FloebergError
from proxy import Proxy

TABLES = ("ns.a", "ns.b", "ns.c")
RETRIES = {
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "1",
    "commit.retry.max-wait-ms": "20",
    "commit.status-check.min-wait-ms": "1",
    "commit.status-check.max-wait-ms": "20",
}
FAULTS = {
    "late": faults.late(0.1),
    "500": faults.refused(500),
    "503": faults.refused(503),
    "504": faults.refused(504),
    "429": faults.refused(429, retry_after=0),
    "closed before": faults.closed_before(),
    "closed, but done": faults.closed_before(does=True),
    "reset, but done": faults.reset_before(does=True),
    "cut, but done": faults.closed_halfway(),
}
DONE = {"closed, but done", "reset, but done", "cut, but done"}
COMMIT = "*/tables/?"
"""The path of a commit to one table."""


@pytest.fixture(params=["iceberg-rest", "seaweedfs"])
def server(request):
    return started(request.param)


@pytest.fixture
def proxy(server) -> Iterator[Proxy]:
    made = Proxy(server.properties["uri"])
    made.start()
    yield made
    made.stop()


@pytest.fixture
def direct(server) -> Iterator[Catalog]:
    """The catalog, without the proxy, and in it tables of one row each."""
    more = {"warehouse": server.warehouse()} if hasattr(server, "warehouse") else {}
    with fb.load_catalog("direct", **server.properties, **more) as catalog:
        catalog.create_namespace_if_not_exists("ns")
        for name in TABLES:
            if catalog.table_exists(name):
                catalog.drop_table(name)
            catalog.create_table(name, SCHEMA, properties=RETRIES).append(rows(0))
        yield catalog


@pytest.fixture
def behind(direct, proxy) -> Iterator[Catalog]:
    """The same, whose server is reached by the proxy alone."""
    properties = {**direct.properties, "uri": proxy.url}
    with fb.load_catalog("behind", **properties) as catalog:
        yield catalog


def count(catalog: Catalog, name: str) -> Counter[int]:
    return Counter(ids(catalog.load_table(name)))


def settle(direct: Catalog) -> None:
    """What was written is checked afterwards, by who last committed."""
    for name in TABLES:
        direct.load_table(name).set_properties({"settled": "true"})


@pytest.mark.parametrize("name", FAULTS)
def test_each_append_is_there_once_or_is_an_error(name, direct, behind, proxy):
    rule = proxy.misbehave(FAULTS[name], verb="POST", key=COMMIT, every=2, times=None)
    outcomes: dict[int, object] = {}
    for row in range(1, 9):
        try:
            behind.load_table("ns.a").append(rows(row))
            outcomes[row] = None
        except FloebergError as error:
            outcomes[row] = error
    assert rule.done >= 4
    proxy.behave()
    found = count(direct, "ns.a")
    assert found.pop(0) == 1
    for row, outcome in outcomes.items():
        if outcome is None:
            assert found.pop(row, 0) == 1, row
        elif isinstance(outcome, CommitStateUnknownError):
            assert found.pop(row, 0) <= 1, row
        else:
            assert row not in found, outcome
    assert not found
    # A commit whose answer was lost is looked for, and found.
    if name in DONE:
        assert set(outcomes.values()) == {None}, outcomes
    settle(direct)


@pytest.mark.parametrize("name", sorted(DONE))
def test_a_commit_that_somebody_else_builds_on_is_found_though_its_answer_was_lost(
    name, direct, behind, proxy, monkeypatch
):
    """The server did the commit, its answer is lost, and another commit came before the client asks what is there."""
    # The other commit is of this process too, where one waits for the other.
    monkeypatch.setattr("floeberg.commit.lock.PATIENCE", 0.05)
    table = behind.load_table("ns.a")
    rule = proxy.misbehave(FAULTS[name], verb="POST", key=COMMIT)
    # What the client asks next comes after a commit of somebody else.
    other = faults.after(lambda: direct.load_table("ns.a").append(rows(7)))
    between = proxy.misbehave(other, verb="GET", key=COMMIT)
    table.append(rows(1))
    assert rule.done == between.done == 1
    proxy.behave()
    assert count(direct, "ns.a") == Counter([0, 1, 7])
    settle(direct)


@pytest.mark.parametrize("name", FAULTS)
def test_several_tables_change_together_or_none_does(name, direct, behind, proxy):
    rule = proxy.misbehave(FAULTS[name], verb="POST", key="*transactions/commit", every=2, times=None)
    outcomes: dict[int, object] = {}
    for row in range(1, 5):
        try:
            with behind.transaction() as changes:
                for table in TABLES:
                    changes.table(table).append(rows(row))
            outcomes[row] = None
        except FloebergError as error:
            outcomes[row] = error
    assert rule.done >= 2
    proxy.behave()
    found = [count(direct, table) for table in TABLES]
    assert found[0] == found[1] == found[2]
    assert set(found[0].values()) == {1}
    for row, outcome in outcomes.items():
        if outcome is None:
            assert row in found[0]
        elif not isinstance(outcome, CommitStateUnknownError):
            assert row not in found[0], outcome
    if name in DONE:
        assert set(outcomes.values()) == {None}, outcomes
    settle(direct)
