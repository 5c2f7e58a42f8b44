"""Tables of the corpus, opened where they lie."""

from __future__ import annotations

import pytest

from corpus import Case, lent


@pytest.fixture(scope="session")
def refs() -> Case:
    """9 rows of (id, cat, v) in 3 files; a branch `dev`, a tag `first`."""
    return lent("refs")


@pytest.fixture(scope="session")
def deletes() -> Case:
    """23 rows of (id, cat, v) in 4 files, and 4 position delete files."""
    return lent("deletes")


@pytest.fixture(scope="session")
def vectors() -> Case:
    """17 rows of (id, cat, v) in 3 files, and 2 deletion vectors."""
    return lent("vectors")


@pytest.fixture(scope="session")
def evolved() -> Case:
    """Columns and partitions that changed between 7 files."""
    return lent("evolved")


@pytest.fixture(scope="session")
def variants() -> Case:
    """A column `id` and a variant `v`."""
    return lent("variants")


@pytest.fixture(scope="session")
def many() -> Case:
    """40 files of one row each."""
    return lent("many")


@pytest.fixture(scope="session")
def partitioned_keys() -> Case:
    """Files of two specs, none and `cat`, and equality deletes of both."""
    return lent("partitioned_keys")


@pytest.fixture(scope="session")
def partitioned_positions() -> Case:
    """Files of four specs of `cat` and `id`, and position deletes of each."""
    return lent("partitioned_positions")


@pytest.fixture(scope="session")
def partitioned_v1() -> Case:
    """Format version 1; files of several specs, one with a void field."""
    return lent("partitioned_v1")


@pytest.fixture(scope="session")
def avro_and_orc() -> Case:
    """9 rows in files of Parquet, Avro and ORC, with position deletes over all three."""
    return lent("avro_and_orc")


@pytest.fixture(scope="session")
def upgraded() -> Case:
    """12 rows; snapshots from before and from after the upgrade to version 3."""
    return lent("upgraded")
