"""A wire and a server that fail: what is sent again, what is unknown, and where no credential goes."""

from __future__ import annotations

import base64
import os
import traceback
from pathlib import Path

import pyarrow as pa
import pytest

from floeberg.catalog.rest import client
from floeberg.errors import (
    CommitStateUnknownError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NamespaceAlreadyExistsError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, ScriptedServer, error

SCHEMA = pa.schema({"id": pa.int64()})
KEYS = {"defaults": {}, "overrides": {}, "idempotency-key-lifetime": "PT30M"}


@pytest.fixture
def namespace(server):
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))


@pytest.mark.parametrize("first", [Says(0), error(503), error(502), error(504), error(429, Retry_After="7")])
def test_what_changes_nothing_is_sent_again(server, load, waits, first):
    server.says("GET /v1/namespaces", first, Says(200, {"namespaces": [["a"]]}))
    assert load().list_namespaces() == [("a",)]
    assert len(waits) == 1
    assert waits[0] == 7 if first.status == 429 else waits[0] < 7


@pytest.mark.parametrize("always", [Says(0), error(503), error(500), error(429)])
def test_it_is_not_sent_for_ever(server, load, waits, always):
    server.says("GET /v1/namespaces", always)
    with pytest.raises(StorageError) as caught:
        load().list_namespaces()
    assert caught.value.retryable
    assert len(waits) == (0 if always.status == 500 else 5)


def test_a_long_wait_is_not_waited_for(server, load, waits):
    server.says("GET /v1/namespaces", error(429, Retry_After="100000"))
    with pytest.raises(StorageError, match="429"):
        load().list_namespaces()
    assert waits == [60] * 5


@pytest.mark.usefixtures("namespace")
def test_too_many_requests_is_the_only_refusal_that_a_change_is_sent_again_for(server, load, waits):
    server.says("POST /v1/namespaces", error(429, Retry_After="2"), Says(200, {"namespace": ["a"]}))
    load().create_namespace("a")
    assert waits == [2]


@pytest.mark.parametrize("first", [Says(0), error(500), error(502), error(503), error(504)])
def test_a_change_whose_outcome_is_unknown_is_looked_for(server, load, waits, first):
    there = Says(200, {"namespace": ["a"], "properties": {}})
    server.says("POST /v1/namespaces", first)
    server.says("GET /v1/namespaces/a", error(404, "NoSuchNamespaceException"), there)
    load().create_namespace("a")
    assert len(server.of("POST /v1/namespaces")) == 1
    server.says("GET /v1/namespaces/a", error(404, "NoSuchNamespaceException"))
    with pytest.raises(StorageError, match="no answer says") as caught:
        load().create_namespace("a")
    assert caught.value.outcome_unknown
    assert waits == []


def test_with_keys_a_change_is_sent_again_with_the_same_key(server, load, waits):
    server.config = KEYS
    server.says("GET /v1/namespaces/a", error(404, "NoSuchNamespaceException"))
    server.says("POST /v1/namespaces", Says(0), error(503), Says(200, {"namespace": ["a"]}))
    load().create_namespace("a")
    keys = [each.headers["idempotency-key"] for each in server.of("POST /v1/namespaces")]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert keys[0][14] == "7"
    assert len(waits) == 2
    server.says("POST /v1/namespaces", Says(200, {"namespace": ["b"]}))
    server.says("GET /v1/namespaces/b", error(404, "NoSuchNamespaceException"))
    load().create_namespace("b")
    assert server.asked[-1].headers["idempotency-key"] not in keys


@pytest.mark.usefixtures("namespace")
@pytest.mark.parametrize("first", [Says(0), error(500), error(503), Says(200, b"<html>")])
def test_an_unknown_creation_says_so(server, load, first):
    server.says(f"POST {TABLES}", first)
    server.says(f"GET {TABLES}/t", error(404, "NoSuchTableException"))
    with pytest.raises(CommitStateUnknownError, match=r"ns\.t"):
        load().create_table("ns.t", SCHEMA)
    assert len(server.of(f"POST {TABLES}")) == 1


@pytest.mark.usefixtures("namespace")
def test_a_commit_that_is_refused_changes_nothing(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable())
    server.says(f"POST {TABLES}/t", error(400, "BadRequestException", "wrong field"))
    table = load().load_table("ns.t")
    with pytest.raises(InvalidInputError, match="wrong field"):
        table.set_properties({"a": "b"})
    assert len(server.of(f"POST {TABLES}/t")) == 1


def test_an_answer_that_does_not_end_is_cut(server, load, monkeypatch):
    monkeypatch.setattr(client, "_MOST_BYTES", 1000)
    server.says("GET /v1/namespaces", Says(200, b" " * 5000))
    with pytest.raises(StorageError, match="more than 1000 bytes"):
        load().list_namespaces()
    assert len(server.asked) == 1


def test_an_answer_that_is_cut_off_is_asked_for_again(server, load, waits):
    server.says("GET /v1/namespaces", Says(200, b'{"names', length=500), Says(200, {"namespaces": []}))
    assert load().list_namespaces() == []
    assert len(waits) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_credential_follows_a_redirect(server, load, status):
    other = ScriptedServer()
    server.says("GET /v1/namespaces", Says(status, None, {"Location": f"{other.url}/v1/namespaces"}))
    try:
        with pytest.raises(InvalidInputError, match=f"redirects to {other.url.removeprefix('http://')}"):
            load(token="hush").list_namespaces()
        assert other.asked == []
    finally:
        other.stop()


@pytest.mark.parametrize(
    ("says", "kind", "match"),
    [
        (error(401, "NotAuthorizedException"), PermissionDeniedError, "401"),
        (error(403, "ForbiddenException"), PermissionDeniedError, "403"),
        (error(406), UnsupportedError, "406"),
        (error(400, message="bad"), InvalidInputError, "bad"),
        (Says(418, b"<html>teapot</html>"), InvalidInputError, "teapot"),
        (Says(400, b'{"error": "text"}'), InvalidInputError, "400"),
        (Says(200, b"<html>"), InvalidDataError, "JSON"),
        (Says(200, {"namespaces": 5}), InvalidDataError, "namespaces"),
    ],
)
def test_each_answer_has_its_error(server, load, says, kind, match):
    server.says("GET /v1/namespaces", says)
    with pytest.raises(kind, match=match):
        load().list_namespaces()


def test_a_name_that_is_taken_meanwhile_says_so(server, load):
    server.says("GET /v1/namespaces/a", error(404, "NoSuchNamespaceException"))
    server.says("POST /v1/namespaces", error(409, "AlreadyExistsException"))
    with pytest.raises(NamespaceAlreadyExistsError):
        load().create_namespace("a")


@pytest.mark.parametrize("value", ["hush\nhush", "hushé", "hush\x00"])
@pytest.mark.parametrize("name", ["header.X-Odd", "token"])
def test_headers_that_cannot_be_sent_are_an_error(load, name, value):
    with pytest.raises(InvalidInputError, match="cannot be sent") as caught:
        load(**{name: value})
    assert "hush" not in "".join(str(each) for each in (caught.value, caught.value.__cause__))


def test_a_token_of_a_file_ends_before_its_line_break(server, load):
    server.says("GET /v1/namespaces", Says(200, {"namespaces": []}))
    load(token="word\n").list_namespaces()
    assert server.asked[0].headers["authorization"] == "Bearer word"


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_what_a_server_repeats_is_not_shown(server, load, waits, status):
    def repeats(asked):
        return error(status, message=f"{asked.headers['authorization']} {asked.headers['x-key']}")

    server.says("GET /v1/namespaces", repeats)
    server.says("POST /v1/namespaces", repeats)
    server.says("GET /v1/namespaces/a", error(404, "NoSuchNamespaceException"))
    secret, key = (base64.b32encode(os.urandom(10)).decode() for _ in range(2))
    catalog = load(token=secret, **{"header.X-Key": key})
    for ask in (catalog.list_namespaces, lambda: catalog.create_namespace("a")):
        with pytest.raises(FloebergError) as caught:
            ask()
        shown = "".join(traceback.format_exception(caught.value))
        assert secret not in shown
        assert key not in shown
    assert waits == []


def test_an_address_that_is_no_proxy_does_not_show_its_password(load):
    with pytest.raises(InvalidInputError, match=r"rest\.proxy") as caught:
        load(**{"rest.proxy": "odd://me:hush@host"})
    assert "hush" not in str(caught.value)


def test_a_query_of_an_address_is_not_shown(server, load):
    server.says("POST /tokens", error(400))
    with pytest.raises(InvalidInputError) as caught:
        load(credential="a:bcde", **{"oauth2-server-uri": f"{server.url}/tokens?key=hush"})
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("name", ["rest.client.socket-timeout-ms", "rest.client.connection-timeout-ms"])
@pytest.mark.parametrize("value", ["0", "-1", "1s", ""])
def test_times_are_milliseconds(load, name, value):
    with pytest.raises(InvalidInputError, match=name):
        load(**{name: value})


def test_certificates_that_are_not_there_are_an_error(load):
    with pytest.raises(InvalidInputError, match="certificates"):
        load(**{"ssl.cabundle": "/no/such/file.pem"})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_connections_of_its_own(server, load):
    server.says("GET /v1/namespaces", Says(200, {"namespaces": [["a"]]}))
    catalog = load()
    assert catalog.list_namespaces() == [("a",)]
    child = os.fork()
    if not child:
        try:
            os._exit(0 if catalog.list_namespaces() == [("a",)] else 1)
        except FloebergError:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert catalog.list_namespaces() == [("a",)]


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("status", [302, 303, 402, 408, 410, 412, 423, 425, 499, 507])
def test_a_status_that_the_specification_does_not_have_decides_nothing(server, load, loadable, status):
    """What stands before a server may answer so after the commit was made: no file of it is removed."""
    server.says(f"GET {TABLES}/t", loadable())
    server.says(f"POST {TABLES}/t", error(status))
    table = load().load_table("ns.t")
    before = set(Path(table.location()).rglob("*.parquet"))
    with pytest.raises(CommitStateUnknownError):
        table.append(pa.table({"id": [1]}))
    assert set(Path(table.location()).rglob("*.parquet")) > before
