"""A catalog of every kind, empty, with a warehouse of its own."""

from __future__ import annotations

import itertools

import pytest
from catalog_kinds import KINDS, Kind

from floeberg.catalog import Catalog

NUMBERS = itertools.count()


@pytest.fixture(params=KINDS)
def kind(request) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def catalog(kind, tmp_path) -> Catalog:
    return kind.make(f"c{next(NUMBERS)}", tmp_path)
