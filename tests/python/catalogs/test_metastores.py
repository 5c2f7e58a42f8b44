"""Tables whose metadata files a catalog names."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from one_column import SCHEMA, attempt_on, ids, rows

import floeberg as fb
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import CommitConflictError, CommitStateUnknownError, StorageError


@pytest.fixture
def prod(tmp_path):
    properties = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": str(tmp_path / "warehouse")}
    catalog = SqlCatalog("prod", properties)
    catalog.create_namespace("sales")
    return catalog


@pytest.fixture
def orders(prod):
    return prod.create_table("sales.orders", SCHEMA)


def version(table):
    found = re.fullmatch(r"(\d{5})-[0-9a-f-]{36}(\.gz)?\.metadata\.json", Path(table.metadata_location).name)
    return int(found[1]), found[2]


def test_metadata_files_are_numbered_and_have_names_of_their_own(orders):
    assert version(orders) == (0, None)
    orders.append(rows(1))
    assert version(orders) == (1, None)
    orders.set_properties({"write.metadata.compression-codec": "gzip"})
    assert version(orders) == (2, ".gz")
    orders.append(rows(2))
    assert version(orders) == (3, ".gz")
    assert Path(orders.metadata_location).read_bytes()[:2] == b"\x1f\x8b"


def test_metadata_goes_where_the_table_says(prod, tmp_path):
    elsewhere = str(tmp_path / "elsewhere")
    table = prod.create_table("sales.far", SCHEMA, properties={"write.metadata.path": elsewhere})
    table.append(rows(1))
    assert str(Path(table.metadata_location).parent) == elsewhere
    assert ids(prod.load_table("sales.far")) == [1]


def test_old_metadata_is_removed_where_the_table_asks_for_it(orders, prod):
    orders.set_properties(
        {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "2"}
    )
    for number in range(5):
        orders.append(rows(number))
    left = [path.name for path in Path(orders.location(), "metadata").glob("*.metadata.json")]
    assert sorted(int(name[:5]) for name in left) == [4, 5, 6]
    assert ids(prod.load_table("sales.orders")) == list(range(5))


def test_a_namespace_says_where_its_tables_go(prod, tmp_path):
    place = str(tmp_path / "europe")
    prod.create_namespace("sales.europe", properties={"location": f"{place}/"})
    assert prod.create_table("sales.europe.orders", SCHEMA).location() == f"{place}/orders"
    given = prod.create_table("sales.europe.given", SCHEMA, location=tmp_path / "given")
    assert given.location() == str(tmp_path / "given")


def test_a_commit_that_failed_leaves_no_metadata_file(orders, prod):
    base = prod.load_table("sales.orders")
    orders.append(rows(1))
    before = sorted(Path(orders.location(), "metadata").iterdir())
    with pytest.raises(CommitConflictError):
        prod.commit_table("sales.orders", base, attempt_on(base._inner))
    assert sorted(Path(orders.location(), "metadata").iterdir()) == before


def test_a_database_that_is_gone_is_told_and_nothing_is_lost(orders, prod, tmp_path):
    orders.append(rows(1))
    (tmp_path / "catalog.db").rename(tmp_path / "away.db")
    with pytest.raises(StorageError, match="no such table"):
        orders.append(rows(2))
    (tmp_path / "catalog.db").unlink(missing_ok=True)
    (tmp_path / "away.db").rename(tmp_path / "catalog.db")
    assert ids(prod.load_table("sales.orders")) == [1]
    orders.append(rows(2))
    assert ids(prod.load_table("sales.orders")) == [1, 2]


def test_threads_append_at_once_and_lose_nothing(orders, prod):
    failures = []

    def work(number):
        table = prod.load_table("sales.orders")
        try:
            for each in range(4):
                table.append(rows(number * 10 + each))
        except fb.FloebergError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert ids(orders.refresh()) == [number * 10 + each for number in range(4) for each in range(4)]


@pytest.mark.parametrize("failure", [ConnectionError("reset by peer"), StorageError("503", retryable=True)])
def test_a_swap_that_took_effect_is_a_commit_whatever_its_catalog_raised(failure, prod, orders, monkeypatch):
    swap = SqlCatalog.do_swap_metadata_location

    def lost(self, identifier, before, after):
        swap(self, identifier, before, after)
        raise failure

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_swap_metadata_location", lost)
        orders.append(rows(1))
    assert ids(orders) == ids(prod.load_table("sales.orders")) == [1]
    orders.append(rows(2))
    assert ids(prod.load_table("sales.orders")) == [1, 2]


def test_nothing_goes_where_it_cannot_be_known_which_metadata_is_kept(prod, orders, monkeypatch):
    swap = SqlCatalog.do_swap_metadata_location

    def unreachable(*_):
        raise ConnectionError("the catalog cannot be reached")

    def lost(self, identifier, before, after):
        swap(self, identifier, before, after)
        patched.setattr(SqlCatalog, "do_load_metadata_location", unreachable)
        raise StorageError("503")

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_swap_metadata_location", lost)
        with pytest.raises((CommitStateUnknownError, ConnectionError)):
            orders.append(rows(1))
    assert ids(prod.load_table("sales.orders")) == [1]


def test_a_swap_that_arrives_after_its_client_gave_up_finds_its_metadata(prod, orders, monkeypatch):
    swap, sent = SqlCatalog.do_swap_metadata_location, []

    def late(*arguments):
        sent.append(arguments)
        raise TimeoutError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_swap_metadata_location", late)
        with pytest.raises(TimeoutError):
            orders.append(rows(1))
    swap(*sent[0])
    assert ids(prod.load_table("sales.orders")) == [1]
