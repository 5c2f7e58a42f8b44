"""Catalogs whose tables are in object stores, which emulators on loopback play."""

from __future__ import annotations

import os
from collections.abc import Iterator

import emulators
import pytest
from catalog_kinds import Kind
from emulators import Emulator
from store_kinds import KINDS, STORE_OF, WRITABLE, tried

from floeberg.catalog import Catalog
from tiers import ALL

MORE = ("test_writes", "test_stored_transactions", "test_proxied")
"""Tests that run over more stores than one each time: they need most of a store."""


@pytest.fixture(scope="session", autouse=True)
def server() -> Iterator[Emulator]:
    """The server of S3 that most tests need, found as those of Amazon are: by the environment."""
    started = emulators.started("moto")
    os.environ.update(started.environment)
    yield started
    for name in started.environment:
        os.environ.pop(name, None)
    emulators.stop_all()


def pytest_generate_tests(metafunc) -> None:
    """Over which kinds of catalogs, and which stores, a test runs."""
    named = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    given = {name for names in named for name in (names.split(",") if isinstance(names, str) else names)}
    if "kind" in metafunc.fixturenames:
        if "kind" not in given:
            more = metafunc.module.__name__.rpartition(".")[2] in MORE
            metafunc.parametrize("kind", tried(more=more), indirect=True)
    elif "store" in metafunc.fixturenames:
        metafunc.parametrize("store", WRITABLE if ALL else ("moto", "seaweedfs", "azurite"), indirect=True)


def _found(store: str, monkeypatch) -> Emulator:
    """An emulator that this process and its children find."""
    started = emulators.started(store)
    for name, value in started.environment.items():
        monkeypatch.setenv(name, value)
    return started


@pytest.fixture
def store(request, monkeypatch) -> Emulator:
    """The store that the test is about: that of its kind of catalogs, or one of those that are tried."""
    name = getattr(request, "param", None)
    if name is None:
        name = STORE_OF[request.getfixturevalue("kind_name")]
    return _found(name, monkeypatch)


@pytest.fixture
def kind_name(request) -> str:
    """The name of the kind, which other processes know."""
    return request.node.callspec.params["kind"]


@pytest.fixture
def kind(request, monkeypatch) -> Kind:
    _found(STORE_OF[request.param], monkeypatch)
    return KINDS[request.param]


@pytest.fixture
def catalog(kind, tmp_path) -> Catalog:
    return kind.new(tmp_path)
