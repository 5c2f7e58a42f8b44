"""Requests to S3 that the server of a catalog signs: the store takes no others."""

from __future__ import annotations

import json
import time

import pyarrow as pa
import pytest

import floeberg as fb
from far_store_tables import fresh
from far_stores.signing import TOKEN, CheckedS3, Signer
from floeberg.errors import InvalidInputError, PermissionDeniedError, StorageError, UnsupportedError
from rest_catalogs.scripted import TABLES, Says, ScriptedServer

TABLE = "/v1/{prefix}/namespaces/{namespace}/tables/{table}"


@pytest.fixture(scope="module")
def signing_server():
    """The signer of all tests: what a test wrote is checked when its own fixtures are gone."""
    signer = Signer()
    yield signer
    signer.stop()


@pytest.fixture
def signer(signing_server):
    signing_server.asked.clear()
    signing_server.refuses, signing_server.keeps, signing_server.token = lambda _: None, "", TOKEN
    yield signing_server
    signing_server.refuses = lambda _: None


@pytest.fixture
def signed(far, place, signer, monkeypatch):
    """A table that was written with keys, in a store that takes signed requests from now on; and how it is opened."""
    location = place.files(count=4).metadata_location
    checked = CheckedS3(far.s3, far.url)
    monkeypatch.setattr(far, "s3", checked)
    options = {
        "s3.endpoint": far.url,
        "s3.region": "us-east-1",
        "s3.remote-signing-enabled": "true",
        "s3.signer.uri": signer.url,
        "s3.signer.token": TOKEN,
    }

    def opened(**more):
        return fb.open_table(location, storage_options={**options, **fresh(), **more})

    opened.checked, opened.options = checked, options
    return opened


def everything_said(failure):
    return "\n".join([str(failure), *getattr(failure, "__notes__", ())])


def test_the_store_refuses_what_is_not_signed(place, signed):
    with pytest.raises(PermissionDeniedError):
        place.open()
    assert signed.checked.checked == 0


def test_a_table_is_read_by_signed_requests(signed, signer):
    assert signed().scan().to_arrow().num_rows == 40
    assert signed.checked.checked == len(signer.asked)
    body, headers = signer.asked[-1]
    assert (body["method"], body["region"], body["provider"]) == ("GET", "us-east-1", "s3")
    assert not body["headers"].keys() & {"range", "authorization", "user-agent"}
    assert headers["content-type"] == "application/json"


def test_signatures_are_kept_where_the_signer_says_so(signed, signer):
    signer.keeps = "private"
    table = signed()
    assert table.scan().to_arrow().num_rows == 40
    asked = len(signer.asked)
    assert table.scan().to_arrow().num_rows == 40
    assert len(signer.asked) == asked
    signer.keeps = "no-store"
    assert signed().scan().to_arrow().num_rows == 40
    assert len(signer.asked) > asked


def test_tables_are_written_by_signed_requests(place, signed, signer):
    properties = {"warehouse": f"{place.folder}/signed"} | signed.options
    catalog = fb.load_catalog("signed", type="filesystem", **properties)
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": list(range(1000))}))
    table.delete("id < 10")
    assert catalog.load_table("db.t").scan().count() == 990
    assert "if-none-match" in {name for body, _ in signer.asked for name in body["headers"]}
    catalog.purge_table("db.t")
    assert {body["method"] for body, _ in signer.asked} >= {"GET", "PUT", "DELETE"}


def test_the_signer_gets_what_its_server_asked_for(signed, signer):
    more = {
        "s3.signer.headers": json.dumps({"x-warehouse": ["lake"]}),
        "s3.signer.properties": json.dumps({"table": "db.t"}),
    }
    signed(**more)
    body, headers = signer.asked[-1]
    assert body["properties"] == {"table": "db.t"}
    assert headers["x-warehouse"] == "lake"


def test_a_refusal_says_who_refused(signed, signer):
    table = signed()
    signer.refuses = lambda body: (403, "no lists") if body["method"] == "GET" else None
    with pytest.raises(PermissionDeniedError) as failure:
        table.scan().to_arrow()
    assert "the server that signs requests refused" in everything_said(failure.value)
    assert TOKEN not in everything_said(failure.value)
    with pytest.raises(PermissionDeniedError):
        signed(**{"s3.signer.token": "another"})


def test_a_signer_that_fails_is_asked_again(signed, signer):
    failures = iter([(503, "busy"), (500, "broken")])
    signer.refuses = lambda _: next(failures, None)
    assert signed().scan().to_arrow().num_rows == 40


@pytest.mark.parametrize(
    ("wrong", "failure", "match"),
    [
        ({"s3.signer.uri": ""}, InvalidInputError, r"s3\.signer\.uri"),
        ({"s3.signer.uri": "ftp://x"}, InvalidInputError, r"s3\.signer\.uri"),
        ({"s3.signer.headers": "x"}, InvalidInputError, r"s3\.signer\.headers"),
        ({"s3.signer.properties": "[]"}, InvalidInputError, r"s3\.signer\.properties"),
        ({"s3.signer.uri": "http://127.0.0.1:9", "io.retries": "0"}, StorageError, "the store failed"),
    ],
)
def test_options_that_cannot_be_used_are_an_error(signed, wrong, failure, match):
    with pytest.raises(failure, match=match):
        signed(**wrong)


def test_an_answer_that_is_no_signature_is_an_error(signed, signer, monkeypatch):
    monkeypatch.setattr(signer, "answer", lambda *_: (200, {"headers": {}}))
    with pytest.raises(StorageError) as failure:
        signed(**{"io.retries": "0"})
    assert "the answer of the signer" in everything_said(failure.value)


@pytest.fixture
def rest(signed):
    """The table behind a server of the REST catalog specification that says where requests are signed."""
    table = signed()
    server = ScriptedServer()
    config = {"s3.endpoint": signed.options["s3.endpoint"], "s3.region": "us-east-1", "token": TOKEN}
    config |= {"s3.remote-signing-enabled": "true"}

    def load(sent=None, given=None, **more):
        body = {
            "metadata-location": table.metadata_location,
            "metadata": json.loads(table._inner.metadata_json()),
            "config": config | (sent or {}),
            **more,
        }
        server.says(f"GET {TABLES}/t", Says(200, body))
        properties = {"type": "rest", "uri": server.url, **(given or {"token": "of the catalog"}), **fresh()}
        return fb.load_catalog("signing", **properties).load_table("ns.t")

    load.server = server
    yield load
    server.stop()


def test_a_server_names_its_signer(rest, signer):
    base, _, endpoint = signer.url.partition("/v1/")
    named = {"signer.uri": base, "signer.endpoint": f"v1/{endpoint}"}
    assert rest(named).scan().to_arrow().num_rows == 40
    older = {f"s3.{name}": value for name, value in named.items()}
    assert rest(older).scan().to_arrow().num_rows == 40
    sent = {"headers": {"x-lake": ["a"]}, "properties": {"table": "t"}}
    assert rest({"signer.endpoint": signer.url}, **{"remote-signing-config": sent}).scan().count() == 40
    signer.asked.clear()
    assert rest({"signer.endpoint": signer.url}, **{"remote-signing-config": sent}).scan().to_arrow().num_rows
    body, headers = signer.asked[-1]
    assert (body["properties"], headers["x-lake"]) == ({"table": "t"}, "a")


@pytest.mark.parametrize(
    ("offered", "path"),
    [(None, "/v1/aws/s3/sign"), (f"POST {TABLE}/sign", f"{TABLES}/t/sign")],
)
def test_a_signer_that_is_not_named_is_the_server_itself(rest, signer, offered, path):
    """The one of the specification where the server offers it, or that of older servers."""
    server = rest.server
    if offered is not None:
        server.config = {"defaults": {}, "overrides": {}, "endpoints": [f"GET {TABLE}", offered]}
    server.says(f"POST {path}", lambda asked: Says(*signer.answer(asked.json, asked.headers)))
    assert rest().scan().to_arrow().num_rows == 40


def test_workers_get_a_token_and_no_credential(rest, signer):
    options = rest({"signer.endpoint": signer.url})._inner.storage_options
    assert options["s3.signer.token"] == TOKEN
    assert "of the catalog" not in options.values()
    basic = {"rest.auth.type": "basic", "rest.auth.basic.username": "u", "rest.auth.basic.password": "p"}
    with pytest.raises(UnsupportedError, match="bearer token"):
        rest({"signer.endpoint": signer.url}, basic)


def test_a_token_that_ends_is_renewed_for_the_signer(rest, signer):
    lives = {"access_token": "first", "expires_in": 2}
    rest.server.says("POST /v1/oauth/tokens", lambda _: Says(200, lives))
    signer.token = "first"
    table = rest({"signer.endpoint": signer.url, "token": ""}, {"credential": "id:secret"})
    assert table.scan().to_arrow().num_rows == 40
    lives |= {"access_token": "second", "expires_in": 3600}
    signer.token = "second"
    time.sleep(2.1)
    assert table.scan().to_arrow().num_rows == 40
