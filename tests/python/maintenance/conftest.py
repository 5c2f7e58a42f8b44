"""Tables in folders of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import floeberg as fb
from maintenance.disk import SCHEMA


@pytest.fixture
def catalog(tmp_path: Path) -> fb.Catalog:
    made = fb.load_catalog(
        "maintained", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path / "lake")
    )
    made.create_namespace("db")
    return made


@pytest.fixture
def make(catalog: fb.Catalog) -> Callable[..., fb.Table]:
    """Makes a table `db.t` without rows."""

    def made(version: int = 2, name: str = "db.t", **properties: str) -> fb.Table:
        return catalog.create_table(
            name, SCHEMA, partition_spec=["part"], format_version=version, properties=properties
        )

    return made
