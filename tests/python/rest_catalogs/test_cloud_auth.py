"""Signatures of AWS, and tokens of Google and Azure."""

from __future__ import annotations

import json
import re
import sys
import types

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from floeberg.errors import (
    InvalidInputError,
    NotInstalledError,
    PermissionDeniedError,
)
from rest_catalogs.scripted import Says, error

LIST = "GET /v1/namespaces"
KEYS = {"rest.access-key-id": "AKID", "rest.secret-access-key": "hush", "rest.session-token": "session"}
SIGNED = {"rest.auth.type": "sigv4", "rest.signing-region": "eu-west-1", "rest.signing-name": "glue", **KEYS}


@pytest.fixture(autouse=True)
def _alone(monkeypatch, tmp_path):
    """No credentials of this machine."""
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
        "AWS_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def is_signed(server, asked, *, service="glue", region="eu-west-1", body=None):
    """Whether the signature is that of the request as it came, as a server makes it again."""
    found = asked.headers["authorization"]
    names = re.search(r"SignedHeaders=([^,]+)", found)[1].split(";")
    headers = {
        name: asked.headers[name] for name in names if name not in ("x-amz-date", "x-amz-security-token")
    }
    url = f"http://{asked.headers['host']}{asked.path}"
    assert url.startswith(server.url)
    again = AWSRequest(asked.method, url, headers=headers, data=asked.body if body is None else body)
    again.context["timestamp"] = asked.headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKID", "hush", "session"), service, region)
    again.headers["X-Amz-Date"] = asked.headers["x-amz-date"]
    again.headers["X-Amz-Security-Token"] = "session"
    text = signer.string_to_sign(again, signer.canonical_request(again))
    return found.endswith(f"Signature={signer.signature(text, again)}") and f"/{region}/{service}/" in found


def test_each_request_is_signed(server, load):
    server.says("GET /v1/namespaces", Says(200, {"namespaces": []}))
    server.says("GET /v1/namespaces/a%1Fb%20c", error(404, "NoSuchNamespaceException"))
    server.says("GET /v1/namespaces/a", Says(200, {"namespace": ["a"], "properties": {}}))
    server.says("POST /v1/namespaces", Says(200, {"namespace": ["a", "b c"]}))
    catalog = load(**SIGNED)
    catalog.list_namespaces()
    catalog.create_namespace(("a", "b c"), {"x": "é"})
    assert len(server.asked) == 4
    for asked in server.asked:
        assert is_signed(server, asked), asked.path
        assert asked.headers["x-amz-security-token"] == "session"
    assert not is_signed(server, server.asked[-1], body=b"{}")
    assert "hush" not in repr(catalog) + repr(catalog.storage_options)


def test_the_older_property_means_the_same(server, load):
    server.says(LIST, Says(200, {"namespaces": []}))
    load(**{**SIGNED, "rest.auth.type": "", "rest.sigv4-enabled": "true"}).list_namespaces()
    assert is_signed(server, server.asked[0])


def test_credentials_and_region_of_a_profile(server, load, tmp_path):
    (tmp_path / "config").write_text("[profile ice]\nregion = eu-west-1\n")
    (tmp_path / "credentials").write_text(
        "[ice]\naws_access_key_id = AKID\naws_secret_access_key = hush\naws_session_token = session\n"
    )
    server.says(LIST, Says(200, {"namespaces": []}))
    options = {"rest.auth.type": "sigv4", "rest.signing-name": "glue", "client.profile-name": "ice"}
    load(**options).list_namespaces()
    assert is_signed(server, server.asked[0])


@pytest.mark.parametrize(
    ("kind", "more", "region"),
    [
        ("glue", {"client.region": "eu-west-1"}, "eu-west-1"),
        ("s3tables", {"warehouse": "arn:aws:s3tables:us-east-2:1:bucket/b"}, "us-east-2"),
    ],
)
def test_the_endpoints_of_aws_by_their_names(server, load, kind, more, region):
    server.says(LIST, Says(200, {"namespaces": []}))
    catalog = load(type=kind, **more, **KEYS)
    catalog.list_namespaces()
    assert is_signed(server, server.asked[0], service=kind, region=region)


@pytest.mark.parametrize(
    ("properties", "match"),
    [
        ({"type": "glue"}, "client.region"),
        ({"type": "s3tables"}, "ARN of the table bucket"),
        ({"type": "s3tables", "warehouse": "bucket"}, "client.region"),
    ],
)
def test_an_endpoint_of_aws_without_a_region_is_an_error(properties, match):
    import floeberg as fb

    with pytest.raises(InvalidInputError, match=match):
        fb.load_catalog("aws", **properties)


def test_without_credentials_or_a_region_nothing_is_sent(server, load):
    bare = {"rest.auth.type": "sigv4", "rest.signing-name": "glue"}
    with pytest.raises(InvalidInputError, match=r"rest\.signing-region"):
        load(**bare)
    with pytest.raises(PermissionDeniedError, match="no credentials"):
        load(**bare, **{"rest.signing-region": "eu-west-1"})
    assert server.asked == []


@pytest.fixture(scope="module")
def private_key():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


@pytest.fixture
def account(server, tmp_path, private_key):
    """A service account of Google, whose tokens the server gives."""
    path = tmp_path / "account.json"
    found = {
        "type": "service_account",
        "client_email": "ice@example.com",
        "private_key_id": "1",
        "private_key": private_key,
        "token_uri": f"{server.url}/token",
    }
    path.write_text(json.dumps(found))
    return {"rest.auth.type": "google", "gcp.auth.credentials-path": str(path)}


def test_a_token_of_google(server, load, account):
    server.says("POST /token", Says(200, {"access_token": "one", "expires_in": 3600, "token_type": "Bearer"}))
    server.says(LIST, Says(200, {"namespaces": []}))
    catalog = load(**account)
    catalog.list_namespaces()
    catalog.list_namespaces()
    assert [each.headers["authorization"] for each in server.of(LIST)] == ["Bearer one"] * 2
    assert len(server.of("POST /token")) == 1
    assert catalog.storage_options == {}


def test_google_gives_no_token(server, load, account):
    server.says("POST /token", error(400, message="hush"))
    with pytest.raises(PermissionDeniedError, match="Google gave no token"):
        load(**account)
    with pytest.raises(PermissionDeniedError, match="no credentials"):
        load(**account | {"gcp.auth.credentials-path": "/no/such/file"})


def test_a_token_of_azure(server, load, monkeypatch):
    """Its library talks to Microsoft alone: here a class stands for its credentials."""
    asked = []

    class Credential:
        def get_token(self, *scopes):
            asked.append(scopes)
            return types.SimpleNamespace(token="one", expires_on=4_102_444_800)

    identity = types.ModuleType("azure.identity")
    identity.DefaultAzureCredential = Credential
    exceptions = types.ModuleType("azure.core.exceptions")
    exceptions.AzureError = OSError
    for name in ("azure", "azure.core"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "azure.identity", identity)
    monkeypatch.setitem(sys.modules, "azure.core.exceptions", exceptions)
    server.says(LIST, Says(200, {"namespaces": []}))
    catalog = load(**{"rest.auth.type": "azure", "azure.auth.scopes": "a,b"})
    catalog.list_namespaces()
    assert [each.headers["authorization"] for each in server.asked] == ["Bearer one"]
    assert asked == [("a", "b")]


@pytest.mark.parametrize(
    ("kind", "module", "extra"),
    [("sigv4", "botocore", "aws"), ("google", "google.auth", "gcp"), ("azure", "azure.identity", "azure")],
)
def test_a_library_that_is_not_there_is_named(load, monkeypatch, kind, module, extra):
    for name in [module, *(each for each in sys.modules if each.startswith(f"{module}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(NotInstalledError, match=rf"floeberg\[{extra}\]"):
        load(**{"rest.auth.type": kind})
