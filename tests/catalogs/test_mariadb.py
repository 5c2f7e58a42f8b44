"""MariaDB takes names that differ by case for one name by default: catalogs are right there, or refused."""

from __future__ import annotations

import pytest
import sqlalchemy as sql
from one_column import SCHEMA, ids, rows
from servers import started

import floeberg as fb
from floeberg.catalog.sql_manifests import SqlManifestStore
from floeberg.errors import UnsupportedError
from tiers import ALL

pytestmark = pytest.mark.skipif(not ALL, reason="MariaDB is a part of `make long`")

AS_PYICEBERG = (
    (
        "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
        "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), "
        "iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name))"
    ),
    (
        "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, "
        "namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL, "
        "PRIMARY KEY (catalog_name, namespace, property_key))"
    ),
)


@pytest.fixture
def server():
    return started("mariadb")


def execute(uri, *statements):
    engine = sql.create_engine(uri)
    with engine.begin() as connection:
        for each in statements:
            connection.execute(sql.text(each))
    engine.dispose()


@pytest.fixture(params=["usual", "exact"])
def known(request, server):
    return server.properties if request.param == "usual" else server.exact


def test_names_that_differ_by_case_or_accents_are_two(known, tmp_path):
    with fb.load_catalog("names", **known, warehouse=tmp_path.as_uri()) as catalog:
        names = ["t", "T", "é", "e", "日本"]
        for each in ("ns", "NS"):
            catalog.create_namespace(each)
        for number, name in enumerate(names):
            catalog.create_table(("ns", name), SCHEMA).append(rows(number))
        assert not catalog.table_exists("NS.t")
        assert catalog.list_tables("ns") == sorted(("ns", name) for name in names)
        assert [ids(catalog.load_table(("ns", name))) for name in names] == [[each] for each in range(5)]
        catalog.drop_table("ns.T")
        assert catalog.table_exists("ns.t") and not catalog.table_exists("ns.T")
        with fb.load_catalog("NAMES", **known) as other:
            assert other.list_namespaces() == []
        for name in catalog.list_tables("ns"):
            catalog.drop_table(name)
        catalog.drop_namespace("NS")
        assert catalog.list_namespaces() == [("ns",)]


def test_tables_that_take_capitals_for_small_letters_are_refused(server, tmp_path):
    server.as_root("CREATE OR REPLACE DATABASE theirs")
    server.as_root("GRANT ALL ON theirs.* TO tests@'127.0.0.1'")
    uri = server.properties["uri"].replace("/usual", "/theirs")
    execute(uri, *AS_PYICEBERG)
    with pytest.raises(UnsupportedError, match=r"latin1_swedish_ci.*ALTER TABLE iceberg_namespace") as caught:
        fb.load_catalog("theirs", type="sql", uri=uri)
    assert "hush-hush" not in str(caught.value)
    for name in ("iceberg_tables", "iceberg_namespace_properties"):
        execute(uri, f"ALTER TABLE {name} CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
    with fb.load_catalog("theirs", type="sql", uri=uri, warehouse=tmp_path.as_uri()) as catalog:
        catalog.create_namespace("ns")
        catalog.create_table("ns.T", SCHEMA)
        assert not catalog.table_exists("ns.t")


def test_manifests_of_lance_are_told_apart_by_case(server):
    store = SqlManifestStore(server.properties["uri"])
    assert store.put_if_absent("s3://b/T", 1, "one") and store.put_if_absent("s3://b/t", 1, "two")
    assert not store.put_if_absent("s3://b/t", 1, "three")
    assert (store.get("s3://b/T", 1), store.get("s3://b/t", 1)) == ("one", "two")
    store.close()
