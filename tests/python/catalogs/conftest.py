"""A catalog of every kind, empty, with a warehouse of its own."""

from __future__ import annotations

import pytest
from catalog_kinds import KINDS, Kind

from floeberg.catalog import Catalog


@pytest.fixture(params=KINDS)
def kind(request) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def catalog(kind, tmp_path) -> Catalog:
    return kind.new(tmp_path)
