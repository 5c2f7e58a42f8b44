"""Tables in folders of their own."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import nullcontext
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


@pytest.fixture
def meanwhile(monkeypatch) -> Callable[..., list[bool]]:
    """Lets another commit be done when the first attempt of the next one has written its files."""

    def patch(table: fb.Table, other: Callable[[], object]) -> list[bool]:
        operations = type(table.maintenance._operations)
        commit, first = operations.commit, itertools.count()
        done: list[bool] = []

        def slow(self, base, attempt):
            if not next(first):
                other()
                done.append(True)
            return commit(self, base, attempt)

        monkeypatch.setattr(operations, "commit", slow)
        # Else the other commit, in this thread, waits for this one first.
        monkeypatch.setattr("floeberg.commit.loop.commit_lock", lambda _: nullcontext())
        return done

    return patch
