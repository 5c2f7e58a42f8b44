"""Endpoints that not all servers have: functions, leaving a catalog, tables of views, and what is not offered."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, unquote

import pyarrow as pa
import pytest

from floeberg.errors import (
    InvalidDataError,
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NotFoundError,
    StorageError,
    UnsupportedError,
)
from floeberg.udf import UdfMetadata
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, error

PATH = "/v1/{prefix}/namespaces/{namespace}"
OFFERED = [
    f"GET {PATH}/functions",
    f"GET {PATH}/functions/{{function}}",
    f"GET {PATH}/tables/{{table}}",
    f"POST {PATH}/tables/{{table}}/unregister",
]
UNREGISTER = f"POST {TABLES}/t/unregister"


@pytest.fixture
def catalog(server, load):
    server.config["endpoints"] = OFFERED
    return load()


def test_functions_are_listed_page_by_page(server, catalog):
    first = {"identifiers": [["ns", "b"]], "next-page-token": "two"}
    server.says(f"GET {NAMESPACE}/functions", Says(200, first), Says(200, {"identifiers": [["ns", "a"]]}))
    assert catalog.list_functions("ns") == [("ns", "a"), ("ns", "b")]
    assert [parse_qs(each.path.partition("?")[2]).get("pageToken") for each in server.asked] == [
        None,
        ["two"],
    ]


def test_a_function_is_loaded_with_its_definitions(server, catalog):
    metadata = {
        "function-uuid": "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2",
        "format-version": 1,
        "definitions": [{"definition-id": "int", "return-type": "int"}],
        "definition-log": [],
    }
    server.says(
        f"GET {NAMESPACE}/functions/f%2Fg", Says(200, {"metadata": metadata, "metadata-location": "s3://f"})
    )
    found = catalog.load_function(("ns", "f/g"))
    assert (found.identifier, found.metadata_location) == (("ns", "f/g"), "s3://f")
    assert found.definitions == [{"definition-id": "int", "return-type": "int"}]
    assert found.metadata == metadata
    with pytest.raises(InvalidDataError, match=r"definitions\[0\].parameters is missing"):
        _ = found.udf
    definition = UdfMetadata.new().with_definition({}, "int", sql={"spark": "1"})
    server.says(f"GET {NAMESPACE}/functions/g", Says(200, {"metadata": json.loads(definition.to_json())}))
    assert catalog.load_function("ns.g").udf == definition


def test_functions_that_are_not_there(server, catalog):
    server.says(f"GET {NAMESPACE}/functions", error(404, "NoSuchNamespaceException"))
    server.says(f"GET {NAMESPACE}/functions/f", error(404, "NoSuchFunctionException"))
    with pytest.raises(NoSuchNamespaceError, match="ns"):
        catalog.list_functions("ns")
    with pytest.raises(NotFoundError, match=r"no function 'ns\.f'"):
        catalog.load_function("ns.f")


@pytest.mark.parametrize("body", [{}, {"metadata": 5}, {"metadata": {"definitions": 5}}])
def test_an_answer_without_a_function_is_an_error(server, catalog, body):
    server.says(f"GET {NAMESPACE}/functions/f", Says(200, body))
    with pytest.raises(InvalidDataError, match="definitions"):
        catalog.load_function("ns.f")


@pytest.mark.parametrize("listed", [["text"], [[]], [[5]], [{"namespace": ["ns"], "name": "f"}]])
def test_names_of_functions_of_another_form_are_an_error(server, catalog, listed):
    server.says(f"GET {NAMESPACE}/functions", Says(200, {"identifiers": listed}))
    with pytest.raises(InvalidDataError, match="lists of names"):
        catalog.list_functions("ns")


def test_a_table_that_leaves_the_catalog_says_its_metadata_file(server, catalog, loadable):
    says = loadable()
    server.says(UNREGISTER, says)
    assert catalog.unregister_table("ns.t") == says.body["metadata-location"]
    server.says(UNREGISTER, error(404, "NoSuchTableException"))
    with pytest.raises(NoSuchTableError, match=r"ns\.t"):
        catalog.unregister_table("ns.t")
    server.says(UNREGISTER, Says(0))
    with pytest.raises(StorageError, match="no answer says") as caught:
        catalog.unregister_table("ns.t")
    assert caught.value.outcome_unknown
    server.says(UNREGISTER, Says(200, {}))
    with pytest.raises(InvalidDataError, match="was removed from the catalog"):
        catalog.unregister_table("ns.t")


def test_servers_of_today_have_neither(load):
    catalog = load()
    for ask in (catalog.list_functions, lambda _: catalog.load_function("ns.f"), catalog.unregister_table):
        with pytest.raises(UnsupportedError, match=r"does not offer (GET|POST) /v1/\{prefix\}/namespaces/"):
            ask("ns.t")


def test_the_views_that_a_table_is_loaded_for_are_named(server, catalog, loadable):
    server.says(f"GET {TABLES}/t", loadable())
    table = catalog.load_table("ns.t", referenced_by=["prod.analytics.quarterly", ("prod", "a,b")])
    table.refresh()
    assert table.scan().count() == 2
    for asked in server.of(f"GET {TABLES}/t"):
        query = asked.path.partition("?")[2]
        (value,) = [each.partition("=")[2] for each in query.split("&") if each.startswith("referenced-by=")]
        # A server decodes the query once, splits it at commas, and decodes the names.
        views = [tuple(map(unquote, each.split("\x1f"))) for each in unquote(value).split(",")]
        assert views == [("prod", "analytics", "quarterly"), ("prod", "a,b")]
    assert catalog.load_table("ns.t").scan().count() == 2
    assert "referenced-by" not in server.asked[-1].path


def test_a_view_that_a_table_is_loaded_for_is_checked(catalog):
    with pytest.raises(InvalidInputError, match="referenced_by"):
        catalog.load_table("ns.t", referenced_by=[("",)])


@pytest.mark.parametrize("status", [405, 406, 501])
def test_what_a_server_answers_that_it_does_not_offer_names_the_endpoint(server, load, status):
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))
    server.says("GET /v1/namespaces", error(status, message="not here"))
    server.says("POST /v1/namespaces", error(status))
    server.says("GET /v1/namespaces/a", error(404, "NoSuchNamespaceException"))
    catalog = load()
    with pytest.raises(
        UnsupportedError,
        match=rf"does not offer GET /v1/\{{prefix\}}/namespaces: it answered {status}: not here",
    ):
        catalog.list_namespaces()
    with pytest.raises(UnsupportedError, match=rf"POST /v1/\{{prefix\}}/namespaces: it answered {status}"):
        catalog.create_namespace("a")


def test_a_commit_that_a_server_does_not_offer_changed_nothing(server, load, loadable, tmp_path):
    server.says(f"GET {TABLES}/t", loadable())
    server.says(f"POST {TABLES}/t", error(501))
    table = load().load_table("ns.t")
    before = sorted(tmp_path.rglob("*.parquet"))
    with pytest.raises(UnsupportedError, match="501"):
        table.append(pa.table({"id": [3]}))
    assert sorted(tmp_path.rglob("*.parquet")) == before


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Table requires the endpoint /v2/{prefix}/namespaces/{namespace}/tables/{table}", UnsupportedError),
        ("use /v2 to load this table", UnsupportedError),
        ("format-version v2 is wrong", InvalidInputError),
        ("no file at s3://bucket/v2.metadata.json", InvalidInputError),
        ("s3://bucket/v2/data", InvalidInputError),
    ],
)
def test_a_table_of_later_endpoints_says_so(server, load, message, kind):
    server.says(f"GET {TABLES}/t", error(400, "BadRequestException", message))
    with pytest.raises(kind) as caught:
        load().load_table("ns.t")
    assert message in str(caught.value)
    assert ("endpoints of version 2" in str(caught.value)) == (kind is UnsupportedError)


def test_a_warehouse_is_sent_as_it_is(server, load):
    paths = []
    answer = server.answer
    server.answer = lambda asked: paths.append(asked.path) or answer(asked)
    load(warehouse="arn:aws:s3tables:eu:1:bucket/ä b")
    assert [parse_qs(each.partition("?")[2])["warehouse"] for each in paths] == [
        ["arn:aws:s3tables:eu:1:bucket/ä b"]
    ]
