"""Catalogs of PyIceberg open here, and the reverse."""

from __future__ import annotations

import sqlite3
import warnings
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import (
    InvalidInputError,
    NoSuchTableError,
    PermissionDeniedError,
    StorageError,
    TableAlreadyExistsError,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyiceberg.catalog.sql import SqlCatalog as TheirCatalog

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", None, "c"]})


@pytest.fixture
def properties(tmp_path):
    return {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": (tmp_path / "warehouse").as_uri()}


@pytest.fixture
def theirs(properties):
    """A catalog of theirs with a table of three rows."""
    catalog = TheirCatalog("prod", **properties)
    catalog.create_namespace("sales.europe", {"owner": "jo"})
    catalog.create_namespace("empty")
    table = catalog.create_table("sales.europe.orders", ROWS.schema)
    table.append(ROWS)
    yield catalog
    catalog.engine.dispose()


def test_a_catalog_that_they_made_opens_here(theirs, properties):
    ours = fb.load_catalog("prod", **properties)
    assert ours.list_namespaces() == [("empty",), ("sales",)]
    assert ours.list_namespaces("sales") == [("sales", "europe")]
    assert ours.load_namespace_properties("sales.europe") == {"owner": "jo"}
    assert ours.load_namespace_properties("empty") == {}
    assert ours.list_tables("sales.europe") == [("sales", "europe", "orders")]
    table = ours.load_table("sales.europe.orders")
    assert table.metadata_location == theirs.load_table("sales.europe.orders").metadata_location
    assert table.scan().to_arrow().to_pylist() == ROWS.to_pylist()


def test_what_we_do_to_names_they_see(theirs, properties):
    ours = SqlCatalog("prod", properties)
    ours.create_namespace("a.b", properties={"owner": "al"})
    ours.rename_table("sales.europe.orders", "a.b.bought")
    assert theirs.load_namespace_properties("a.b")["owner"] == "al"
    assert theirs.list_tables("a.b") == [("a", "b", "bought")]
    assert theirs.load_table("a.b.bought").scan().to_arrow().num_rows == 3
    location = ours.load_table("a.b.bought").metadata_location
    ours.drop_table("a.b.bought")
    assert not theirs.table_exists("a.b.bought")
    assert ours.register_table("a.b.again", location).scan().count() == 3
    assert theirs.load_table("a.b.again").metadata_location == location
    with pytest.raises(TableAlreadyExistsError, match="the table 'a.b.again' already exists"):
        ours.register_table("a.b.again", location)
    theirs.load_table("a.b.again").append(ROWS)
    assert ours.load_table("a.b.again").scan().count() == 6


@pytest.mark.usefixtures("theirs")
def test_catalogs_of_other_names_share_the_database_and_nothing_else(properties):
    other = SqlCatalog("other", properties)
    assert other.list_namespaces() == []
    assert not other.table_exists("sales.europe.orders")
    other.create_namespace("sales")
    assert other.list_tables("sales") == []


def test_a_catalog_of_version_0_gets_its_column_when_asked(theirs, properties, tmp_path):
    connection = sqlite3.connect(tmp_path / "catalog.db")
    connection.execute("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type")
    connection.commit()
    assert SqlCatalog("prod", properties).load_table("sales.europe.orders").scan().count() == 3
    columns = "SELECT name FROM pragma_table_info('iceberg_tables')"
    assert ("iceberg_type",) not in connection.execute(columns).fetchall()
    upgraded = SqlCatalog("prod", properties | {"jdbc.schema-version": "V1"})
    assert ("iceberg_type",) in connection.execute(columns).fetchall()
    connection.close()
    assert upgraded.list_tables("sales.europe") == [("sales", "europe", "orders")]
    assert theirs.load_table("sales.europe.orders").scan().to_arrow().num_rows == 3


@pytest.mark.usefixtures("theirs")
def test_views_of_java_are_no_tables(properties, tmp_path):
    connection = sqlite3.connect(tmp_path / "catalog.db")
    connection.execute(
        "INSERT INTO iceberg_tables SELECT catalog_name, table_namespace, 'seen', metadata_location, NULL, 'VIEW' "
        "FROM iceberg_tables"
    )
    connection.commit()
    connection.close()
    ours = SqlCatalog("prod", properties)
    assert ours.list_tables("sales.europe") == [("sales", "europe", "orders")]
    assert not ours.table_exists("sales.europe.seen")
    with pytest.raises(NoSuchTableError):
        ours.drop_table("sales.europe.seen")
    with pytest.raises(TableAlreadyExistsError):
        ours.rename_table("sales.europe.orders", "sales.europe.seen")


def test_a_purged_table_leaves_no_file(theirs, properties, tmp_path):
    ours = SqlCatalog("prod", properties)
    ours.purge_table("sales.europe.orders")
    assert not theirs.table_exists("sales.europe.orders")
    assert [path for path in (tmp_path / "warehouse").rglob("*") if path.is_file()] == []


def test_a_purged_table_keeps_data_that_others_may_share(theirs, properties, tmp_path):
    with theirs.load_table("sales.europe.orders").transaction() as transaction:
        transaction.set_properties({"gc.enabled": "false"})
    SqlCatalog("prod", properties).purge_table("sales.europe.orders")
    left = [path for path in (tmp_path / "warehouse").rglob("*") if path.is_file()]
    assert {path.suffix for path in left} == {".parquet"}


def test_a_table_whose_metadata_is_gone_is_told_by_the_file(theirs, properties):
    place = theirs.load_table("sales.europe.orders").metadata_location
    Path(place.removeprefix("file://")).unlink()
    with pytest.raises(NoSuchTableError, match=r"\.metadata\.json"):
        SqlCatalog("prod", properties).load_table("sales.europe.orders")


def test_a_database_that_fails_is_told_without_the_statement(properties, tmp_path):
    (tmp_path / "catalog.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(StorageError, match="not a database") as caught:
        SqlCatalog("prod", properties)
    assert "SELECT" not in str(caught.value)


@pytest.mark.usefixtures("theirs")
def test_a_database_that_is_read_only_is_read(properties, tmp_path):
    uri = f"sqlite:///file:{tmp_path}/catalog.db?mode=ro&uri=true"
    ours = SqlCatalog("prod", properties | {"uri": uri})
    assert ours.load_table("sales.europe.orders").scan().count() == 3
    with pytest.raises(PermissionDeniedError, match="readonly"):
        ours.create_namespace("a")


@pytest.mark.parametrize("namespace", [("a.b",), ("a" * 256,), ("a" * 200, "b" * 55)])
def test_names_that_rows_cannot_hold_are_refused(properties, namespace):
    with pytest.raises(InvalidInputError, match=r"(must not contain dots|at most 255)"):
        SqlCatalog("prod", properties).create_namespace(namespace)


def test_they_read_what_we_wrote_and_go_on_from_it(properties):
    ours = SqlCatalog("prod", properties)
    ours.create_namespace("sales")
    table = ours.create_table("sales.orders", ROWS.schema, partition_spec=["name"])
    table.append(ROWS)
    theirs = TheirCatalog("prod", **properties)
    their_table = theirs.load_table("sales.orders")
    by_id = [("id", "ascending")]
    assert their_table.scan().to_arrow().sort_by(by_id).to_pylist() == ROWS.to_pylist()
    assert str(their_table.spec().fields[0].transform) == "identity"
    their_table.append(ROWS)
    table.append(ROWS)
    assert table.scan().count() == 9
    their_table.refresh()
    assert their_table.scan().to_arrow().num_rows == 9
    with pytest.raises(TableAlreadyExistsError):
        ours.create_table("sales.orders", ROWS.schema)
    theirs.engine.dispose()
