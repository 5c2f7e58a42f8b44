"""Tables of the corpus, opened where they lie."""

from __future__ import annotations

import pytest

from corpus import Case, cases


def load(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


@pytest.fixture(scope="session")
def refs() -> Case:
    """9 rows of (id, cat, v) in 3 files; a branch `dev`, a tag `first`."""
    return load("pyiceberg/v2_refs")


@pytest.fixture(scope="session")
def deletes() -> Case:
    """23 rows of (id, cat, v) in 4 files, and 4 position delete files."""
    return load("duckdb/v2_insert_delete_update")


@pytest.fixture(scope="session")
def vectors() -> Case:
    """17 rows of (id, cat, v) in 3 files, and 2 deletion vectors."""
    return load("duckdb/v3_deletes")


@pytest.fixture(scope="session")
def evolved() -> Case:
    """Columns and partitions that changed between 7 files."""
    return load("pyiceberg/v2_evolved")


@pytest.fixture(scope="session")
def many() -> Case:
    """40 files of one row each."""
    return load("spark-iceberg/many_snapshots_refs")
