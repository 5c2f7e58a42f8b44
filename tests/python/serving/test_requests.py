"""Who may ask, how much, how fast, and for what."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

import httpx
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, PermissionDeniedError
from floeberg.serving import application, serve
from floeberg.serving.limits import Limits
from serving.conftest import TOKEN, asking, listening

NAMESPACES = "/v1/namespaces"
SMALL = Limits(body_bytes=2000, body_seconds=0.5, header_bytes=4000, header_seconds=0.5, idle_seconds=0.5)


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """The status of an answer and the type of its error; both are in its body."""
    error = answer.json()["error"]
    assert error["code"] == answer.status_code
    assert error["message"]
    return answer.status_code, error["type"]


@pytest.mark.parametrize(
    "shown",
    [
        None,
        "",
        TOKEN,
        f"Basic {TOKEN}",
        "Bearer",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
    ],
)
@pytest.mark.parametrize("path", ["/v1/config", NAMESPACES, "/v1/nonsense"])
def test_without_the_token_nothing_is_shown(http, shown, path):
    headers = {} if shown is None else {"Authorization": shown}
    answer = httpx.get(str(http.base_url).rstrip("/") + path, headers=headers)
    assert refusal(answer) == (401, "NotAuthorizedException")
    assert TOKEN not in answer.text


def test_with_the_token_it_is_shown(http):
    assert http.get(NAMESPACES).json() == {"namespaces": [["ns"]]}
    assert http.get(NAMESPACES, headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200


def test_a_client_shows_the_token_as_its_secret(http):
    with fb.load_catalog("c", type="rest", uri=str(http.base_url), credential=f"anyone:{TOKEN}") as found:
        assert found.list_tables("ns") == [("ns", "t")]
    with (
        pytest.raises(PermissionDeniedError),
        fb.load_catalog("c", type="rest", uri=str(http.base_url), credential="anyone:wrong"),
    ):
        pass
    answer = http.post("/v1/oauth/tokens", data={"grant_type": "password", "client_secret": TOKEN})
    assert (answer.status_code, answer.json()["error"]) == (400, "unsupported_grant_type")


def test_without_a_token_pages_and_other_names_are_refused(catalog):
    with asking(catalog, token=None, hosts=("127.0.0.1", "localhost")) as client:
        del client.headers["Authorization"]
        assert client.get(NAMESPACES).status_code == 200
        assert refusal(client.get(NAMESPACES, headers={"Origin": "http://evil.example"}))[0] == 403
        assert refusal(client.get(NAMESPACES, headers={"Host": "evil.example"}))[0] == 403
        port = client.base_url.port
        assert client.get(NAMESPACES, headers={"Host": f"LocalHost:{port}"}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b"\xff\xfe",
        b'{"a": NaN}',
        b"[" * 100_000,
        b"9" * 20_000,
        b'{"namespace": "a"}',
    ],
)
def test_a_body_that_is_no_object_is_refused(http, body):
    assert refusal(http.post(NAMESPACES, content=body)) == (400, "BadRequestException")
    assert http.get(NAMESPACES).json() == {"namespaces": [["ns"]]}


def test_a_body_that_is_too_large_is_refused(catalog):
    with asking(catalog, SMALL) as client:
        large = json.dumps({"namespace": ["a"], "properties": {"x": "x" * 5000}})
        assert refusal(client.post(NAMESPACES, content=large)) == (413, "RequestTooLargeException")
        pieces = iter([large[:1500].encode(), large[1500:].encode()])
        assert refusal(client.post(NAMESPACES, content=pieces)) == (413, "RequestTooLargeException")
        assert client.get(NAMESPACES).json() == {"namespaces": [["ns"]]}


def test_headers_that_are_too_large_are_refused(catalog):
    with asking(catalog, SMALL) as client:
        answer = client.get(NAMESPACES, headers={"X-More": "x" * 10_000})
        assert refusal(answer) == (431, "RequestTooLargeException")
        endless = (b"GET /v1/config HTTP/1.1\r\nX: ", *[b"x" * 1000] * 10)
        heard = spoken(str(client.base_url), *endless)
        # Who hangs up on a client that still sends may be heard or not.
        assert not heard or b" 400 " in heard.splitlines()[0]
        assert client.get(NAMESPACES).status_code == 200


def spoken(url: str, *texts: bytes) -> bytes:
    """What a server says until it hangs up."""
    place = httpx.URL(url)
    with socket.create_connection((place.host, place.port), timeout=30) as connection:
        heard = b""
        with suppress(ConnectionError):
            for text in texts:
                connection.sendall(text)
            while part := connection.recv(65_536):
                heard += part
    return heard


def test_what_arrives_too_slowly_ends(catalog):
    with listening(catalog, SMALL) as url:
        assert spoken(url) == b""
        assert spoken(url, b"GET /v1/config HTTP/1.1\r\nHost: x\r\n") == b""
        head = f"POST {NAMESPACES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        begun = head + "Content-Length: 99\r\n\r\n{"
        assert b" 408 " in spoken(url, begun.encode()).splitlines()[0]
        # A second request on the same connection has its own time.
        first = f"GET /v1/config HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        assert spoken(url, first.encode(), b"GET /v1").count(b"HTTP/1.1 200") == 1
        assert (
            httpx.get(f"{url}{NAMESPACES}", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        )


@pytest.mark.parametrize("text", [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n"])
def test_what_is_not_http_is_refused(http, text):
    assert b" 400 " in spoken(str(http.base_url), text).splitlines()[0]
    assert http.get(NAMESPACES).status_code == 200


def test_paths_and_methods_that_are_not_there(http):
    assert refusal(http.get("/v1")) == (404, "NoSuchRouteException")
    assert refusal(http.get("/v1/namespaces/")) == (404, "NoSuchRouteException")
    assert refusal(http.put(NAMESPACES)) == (405, "UnsupportedOperationException")
    assert refusal(http.get("/v1/namespaces/ns/tables/t/plan")) == (405, "UnsupportedOperationException")


@pytest.mark.parametrize(
    "name",
    ["..", ".", "%2e%2e", "a%2Fb", "%2Fetc", "a%5Cb", "a%00b", "a%0Ab", "%ff", "%1F", "a%1F", "%3Cscript%3E"],
)
def test_strange_names_name_nothing(http, name):
    host = httpx.URL(http.base_url)
    for path in (f"/v1/namespaces/{name}", f"/v1/namespaces/ns/tables/{name}"):
        text = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        assert spoken(str(host), text.encode()).split(b" ")[1] in (b"400", b"404")


def test_names_with_all_signs_are_told_apart(remote, catalog):
    name = ("a b", "c+d", "e/f?g#h", "ü%2F")
    remote.create_namespace(name)
    assert catalog.namespace_exists(name)
    assert remote.list_namespaces(name[:3]) == [name]
    assert remote.load_namespace_properties(name) == {}


def test_a_server_that_is_read_only_changes_nothing(catalog):
    with asking(catalog, read_only=True) as client:
        listed = client.get("/v1/config").json()["endpoints"]
        assert "GET /v1/{prefix}/namespaces" in listed
        assert not {
            each
            for each in listed
            if each.startswith(("DELETE", "POST"))
            and not each.endswith(("/metrics", "/plan", "/plan/{plan-id}", "/tasks"))
        }
        table = "/v1/namespaces/ns/tables/t"
        assert client.get(table).status_code == 200
        for answer in (
            client.delete(table),
            client.post(NAMESPACES, json={"namespace": ["new"]}),
            client.post(table, json={"requirements": [], "updates": []}),
            client.post("/v1/tables/rename", json={}),
        ):
            assert refusal(answer) == (403, "ForbiddenException")
    assert catalog.list_namespaces() == [("ns",)]
    assert catalog.table_exists("ns.t")


def test_an_answer_that_nobody_expected_keeps_its_words(http, catalog, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("the password is hush")

    monkeypatch.setattr(type(catalog), "do_list_namespaces", fail)
    answer = http.get(NAMESPACES)
    assert refusal(answer) == (500, "InternalServerError")
    assert "hush" not in answer.text
    assert "hush" in caplog.text


def test_the_configuration_says_what_there_is(http):
    found = http.get("/v1/config?warehouse=anything").json()
    assert found["idempotency-key-lifetime"] == "PT30M"
    assert found["overrides"]["namespace-separator"] == "%1F"
    assert "POST /v1/{prefix}/transactions/commit" in found["endpoints"]
    assert "POST /v1/{prefix}/namespaces/{namespace}/views" in found["endpoints"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"token": "short"}, "8 or more signs of ASCII"),
        ({"token": "geheimwörtlich"}, "signs of ASCII"),
        ({"token": "with a break\n"}, "signs of ASCII"),
        ({"host": "0.0.0.0", "token": None}, "needs a token"),
        ({"port": 70_000}, "a number from 0 to 65535"),
        ({"read_only": "yes"}, "read_only: expected a bool"),
    ],
)
def test_settings_that_are_wrong_are_refused(catalog, settings, message):
    with pytest.raises(InvalidInputError, match=message):
        serve(catalog, **settings)


def test_an_application_is_for_any_server(catalog):
    assert callable(application(catalog, token=None))
    assert TOKEN not in repr(application(catalog, token=TOKEN))


def test_a_port_that_is_taken_is_named(catalog):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"cannot listen at 127.0.0.1:{port}"):
            serve(catalog, port=port, token=TOKEN)
