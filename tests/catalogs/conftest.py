"""Catalogs of servers, each started once, where it is first asked for, and emptied before each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from catalog_kinds import Kind
from served_kinds import KINDS
from servers import stop_all

from floeberg.catalog import Catalog

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def _servers() -> Iterator[None]:
    """The servers that tests ask for, until the last test."""
    yield
    stop_all()


@pytest.fixture(params=KINDS)
def kind(request) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def catalog(kind, tmp_path) -> Iterator[Catalog]:
    made = kind.new(tmp_path)
    yield made
    made.close()


def pytest_collection_modifyitems(items) -> None:
    """Where a server writes what the specification does not say."""
    for item in items:
        if item.path.parent == HERE and item.name == "test_a_table_is_created_or_replaced[seaweedfs]":
            item.add_marker(pytest.mark.unchecked_tables("SeaweedFS writes -1 as the id of no snapshot"))
