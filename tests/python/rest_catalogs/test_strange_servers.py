"""Wrong addresses, servers of something else, certificates, proxies, and bodies that do not end."""

from __future__ import annotations

import base64
import logging
import os
import pickle
import shutil
import socket
import ssl
import subprocess
import threading
import time
import traceback

import pytest

import floeberg as fb
from floeberg.catalog.rest import client
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
)
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, ScriptedServer, error

OPENSSL = shutil.which("openssl")
TLS = pytest.mark.skipif(OPENSSL is None, reason="needs openssl, which makes the certificates")


@pytest.fixture
def closed():
    """An address where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture
def other():
    started = ScriptedServer()
    yield started
    started.stop()


@pytest.mark.parametrize(
    "uri",
    ["", "catalog", "ftp://host/x", "http://", "https:///api", "localhost:8181", "http:/host", "file:///x"],
)
def test_an_address_of_no_server_is_an_error(uri):
    with pytest.raises(InvalidInputError, match="uri: expected the address of a server"):
        fb.load_catalog("wrong", type="rest", uri=uri)


def test_an_address_with_a_user_is_an_error_that_does_not_show_the_password():
    word = base64.b32encode(os.urandom(10)).decode()
    with pytest.raises(InvalidInputError, match="'credential'") as caught:
        fb.load_catalog("wrong", type="rest", uri=f"https://jo:{word}@host/api")
    assert word not in str(caught.value)


def test_nobody_who_listens_is_an_error_that_names_the_address(closed, waits):
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        fb.load_catalog("gone", type="rest", uri=f"http://{closed}/api")
    assert caught.value.context["request"] == f"GET http://{closed}/api/v1/config"
    assert len(waits) == 5


def test_a_path_where_no_catalog_is_says_so(server):
    server.config = error(404, message="nothing here")
    with pytest.raises(NotFoundError, match="404"):
        fb.load_catalog("path", type="rest", uri=f"{server.url}/wrong")


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_token_is_an_error_at_once(server, load, status):
    server.config = error(status, "NotAuthorizedException", "who are you")
    word = base64.b32encode(os.urandom(10)).decode()
    with pytest.raises(PermissionDeniedError, match="who are you") as caught:
        load(token=word)
    assert word not in str(caught.value) + repr(caught.value.context)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"format": "lance", "location": "s3://bucket/t.lance"},
        {"protocol": {"minReaderVersion": 1}, "location": "s3://bucket/t"},
        {"format-version": "delta"},
        {"format-version": 2},
        {"format-version": 99},
    ],
)
def test_a_table_of_another_format_is_an_error(server, load, loadable, metadata):
    server.says(f"GET {TABLES}/t", loadable(metadata=metadata, config={"table_type": "LANCE"}))
    with pytest.raises(FloebergError) as caught:
        load().load_table("ns.t")
    assert isinstance(caught.value, InvalidDataError | fb.errors.UnsupportedError)
    assert "format" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("a.b", "a.b"),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("ä ü", "%C3%A4%20%C3%BC"),
        ("🧊", "%F0%9F%A7%8A"),
        ("...", "..."),
        ("a?b#c", "a%3Fb%23c"),
        ("%2e%2e", "%252e%252e"),
        ("a;b=c", "a%3Bb%3Dc"),
    ],
)
def test_names_of_tables_stand_in_one_part_of_a_path(server, load, loadable, name, sent):
    server.says(f"GET {TABLES}/{sent}", loadable())
    assert load().load_table(("ns", name)).name() == ("ns", name)


@pytest.mark.parametrize("names", [("a\x1fb", "t"), ("ns", "a\x1fb"), ("ns", "a\x00"), ("ns", "a\nb")])
def test_names_with_the_unit_separator_and_its_like_are_refused(server, load, names):
    with pytest.raises(InvalidInputError, match="without control characters"):
        load().load_table(names)
    assert server.asked == []


@pytest.mark.parametrize("names", [("..", "t"), (".", "t"), ("ns", "..")])
def test_steps_of_a_path_are_refused(server, load, names):
    with pytest.raises(InvalidInputError, match="another path"):
        load().load_table(names)
    assert server.asked == []


def dripping(address, path):
    """A server that gives a part of a body, again and again."""
    listener = socket.create_server(address)

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked = connection.recv(65536)
                if path not in asked:
                    content = b'{"defaults": {}, "overrides": {}}'
                    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
                    connection.sendall(head.encode() + content)
                    continue
                connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                try:
                    while True:
                        connection.sendall(b"1\r\n \r\n")
                        time.sleep(0.02)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return listener, thread


def test_a_body_that_drips_for_ever_is_cut(monkeypatch):
    monkeypatch.setattr(client, "_LONGEST", 0.5)
    listener, _ = dripping(("127.0.0.1", 0), b"/v1/namespaces")
    with listener:
        catalog = fb.load_catalog("drips", type="rest", uri=f"http://127.0.0.1:{listener.getsockname()[1]}")
        began = time.monotonic()
        with pytest.raises(StorageError, match="takes more than"):
            catalog.list_namespaces()
        assert time.monotonic() - began < 20


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_secret_follows_a_redirect_of_who_gives_tokens(server, load, other, status):
    server.says("POST /v1/oauth/tokens", Says(status, None, {"Location": f"{other.url}/tokens"}))
    with pytest.raises(InvalidInputError, match="redirects to"):
        load(credential="me:hush")
    assert other.asked == []


def test_no_commit_and_no_report_follows_a_redirect(server, load, loadable, other):
    server.says(f"GET {TABLES}/t", loadable())
    for path in (f"{TABLES}/t", f"{TABLES}/t/metrics"):
        server.says(f"POST {path}", Says(307, None, {"Location": f"{other.url}{path}"}))
    catalog = load(token="hush")
    table = catalog.load_table("ns.t")
    assert table.scan().count() == 2
    with pytest.raises(InvalidInputError, match="redirects to"):
        table.set_properties({"a": "b"})
    catalog.close()
    assert other.asked == other.reports == []


# Proxies. A proxy is asked for whole addresses.


@pytest.fixture
def _proxied(server):
    server.says("GET http://catalog.invalid/v1/namespaces", Says(200, {"namespaces": [["a"]]}))


@pytest.mark.usefixtures("_proxied")
def test_a_proxy_of_a_property(server):
    catalog = fb.load_catalog(
        "behind", type="rest", uri="http://catalog.invalid", **{"rest.proxy": server.url}
    )
    assert catalog.list_namespaces() == [("a",)]


@pytest.mark.usefixtures("_proxied")
def test_a_proxy_of_the_environment(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    catalog = fb.load_catalog("behind", type="rest", uri="http://catalog.invalid")
    assert catalog.list_namespaces() == [("a",)]


def test_a_proxy_of_the_environment_tunnels_encrypted_requests(server, monkeypatch, waits):
    """The proxy is asked for a tunnel, and sees no credential."""
    monkeypatch.setenv("HTTPS_PROXY", server.url)
    with pytest.raises(StorageError, match="cannot be reached"):
        fb.load_catalog("behind", type="rest", uri="https://catalog.invalid", token="hush")
    assert server.asked == []
    assert len(waits) == 5


def test_a_proxy_that_is_gone_does_not_show_its_password(closed, waits):
    word = base64.b32encode(os.urandom(10)).decode()
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        fb.load_catalog(
            "behind",
            type="rest",
            uri="http://catalog.invalid",
            **{"rest.proxy": f"http://jo:{word}@{closed}"},
        )
    assert word not in "".join(traceback.format_exception(caught.value))
    assert waits


# Certificates.


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Those of an authority, and one each of a server and a client that it signed."""
    folder = tmp_path_factory.mktemp("certificates")

    def made(*arguments):
        subprocess.run([OPENSSL, *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "rsa:2048", "-nodes", "-days", "2")
    made("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("server", "client"):
        made("req", *key[:3], "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        made(
            *("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"),
            *("-days", "2", "-extfile", "names", "-out", f"{name}.pem"),
        )
    return folder


@pytest.fixture
def encrypted(server, certificates):
    """The server behind TLS; with `asks`, it asks for a certificate of the client."""
    server.says("GET /v1/namespaces", Says(200, {"namespaces": [["a"]]}))

    def address(*, asks=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
        if asks:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificates / "ca.pem")
        server.encrypt(context)
        return server.url.replace("http:", "https:")

    return address


@TLS
def test_an_untrusted_certificate_is_an_error_at_once(server, encrypted, waits):
    with pytest.raises(StorageError, match="certificate"):
        fb.load_catalog("tls", type="rest", uri=encrypted(), token="hush")
    assert (server.asked, waits) == ([], [])


@TLS
def test_a_certificate_that_is_trusted(encrypted, certificates):
    bundle = {"ssl.cabundle": str(certificates / "ca.pem")}
    assert fb.load_catalog("tls", type="rest", uri=encrypted(), **bundle).list_namespaces() == [("a",)]


@TLS
def test_a_server_that_asks_for_a_certificate(encrypted, certificates, waits):
    uri = encrypted(asks=True)
    bundle = {"ssl.cabundle": str(certificates / "ca.pem")}
    with pytest.raises(StorageError):
        fb.load_catalog("tls", type="rest", uri=uri, **bundle)
    assert waits is not None
    own = {
        "ssl.client.cert": str(certificates / "client.pem"),
        "ssl.client.key": str(certificates / "client.key"),
    }
    assert fb.load_catalog("tls", type="rest", uri=uri, **bundle, **own).list_namespaces() == [("a",)]


@TLS
def test_a_key_of_another_certificate_is_an_error(encrypted, certificates):
    own = {
        "ssl.client.cert": str(certificates / "client.pem"),
        "ssl.client.key": str(certificates / "server.key"),
    }
    with pytest.raises(InvalidInputError, match=r"certificates of 'ssl\.\*'"):
        fb.load_catalog("tls", type="rest", uri=encrypted(), **own)


def test_no_secret_is_in_a_log_a_repr_or_a_plan(server, load, loadable, caplog):
    """Of a credential, of the tokens that it gets, of a token of a table, and of headers."""
    secret, given, of_table, key = (base64.b32encode(os.urandom(10)).decode() for _ in range(4))
    server.says("POST /v1/oauth/tokens", Says(200, {"access_token": given}))
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))
    server.says(f"GET {TABLES}/t", loadable(config={"token": of_table}))
    server.says(f"POST {TABLES}/t/metrics", error(403, message=of_table))
    server.says(f"POST {TABLES}/t", lambda asked: error(400, message=str(asked.headers)))
    with caplog.at_level(logging.DEBUG):
        catalog = load(credential=f"me:{secret}", **{"header.X-Key": key, "snapshot-loading-mode": "refs"})
        table = catalog.load_table("ns.t")
        scan = table.scan()
        shown = [repr(each) for each in (catalog, table, scan, table._operations.metrics)]
        shown += [str(scan.explain()), str(scan.plan_files())]
        sent = [scan, table.write_recipe(), *scan.plan_files().split()]
        table.refresh()
        with pytest.raises(FloebergError) as caught:
            table.set_properties({"a": "b"})
        catalog.close()
    shown += traceback.format_exception(caught.value)
    floeberg = "".join(each.getMessage() for each in caplog.records if each.name.startswith("floeberg"))
    everything = "".join([*shown, floeberg, *(str(pickle.dumps(each)) for each in sent)])
    assert "***" in everything
    assert [each for each in (secret, given, of_table, key) if each in everything] == []
    assert [each for each in (secret, given, of_table, key) if each in caplog.text] == []
