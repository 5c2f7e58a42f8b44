"""What becomes of connections to a database that is a server?"""

from __future__ import annotations

import gc

import pytest
from servers import started

import floeberg as fb


@pytest.fixture
def server():
    return started("postgresql")


@pytest.fixture
def connections(server):
    """How many others the server has."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg, the driver of PostgreSQL, is not installed")
    address = server.properties["uri"].replace("+psycopg", "")
    asks = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"

    def count() -> int:
        with psycopg.connect(address) as connection:
            return connection.execute(asks).fetchone()[0]

    return count


@pytest.mark.filterwarnings("error")
def test_a_catalog_that_nobody_has_any_more_holds_no_connection(server, connections):
    gc.collect()
    before = connections()
    catalog = fb.load_catalog("left", **server.properties)
    assert catalog.list_namespaces() == []
    assert connections() == before + 1
    del catalog
    gc.collect()
    assert connections() == before


def test_a_database_that_was_started_again_is_used_without_an_error(server):
    with fb.load_catalog("again", **server.properties) as catalog:
        catalog.create_namespace_if_not_exists("kept")
        server.process.kill(server.crash)
        server.process.start()
        assert catalog.list_namespaces() == [("kept",)]
        catalog.drop_namespace("kept")
