"""How a client shows who it is, and how a token is renewed."""

from __future__ import annotations

import base64
import os
import traceback
from urllib.parse import parse_qs

import pytest

from floeberg.catalog.rest import AuthManager, auth
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotInstalledError,
    PermissionDeniedError,
    UnsupportedError,
)
from rest_catalogs.scripted import Says, error

TOKENS = "POST /v1/oauth/tokens"
LIST = "GET /v1/namespaces"


def token(word, **more):
    return Says(200, {"access_token": word, "token_type": "bearer", **more})


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(auth.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture(autouse=True)
def _lists(server):
    server.says(LIST, Says(200, {"namespaces": []}))


def sent(server):
    return [each.headers.get("authorization") for each in server.of(LIST)]


def test_nobody_is_said_to_ask_without_properties(server, load):
    load().list_namespaces()
    assert sent(server) == [None]


def test_a_user_and_a_password(server, load):
    basic = {"rest.auth.basic.username": "jo", "rest.auth.basic.password": "hush"}
    load(**{"rest.auth.type": "basic"}, **basic).list_namespaces()
    assert sent(server) == [f"Basic {base64.b64encode(b'jo:hush').decode()}"]
    with pytest.raises(InvalidInputError, match=r"rest\.auth\.basic\.username"):
        load(**{"rest.auth.type": "basic"})


def test_a_token_of_the_users(server, load):
    load(token="word").list_namespaces()
    assert sent(server) == ["Bearer word"]


@pytest.mark.parametrize(
    ("credential", "who"),
    [
        ("me:hush:hush", {"client_id": ["me"], "client_secret": ["hush:hush"]}),
        ("hush", {"client_secret": ["hush"]}),
    ],
)
def test_a_token_is_asked_for_once(server, load, credential, who):
    server.says(TOKENS, token("one", expires_in=3600))
    catalog = load(credential=credential, scope="all", audience="them")
    catalog.list_namespaces()
    catalog.list_namespaces()
    assert sent(server) == ["Bearer one"] * 2
    (asked,) = server.of(TOKENS)
    form = {"grant_type": ["client_credentials"], "scope": ["all"], "audience": ["them"]}
    assert parse_qs(asked.body.decode()) == form | who
    assert "authorization" not in asked.headers


def test_a_token_is_renewed_before_it_ends(server, load, clock):
    server.says(TOKENS, token("one", expires_in=100), token("two", expires_in=100))
    catalog = load(credential="a:b")
    clock[0] += 89
    catalog.list_namespaces()
    clock[0] += 2
    catalog.list_namespaces()
    assert sent(server) == ["Bearer one", "Bearer two"]


def test_a_token_that_cannot_be_renewed_serves_until_it_ends(server, load, clock, waits):
    server.says(TOKENS, token("one", expires_in=100), error(400), error(400), token("two", expires_in=100))
    catalog = load(credential="a:b")
    clock[0] += 91
    catalog.list_namespaces()
    catalog.list_namespaces()
    assert len(server.of(TOKENS)) == 2
    clock[0] += 20
    with pytest.raises(InvalidInputError, match="400"):
        catalog.list_namespaces()
    catalog.list_namespaces()
    assert sent(server) == ["Bearer one", "Bearer one", "Bearer two"]
    assert waits == []


@pytest.mark.parametrize("status", [401, 419])
def test_a_token_that_is_refused_is_renewed_once(server, load, status):
    server.says(TOKENS, token("one"), token("two"))
    server.says(LIST, error(status), Says(200, {"namespaces": []}))
    load(credential="a:b").list_namespaces()
    assert sent(server) == ["Bearer one", "Bearer two"]
    server.says(LIST, error(status))
    with pytest.raises(PermissionDeniedError):
        load(credential="a:b").list_namespaces()


def test_a_token_of_the_users_that_is_refused_is_an_error(server, load):
    server.says(LIST, error(401))
    with pytest.raises(PermissionDeniedError, match="401"):
        load(token="word").list_namespaces()
    assert len(server.of(LIST)) == 1


def test_another_server_may_give_tokens(server, load):
    server.says("POST /elsewhere", token("one"))
    load(credential="a:b", **{"oauth2-server-uri": f"{server.url}/elsewhere"}).list_namespaces()
    assert sent(server) == ["Bearer one"]


@pytest.mark.parametrize("answer", [Says(200, {}), Says(200, {"access_token": 5}), Says(200, b"<html>")])
def test_an_answer_without_a_token_is_an_error(server, load, answer):
    server.says(TOKENS, answer)
    with pytest.raises(InvalidDataError):
        load(credential="a:b")


def test_a_refusal_that_repeats_the_secret_does_not_show_it(server, load):
    secret = base64.b32encode(os.urandom(10)).decode()
    server.says(TOKENS, lambda asked: error(400, message=f"{asked.body.decode()} {secret}"))
    with pytest.raises(FloebergError) as caught:
        load(credential=f"me:{secret}")
    assert secret not in "".join(traceback.format_exception(caught.value))
    assert "***" in str(caught.value)


class Own(AuthManager):
    """Of a user."""

    def __init__(self, properties):
        self.word = properties["own.word"]

    def headers(self):
        return {"Authorization": f"Own {self.word}"}


def test_a_class_of_the_users(server, load):
    load(**{"rest.auth.type": f"{__name__}.Own", "own.word": "x"}).list_namespaces()
    assert sent(server) == ["Own x"]


@pytest.mark.parametrize(
    ("kind", "error_kind"),
    [
        ("kerberos", UnsupportedError),
        ("oauth2", InvalidInputError),
        ("no.such.Class", NotInstalledError),
        ("builtins.dict", InvalidInputError),
    ],
)
def test_another_type_is_an_error(load, kind, error_kind):
    with pytest.raises(error_kind):
        load(**{"rest.auth.type": kind})


def test_what_a_configuration_of_pyiceberg_says_is_meant(server, load):
    server.says(TOKENS, token("one", expires_in=3600))
    client = {"auth.oauth2.client_id": "me", "auth.oauth2.client_secret": "hush"}
    place = {"auth.type": "oauth2", "auth.oauth2.token_url": f"{server.url}/v1/oauth/tokens"}
    load(**client, **place, **{"auth.oauth2.refresh_margin": "30"}).list_namespaces()
    (asked,) = server.of(TOKENS)
    form = {"grant_type": ["client_credentials"], "client_id": ["me"], "client_secret": ["hush"]}
    assert parse_qs(asked.body.decode()) == form
    load(**client, **place, **{"auth.oauth2.scope": "all"}).list_namespaces()
    assert parse_qs(server.of(TOKENS)[1].body.decode()) == form | {"scope": ["all"]}
    basic = {"auth.type": "basic", "auth.basic.username": "jo", "auth.basic.password": "hush"}
    load(**basic).list_namespaces()
    assert sent(server)[-1] == f"Basic {base64.b64encode(b'jo:hush').decode()}"
    load(**{"auth.type": "noop"}).list_namespaces()
    assert sent(server)[-1] is None


@pytest.mark.parametrize(
    ("given", "raised", "match"),
    [
        ({"auth.basic.username": "jo"}, InvalidInputError, "expected a 'type'"),
        ({"auth.type": "custom", "auth.impl": "a.B"}, UnsupportedError, r"rest\.auth\.type"),
        ({"auth.type": "oauth2", "auth.oauth2.client_id": "me"}, InvalidInputError, "client_secret"),
        ({"auth.type": "entra", "auth.entra.managed_id": "x"}, UnsupportedError, "managed_id"),
    ],
)
def test_what_it_says_and_nobody_knows_is_an_error(load, given, raised, match):
    with pytest.raises(raised, match=match):
        load(**given)
