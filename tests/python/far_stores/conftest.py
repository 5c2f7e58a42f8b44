"""A store that is far away, and tables in it."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator

import pytest

from far_store import FarStore
from far_store_tables import BUCKET, Place

SECONDS = 5
THREADS = "2"
"""What is counted must not depend on the cores of the machine."""


@pytest.fixture(scope="session")
def started(tmp_path_factory) -> Iterator[FarStore]:
    """The store of all tests: what a test wrote is checked when its own fixtures are gone."""
    store = FarStore(tmp_path_factory.mktemp("far")).start()
    store.objects.make_bucket(BUCKET)
    yield store
    store.stop()
    # Hundreds of megabytes, which pytest would keep.
    shutil.rmtree(store.folder)


@pytest.fixture
def far(started, monkeypatch) -> Iterator[FarStore]:
    """The store, which is near and behaves until the test says otherwise."""
    monkeypatch.setenv("FLOEBERG_THREADS", THREADS)
    _restore(started)
    yield started
    _restore(started)


def _restore(store: FarStore) -> None:
    store.milliseconds, store.step, store.s3.page = 0, None, 1000
    store.behave()
    # What a test made the store keep waiting does not count in the next one.
    deadline = time.monotonic() + SECONDS
    while store.in_flight and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def _listens_to_ctrl_c() -> Iterator[None]:
    """A process that a shell started in the background does not, unless it says so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def place(far, tmp_path) -> Place:
    return Place(far, tmp_path)
