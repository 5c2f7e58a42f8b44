"""Tokens that are exchanged, tokens of tables, and tokens that end in the middle of work."""

from __future__ import annotations

import base64
import json
import logging
import os
import time
import traceback
from urllib.parse import parse_qs

import pyarrow as pa
import pytest

from floeberg.catalog.rest import tokens
from floeberg.errors import FloebergError, InvalidInputError, PermissionDeniedError
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, error

TOKENS = "POST /v1/oauth/tokens"
LIST = "GET /v1/namespaces"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TYPE = "urn:ietf:params:oauth:token-type:"


def token(word, **more):
    return Says(200, {"access_token": word, "token_type": "bearer", **more})


def jwt(seconds, word="word"):
    claims = base64.urlsafe_b64encode(json.dumps({"exp": time.time() + seconds, "who": word}).encode())
    return f"head.{claims.decode().rstrip('=')}.signature"


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(tokens.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture(autouse=True)
def _answers(server):
    server.says(LIST, Says(200, {"namespaces": []}))
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))


def sent(server, route=LIST):
    return [each.headers.get("authorization") for each in server.of(route)]


def forms(server):
    return [
        {key: value for key, (value,) in parse_qs(each.body.decode()).items()} for each in server.of(TOKENS)
    ]


def basic(word):
    return f"Basic {base64.b64encode(word.encode()).decode()}"


def test_a_given_token_is_exchanged_before_it_ends(server, load, clock):
    first = jwt(100)
    server.says(TOKENS, token("two", expires_in=100, issued_token_type=f"{TYPE}jwt"), token("three"))
    catalog = load(token=first, credential="me:hush", scope="all", audience="them", resource="it")
    catalog.list_namespaces()
    clock[0] += 95
    catalog.list_namespaces()
    clock[0] += 95
    catalog.list_namespaces()
    assert sent(server) == [f"Bearer {first}", "Bearer two", "Bearer three"]
    shared = {"grant_type": EXCHANGE, "scope": "all", "audience": "them", "resource": "it"}
    assert forms(server) == [
        {**shared, "subject_token": first, "subject_token_type": f"{TYPE}access_token"},
        {**shared, "subject_token": "two", "subject_token_type": f"{TYPE}jwt"},
    ]
    assert sent(server, TOKENS) == [basic("me:hush")] * 2


def test_a_given_token_without_a_credential_shows_itself(server, load, clock):
    server.says(TOKENS, token("two"))
    catalog = load(token="one", **{"token-expires-in-ms": "100000"})
    clock[0] += 95
    catalog.list_namespaces()
    assert sent(server) == ["Bearer two"]
    assert sent(server, TOKENS) == ["Bearer one"]


@pytest.mark.parametrize("value", ["0", "-1", "soon", ""])
def test_times_of_tokens_are_milliseconds(load, value):
    with pytest.raises(InvalidInputError, match="token-expires-in-ms"):
        load(token="one", **{"token-expires-in-ms": value})


def test_a_server_that_exchanges_nothing_takes_the_credential(server, load, clock):
    server.says(TOKENS, error(400, "unsupported_grant_type"), token("two"))
    catalog = load(token=jwt(100), credential="me:hush")
    clock[0] += 95
    catalog.list_namespaces()
    assert sent(server) == ["Bearer two"]
    assert [each["grant_type"] for each in forms(server)] == [EXCHANGE, "client_credentials"]


def test_exchange_can_be_switched_off(server, load, clock):
    server.says(TOKENS, token("two"))
    catalog = load(token=jwt(100), credential="me:hush", **{"token-exchange-enabled": "false"})
    clock[0] += 95
    catalog.list_namespaces()
    assert [each["grant_type"] for each in forms(server)] == ["client_credentials"]


def test_an_exchange_that_fails_is_tried_again_and_the_old_token_serves(server, load, clock):
    first = jwt(100)
    server.says(TOKENS, error(400), error(400), token("two"))
    catalog = load(token=first)
    for later in (95, 1, 3):
        clock[0] += later
        catalog.list_namespaces()
    clock[0] += 0.9
    catalog.list_namespaces()
    assert sent(server) == [f"Bearer {first}"] * 3 + ["Bearer two"]
    assert len(server.of(TOKENS)) == 3


@pytest.mark.parametrize("kind", ["id_token", "access_token", "jwt", "saml2", "saml1"])
def test_a_token_of_a_type_is_exchanged_at_once(server, load, kind):
    server.says(TOKENS, token("one"))
    load(**{f"{TYPE}{kind}": "theirs", "token": "mine"}).list_namespaces()
    assert sent(server) == ["Bearer one"]
    (form,) = forms(server)
    assert (form["subject_token"], form["subject_token_type"]) == ("theirs", f"{TYPE}{kind}")
    assert (form["actor_token"], form["actor_token_type"]) == ("mine", f"{TYPE}access_token")
    assert sent(server, TOKENS) == ["Bearer mine"]


def test_a_credential_gets_the_token_of_who_acts(server, load):
    server.says(TOKENS, token("actor"), token("one"))
    load(credential="me:hush", **{f"{TYPE}jwt": "theirs"}).list_namespaces()
    first, second = forms(server)
    assert first["grant_type"] == "client_credentials"
    assert (second["subject_token"], second["actor_token"]) == ("theirs", "actor")
    assert sent(server) == ["Bearer one"]


@pytest.mark.parametrize("status", [401, 419])
def test_a_commit_that_was_refused_for_its_token_is_sent_once_more(server, load, loadable, status):
    server.says(TOKENS, token("one"), token("two"))
    server.says(f"GET {TABLES}/t", loadable())
    server.says(f"POST {TABLES}/t", error(status, "NotAuthorizedException"), loadable())
    load(credential="me:hush").load_table("ns.t").set_properties({"a": "b"})
    assert sent(server, f"POST {TABLES}/t") == ["Bearer one", "Bearer two"]
    bodies = {each.body for each in server.of(f"POST {TABLES}/t")}
    assert len(bodies) == 1


def test_a_commit_that_is_refused_again_changes_nothing(server, load, loadable, tmp_path):
    server.says(TOKENS, token("one"))
    server.says(f"GET {TABLES}/t", loadable())
    server.says(f"POST {TABLES}/t", error(401))
    table = load(credential="me:hush").load_table("ns.t")
    before = sorted(tmp_path.rglob("*.parquet"))
    with pytest.raises(PermissionDeniedError, match="401"):
        table.append(pa.table({"id": [3]}))
    assert len(server.of(f"POST {TABLES}/t")) == 2
    assert sorted(tmp_path.rglob("*.parquet")) == before


def test_a_token_of_a_table_serves_its_requests_alone(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable(config={"token": "of-table"}))
    made = loadable()
    del made.body["config"]
    server.says(f"POST {TABLES}/t", made)
    catalog = load(token="of-catalog")
    table = catalog.load_table("ns.t")
    table.refresh()
    table.set_properties({"a": "b"})
    table.scan().count()
    catalog.close()
    catalog.list_namespaces()
    assert sent(server, f"GET {TABLES}/t") == ["Bearer of-catalog"] + ["Bearer of-table"] * 2
    assert sent(server, f"POST {TABLES}/t") == ["Bearer of-table"]
    assert [each.headers["authorization"] for each in server.reports] == ["Bearer of-table"]
    assert sent(server) == ["Bearer of-catalog"]
    assert "of-table" not in str(dict(table._inner.storage_options))


def test_a_token_to_exchange_of_a_table(server, load, loadable):
    server.says(TOKENS, token("exchanged"))
    server.says(f"GET {TABLES}/t", loadable(config={f"{TYPE}jwt": "theirs"}))
    table = load(token="of-catalog").load_table("ns.t")
    table.refresh()
    assert sent(server, f"GET {TABLES}/t") == ["Bearer of-catalog", "Bearer exchanged"]
    (form,) = forms(server)
    assert (form["subject_token"], form["actor_token"]) == ("theirs", "of-catalog")
    assert "theirs" not in str(dict(table._inner.storage_options))


def test_a_token_of_a_table_that_is_refused_gives_way_to_that_of_the_catalog(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable(config={"token": "of-table"}))
    server.says(
        f"POST {TABLES}/t",
        lambda asked: loadable() if asked.headers["authorization"] == "Bearer of-catalog" else error(401),
    )
    load(token="of-catalog").load_table("ns.t").set_properties({"a": "b"})
    assert sent(server, f"POST {TABLES}/t") == ["Bearer of-table", "Bearer of-catalog"]


def test_a_token_of_a_table_that_has_ended_gives_way(server, load, loadable):
    server.says(TOKENS, error(400))
    server.says(f"GET {TABLES}/t", loadable(config={"token": jwt(-5)}))
    table = load(token="of-catalog").load_table("ns.t")
    table.refresh()
    assert sent(server, f"GET {TABLES}/t") == ["Bearer of-catalog"] * 2


def test_another_authentication_ignores_tokens_of_tables(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable(config={"token": "of-table"}))
    user = {"rest.auth.type": "basic", "rest.auth.basic.username": "jo", "rest.auth.basic.password": "hush"}
    load(**user).load_table("ns.t").refresh()
    assert sent(server, f"GET {TABLES}/t") == [basic("jo:hush")] * 2


def test_no_secret_of_an_exchange_is_shown(server, load, caplog):
    secrets = [base64.b32encode(os.urandom(10)).decode() for _ in range(3)]
    server.says(TOKENS, lambda asked: error(400, message=f"{asked.body.decode()} {asked.headers}"))
    with caplog.at_level(logging.DEBUG), pytest.raises(FloebergError) as caught:
        load(credential=f"me:{secrets[0]}", token=secrets[1], **{f"{TYPE}jwt": secrets[2]})
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert "***" in shown
    assert not [each for each in secrets if each in shown]
    assert basic(f"me:{secrets[0]}").partition(" ")[2] not in shown
    assert secrets[0] not in repr(tokens.Token(secrets[0]))
