"""What a server says of itself holds: its defaults, its overrides, its paths, and what it offers."""

from __future__ import annotations

import pickle

import pytest

from floeberg.errors import InvalidDataError, InvalidInputError, NoSuchNamespaceError, UnsupportedError
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, error


def test_defaults_and_overrides_hold(server, load):
    server.config = {"defaults": {"a": "theirs", "b": "theirs"}, "overrides": {"c": "theirs"}}
    catalog = load(b="mine", c="mine")
    assert {key: catalog.properties[key] for key in "abc"} == {"a": "theirs", "b": "mine", "c": "theirs"}
    copy = pickle.loads(pickle.dumps(catalog))
    assert copy.properties == catalog.properties


def test_a_prefix_is_used_as_it_is_sent(server, load):
    server.config = {"defaults": {}, "overrides": {"prefix": "main%7Cwh"}}
    server.says("GET /v1/main%7Cwh/namespaces", Says(200, {"namespaces": [["a"]]}))
    assert load().list_namespaces() == [("a",)]


def test_an_override_of_the_address_holds(server, load):
    server.config = {"defaults": {}, "overrides": {"uri": f"{server.url}/deep"}}
    server.says("GET /deep/v1/namespaces", Says(200, {"namespaces": [["a"]]}))
    assert load().list_namespaces() == [("a",)]


@pytest.mark.parametrize(("separator", "sent"), [(None, "a%1Fb"), ("%2E", "a.b"), ("%1E", "a%1Eb")])
def test_levels_are_joined_by_the_separator_of_the_server(server, load, separator, sent):
    server.config = {"defaults": {}, "overrides": {"namespace-separator": separator} if separator else {}}
    server.says(f"GET /v1/namespaces/{sent}", Says(200, {"namespace": ["a", "b"], "properties": {"x": "1"}}))
    assert load().load_namespace_properties(("a", "b")) == {"x": "1"}


@pytest.mark.parametrize(
    ("name", "sent"),
    [("a b", "a%20b"), ("a/b", "a%2Fb"), ("ä", "%C3%A4"), ("a.b", "a.b"), ("a%2Fb", "a%252Fb"), ("?", "%3F")],
)
def test_names_are_encoded_once(server, load, name, sent):
    server.says(f"GET /v1/namespaces/{sent}", Says(200, {"namespace": [name], "properties": {}}))
    assert load().namespace_exists((name,))


@pytest.mark.parametrize("name", [".", ".."])
def test_names_that_are_steps_of_a_path_are_refused(load, name):
    with pytest.raises(InvalidInputError, match="another path"):
        load().load_table(("ns", name))


def test_a_level_with_the_separator_is_refused(server, load):
    server.config = {"defaults": {}, "overrides": {"namespace-separator": "%2E"}}
    with pytest.raises(InvalidInputError, match="separator"):
        load().namespace_exists(("a.b",))


def test_what_the_server_does_not_offer_is_an_error_that_names_it(server, load):
    server.config = {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/{prefix}/namespaces", 7, "odd"]}
    catalog = load()
    with pytest.raises(
        UnsupportedError, match=r"GET /v1/\{prefix\}/namespaces/\{namespace\}/tables/\{table\}"
    ):
        catalog.load_table("ns.t")
    assert server.asked == []


def test_without_a_list_the_default_endpoints_are_there_and_views_if_said(server, load):
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))
    server.says(f"GET {NAMESPACE}/views", Says(200, {"identifiers": [{"namespace": ["ns"], "name": "v"}]}))
    with pytest.raises(UnsupportedError, match="views"):
        load().list_views("ns")
    assert load(**{"view-endpoints-supported": "true"}).list_views("ns") == [("ns", "v")]


def test_pages_are_read_to_the_end(server, load):
    def page(asked):
        token = asked.path.partition("pageToken=")[2].partition("&")[0]
        number = int(token or 0)
        more = {"next-page-token": str(number + 1)} if number < 2 else {"next-page-token": None}
        return Says(200, {"identifiers": [{"namespace": ["ns"], "name": f"t{number}"}], **more})

    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))
    server.says(f"GET {TABLES}", page)
    assert load(**{"rest-page-size": "1"}).list_tables("ns") == [("ns", f"t{number}") for number in range(3)]
    assert all("pageSize=1" in each.path for each in server.of(f"GET {TABLES}"))


def test_a_page_that_comes_again_and_again_is_an_error(server, load):
    server.says("GET /v1/namespaces", Says(200, {"namespaces": [["a"]], "next-page-token": "same"}))
    with pytest.raises(InvalidDataError, match="again and again"):
        load().list_namespaces()


def test_names_below_a_namespace_that_is_not_there(server, load):
    server.says("GET /v1/namespaces", error(404, "NoSuchNamespaceException"))
    server.says("GET /v1/namespaces/gone", error(404, "NoSuchNamespaceException"))
    with pytest.raises(NoSuchNamespaceError, match="gone"):
        load().list_namespaces("gone")


@pytest.mark.parametrize(
    "config",
    [
        Says(200, b"<html>hello</html>", {"Content-Type": "text/html"}),
        Says(200, b'{"defaults": {'),
        Says(200, [1]),
        Says(200, {"defaults": [], "overrides": 5}),
        Says(200, {"defaults": {}, "overrides": {}, "endpoints": "all"}),
        Says(200, b"[" * 100_000),
    ],
    ids=["html", "cut", "list", "numbers", "text", "deep"],
)
def test_what_is_no_configuration_is_an_error(server, load, config):
    server.config = config
    with pytest.raises(InvalidDataError):
        load()


def test_headers_go_with_each_request(server, load):
    server.says("GET /v1/namespaces", Says(200, {"namespaces": []}))
    load(**{"header.X-Team": "ice"}).list_namespaces()
    (asked,) = server.asked
    assert asked.headers["x-team"] == "ice"
    assert asked.headers["x-iceberg-access-delegation"] == "vended-credentials"
    load(**{"header.X-Iceberg-Access-Delegation": "remote-signing"}).list_namespaces()
    assert server.asked[-1].headers["x-iceberg-access-delegation"] == "remote-signing"
