"""A proxy stands in front of each store: what is acknowledged is there once, what fails is not, or is unknown."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from emulators import Emulator
from one_column import SCHEMA, ids, rows
from store_kinds import tried

import far_store_faults as faults
import floeberg as fb
from far_store_faults import Fault
from floeberg.catalog import Catalog
from floeberg.errors import CommitStateUnknownError, FloebergError
from proxy import Proxy
from tiers import ALL

pytestmark = pytest.mark.parametrize(
    "kind", [name for name in tried(more=True) if ALL or name.startswith("filesystem")], indirect=True
)

WRITERS, APPENDS = (8, 12) if ALL else (4, 3)
RETRIES = {
    "commit.retry.num-retries": "100",
    "commit.retry.min-wait-ms": "1",
    "commit.retry.max-wait-ms": "20",
    "commit.status-check.min-wait-ms": "1",
    "commit.status-check.max-wait-ms": "20",
}
# Each request is tried once more: then a fault is seen now and then by what asked.
HASTE = {"io.retries": "1", "io.read-timeout": "2"}
WRITES = {
    "late": faults.late(0.2),
    "500": faults.refused(500),
    "503": faults.refused(503, "ServiceUnavailable"),
    "slow down": faults.slow_down(),
    "closed before": faults.closed_before(),
    "closed, but done": faults.closed_before(does=True),
    "reset, but done": faults.reset_before(does=True),
    "cut": faults.closed_halfway(),
}


@pytest.fixture
def proxy(store: Emulator) -> Iterator[Proxy]:
    started = Proxy(store.url)
    started.start()
    yield started
    started.stop()


@pytest.fixture
def table(catalog: Catalog) -> fb.Table:
    """A table of one row, which is reached without the proxy."""
    catalog.create_namespace("sales")
    made = catalog.create_table("sales.orders", SCHEMA, properties=RETRIES)
    made.append(rows(0))
    return made


@pytest.fixture
def behind(store: Emulator, catalog: Catalog, proxy: Proxy) -> Catalog:
    """The same catalog, whose store is reached by the proxy alone."""
    options = {name: proxy.url if value == store.url else value for name, value in store.options.items()}
    return type(catalog)(catalog.name, {**catalog.properties, **options, **HASTE})


def attempted(catalog: Catalog, given: list[int]) -> dict[int, object]:
    """Appends each row, and says what came of it."""
    outcomes: dict[int, object] = {}
    for row in given:
        try:
            catalog.load_table("sales.orders").append(rows(row))
            outcomes[row] = None
        except FloebergError as error:
            outcomes[row] = error
    return outcomes


def settle(table: fb.Table, outcomes: dict[int, object]) -> None:
    """Holds what is there against what was said. What was written is checked afterwards by who last committed."""
    found = Counter(ids(table.refresh()))
    assert found.pop(0) == 1
    for row, outcome in outcomes.items():
        count = found.pop(row, 0)
        if outcome is None:
            assert count == 1, f"{row} was acknowledged, and is there {count} times"
        elif isinstance(outcome, CommitStateUnknownError):
            assert count <= 1, f"{row} is there {count} times"
        else:
            assert count == 0, f"{row} is there, after {outcome!r}"
    assert not found
    table.set_properties({"settled": "true"})


@pytest.mark.parametrize("name", WRITES)
def test_many_writers_behind_a_proxy_lose_nothing_and_double_nothing(name, table, behind, proxy):
    rule = proxy.misbehave(WRITES[name], verb="P*", every=5, times=None)
    start = threading.Barrier(WRITERS)

    def write(writer: int) -> dict[int, object]:
        start.wait()
        return attempted(behind, [1_000 * (writer + 1) + number for number in range(APPENDS)])

    with ThreadPoolExecutor(WRITERS) as threads:
        outcomes = {row: each for found in threads.map(write, range(WRITERS)) for row, each in found.items()}
    proxy.behave()
    assert rule.done >= WRITERS
    assert len(outcomes) == WRITERS * APPENDS
    acknowledged = [row for row, outcome in outcomes.items() if outcome is None]
    assert len(acknowledged) >= len(outcomes) / 2, list(outcomes.values())[:3]
    settle(table, outcomes)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_answers_to_the_write_that_decides_are_lost(times, table, behind, proxy):
    """The store has the file, and says to the next attempt that it is there: by whom is looked for."""
    rule = proxy.misbehave(faults.closed_before(does=True), verb="PUT", key="*.metadata.json", times=times)
    outcomes = attempted(behind, [1, 2])
    assert rule.done
    proxy.behave()
    assert None in outcomes.values()
    settle(table, outcomes)


@pytest.mark.parametrize("how", [faults.closed_halfway(), faults.reset_halfway(), faults.length_too_long()])
def test_answers_that_are_cut_are_asked_for_again_or_are_errors(how: Fault, table, behind, proxy):
    table.append(rows(*range(1, 5_000)))
    rule = proxy.misbehave(how, verb="GET", every=5, times=None)
    expected = sorted(range(5_000))
    right = 0
    for _ in range(8):
        try:
            assert ids(behind.load_table("sales.orders")) == expected
            right += 1
        except FloebergError:
            continue
    assert rule.done and right
    proxy.behave()
    assert ids(behind.load_table("sales.orders")) == expected


def test_a_store_that_always_fails_is_an_error_that_changes_nothing(table, behind, proxy):
    before = table.refresh().metadata_location
    loaded = behind.load_table("sales.orders")
    rule = proxy.misbehave(faults.slow_down(), verb="PUT", times=None)
    with pytest.raises(FloebergError) as caught:
        loaded.append(pa.table({"id": pa.array([1], SCHEMA.field("id").type)}))
    assert not isinstance(caught.value, CommitStateUnknownError) and rule.done >= 2
    proxy.behave()
    assert table.refresh().metadata_location == before
    loaded.append(rows(1))
    settle(table, {1: None})
