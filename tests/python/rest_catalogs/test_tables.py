"""Tables as a server hands them out: tags, options, format versions, and planning that it demands."""

from __future__ import annotations

import gc
import pickle
import time

import pyarrow as pa
import pytest

from floeberg.errors import (
    CommitStateUnknownError,
    InvalidDataError,
    NoSuchTableError,
    StorageError,
    UnsupportedError,
)
from floeberg.storage_options import PROVIDER, refresh_storage_options
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, error

SCHEMA = pa.schema({"id": pa.int64()})


@pytest.fixture(autouse=True)
def _namespace(server):
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))


def test_a_table_that_did_not_change_comes_without_its_metadata(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable({"ETag": '"one"'}), Says(304), loadable({"ETag": '"two"'}))
    table = load().load_table("ns.t")
    before = table._inner
    assert table.refresh()._inner is before
    table.refresh()
    assert [each.headers.get("if-none-match") for each in server.asked] == [None, '"one"', '"one"']
    assert table.scan().count() == 2


def test_options_of_the_longest_prefix_are_those_of_the_files(server, load, loadable):
    location = loadable().body["metadata"]["location"]
    credentials = [
        {"prefix": "s3://other", "config": {"s3.session-token": "other"}},
        {"prefix": location, "config": {"s3.session-token": "hush"}},
        {"prefix": location[:5], "config": {"s3.session-token": "short"}},
    ]
    config = {"s3.region": "here", "token": "secret", "s3.session-token": "config"}
    server.says(f"GET {TABLES}/t", loadable(config=config, **{"storage-credentials": credentials}))
    table = load(**{"s3.endpoint": "http://e"}).load_table("ns.t")
    options = {"s3.endpoint": "http://e", "s3.region": "here", "s3.session-token": "hush"}
    assert dict(table._inner.storage_options) == options


def test_no_secret_of_the_catalog_is_in_what_goes_to_workers(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable())
    catalog = load(token="hush", **{"header.X-Key": "hush", "oauth2-server-uri": "hush", "scope": "hush"})
    table = catalog.load_table("ns.t")
    scan = table.scan()
    for each in (scan, scan.plan_files().split(1)[0], table.write_recipe()):
        assert b"hush" not in pickle.dumps(each)
    assert "hush" not in repr(catalog) + repr(table) + repr(scan)


def vended(location, token, seconds):
    ends = str(int((time.time() + seconds) * 1000))
    return [
        {"prefix": location, "config": {"s3.session-token": token, "s3.session-token-expires-at-ms": ends}}
    ]


@pytest.mark.parametrize("offers", [True, False])
def test_options_that_end_are_renewed(server, load, loadable, offers):
    location = loadable().body["metadata"]["location"]
    if offers:
        table_path = "/v1/{prefix}/namespaces/{namespace}/tables/{table}"
        server.config["endpoints"] = [f"GET {table_path}", f"GET {table_path}/credentials"]
    first = loadable(**{"storage-credentials": vended(location, "one", 1)})
    second = vended(location, "two", 3600)
    server.says(f"GET {TABLES}/t", first, loadable(**{"storage-credentials": second}))
    server.says(f"GET {TABLES}/t/credentials", Says(200, {"storage-credentials": second}))
    catalog = load()
    table = catalog.load_table("ns.t")
    options = dict(table._inner.storage_options)
    assert (options["s3.session-token"], PROVIDER in options) == ("one", True)
    renewed = refresh_storage_options(options)
    assert renewed["s3.session-token"] == "two"
    assert len(server.of(f"GET {TABLES}/t/credentials")) == int(offers)
    # A scan goes on with them after the first ones have ended.
    assert table.scan().count() == 2
    assert "hush" not in repr(options)
    # A report on its way has the catalog, too.
    catalog.close()
    del table, catalog
    gc.collect()
    with pytest.raises(StorageError, match="is gone"):
        refresh_storage_options(options)


def test_a_provider_of_the_users_stays(server, load, loadable):
    location = loadable().body["metadata"]["location"]
    server.says(f"GET {TABLES}/t", loadable(**{"storage-credentials": vended(location, "one", 3600)}))
    table = load(**{PROVIDER: "mine:own"}).load_table("ns.t")
    assert table._inner.storage_options[PROVIDER] == "mine:own"


@pytest.mark.parametrize(
    "credentials", [5, [{"config": {}}], ["x"], [{"prefix": 5}], [{"prefix": "/", "config": [1]}]]
)
def test_credentials_of_another_form_are_an_error(server, load, loadable, credentials):
    server.says(f"GET {TABLES}/t", loadable(**{"storage-credentials": credentials}))
    with pytest.raises(InvalidDataError):
        load().load_table("ns.t")


@pytest.mark.parametrize("missing", ["metadata", "metadata-location"])
def test_an_answer_without_a_table_is_an_error(server, load, loadable, missing):
    says = loadable()
    del says.body[missing]
    server.says(f"GET {TABLES}/t", says)
    with pytest.raises(InvalidDataError, match="metadata"):
        load().load_table("ns.t")


def test_a_server_that_demands_to_plan_is_not_passed_by(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable(config={"scan-planning-mode": "server"}))
    # The server offers only what the specification says of one that sends no list.
    with pytest.raises(UnsupportedError, match="does not offer POST"):
        load().load_table("ns.t")


def test_a_lower_format_version_is_not_taken(server, load, loadable):
    server.says(f"GET {TABLES}/t", error(404, "NoSuchTableException"))
    server.says(f"POST {TABLES}", loadable())
    server.says(f"DELETE {TABLES}/t", Says(204))
    with pytest.raises(UnsupportedError, match="format version 2 where 3 is asked for"):
        load().create_table("ns.t", SCHEMA, format_version=3)
    assert len(server.of(f"DELETE {TABLES}/t")) == 1
    # Of a staged table the server keeps nothing.
    with pytest.raises(UnsupportedError, match="format version 2"):
        load().create_table("ns.t", as_select=pa.table({"id": [1]}), format_version=3)
    assert len(server.of(f"DELETE {TABLES}/t")) == 1


def test_a_creation_says_what_the_table_is(server, load, loadable):
    server.says(f"GET {TABLES}/t", error(404, "NoSuchTableException"))
    server.says(f"POST {TABLES}", loadable())
    load().create_table(
        "ns.t", SCHEMA, partition_spec=["bucket(4, id)"], sort_order=["id desc"], properties={"a": "b"}
    )
    (asked,) = server.of(f"POST {TABLES}")
    body = asked.json
    assert (body["name"], body["stage-create"], "location" in body) == ("t", False, False)
    assert body["properties"] == {"a": "b", "format-version": "2"}
    assert [each["name"] for each in body["schema"]["fields"]] == ["id"]
    assert [each["transform"] for each in body["partition-spec"]["fields"]] == ["bucket[4]"]
    assert [each["direction"] for each in body["write-order"]["fields"]] == ["desc"]
    load().create_table("ns.t", SCHEMA, location="s3://bucket/t")
    body = server.asked[-1].json
    assert body["location"] == "s3://bucket/t"
    assert not {"partition-spec", "write-order"} & set(body)


def test_a_purge_is_the_servers(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable())
    server.says(f"DELETE {TABLES}/t", Says(204))
    catalog = load()
    with pytest.raises(UnsupportedError, match="outside"):
        catalog.purge_table("ns.t", outside=True)
    assert catalog.purge_table("ns.t") == []
    catalog.drop_table("ns.t")
    asked = [each.path.partition("?")[2] for each in server.of(f"DELETE {TABLES}/t")]
    assert asked == ["purgeRequested=true", "purgeRequested=false"]


def test_a_table_that_is_not_there_says_so(server, load):
    server.says(f"GET {TABLES}/t", error(404, "NoSuchTableException"))
    server.says(f"GET {TABLES}", Says(200, {"identifiers": [{"namespace": ["ns"], "name": "tt"}]}))
    with pytest.raises(NoSuchTableError, match=r"near matches: 'ns\.tt'"):
        load().load_table("ns.t")


def test_a_commit_whose_answer_cannot_be_used_is_of_unknown_outcome(server, load, loadable, tmp_path):
    """It was made: no file of it is removed."""
    staged = loadable()
    staged.body["metadata"]["location"] = str(tmp_path / "new")
    server.says(f"GET {TABLES}/t", error(404, "NoSuchTableException"))
    server.says(f"POST {TABLES}", staged)
    server.says(f"POST {TABLES}/t", loadable(config={"scan-planning-mode": "server"}))
    with pytest.raises(CommitStateUnknownError, match="a commit was made"):
        load().create_table("ns.t", as_select=pa.table({"id": [1]}))
    assert list((tmp_path / "new").rglob("*.parquet"))
