"""Which emulators keep tables in these tests, and how does a process find each of them?

In: a name of `STORES`. Out: an emulator on loopback with an empty bucket, started where it is first asked for.

Floeberg finds them by the environment, as it finds the real stores; each has a bucket of a name of its own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from email.utils import formatdate
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Protocol

import programs
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from s3_server import S3Server
from servers import KEY, PLAIN_BUCKET, SECRET, SeaweedFS

from server_process import ServerProcess, free_port

__all__ = ["ACCOUNT", "BUCKET", "STORES", "Emulator", "google_of", "place", "started", "stop_all"]

ACCOUNT = "tests"
BUCKET = "tables"
"""That of moto."""
AZURE_KEY = base64.b64encode(b"a key that Azurite is given").decode()


class Emulator(Protocol):
    """A store on loopback.

    Attributes:
        name: Its name in `STORES`.
        url: Where it answers.
        environment: By which Floeberg finds it.
        options: The same as storage options.
    """

    name: str
    url: str
    environment: Mapping[str, str]
    options: Mapping[str, str]

    def uploads(self) -> int:
        """How many uploads of several parts were begun, and neither finished nor given up."""
        ...

    def stop(self) -> None:
        """End it."""
        ...


class _S3:
    """What all servers of S3 have in common."""

    def __init__(self, url: str, bucket: str, key: str, secret: str) -> None:
        self.url, self._bucket, self._signed_by = url, bucket, Credentials(key, secret)
        self.environment: Mapping[str, str] = {
            "AWS_ENDPOINT_URL": url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_REGION": "us-east-1",
        }
        self.options: Mapping[str, str] = {
            "s3.endpoint": url,
            "s3.access-key-id": key,
            "s3.secret-access-key": secret,
            "s3.region": "us-east-1",
        }

    def ask(self, method: str, path: str) -> str:
        """Ask without our own code."""
        request = AWSRequest(method, f"{self.url}/{path}")
        S3SigV4Auth(self._signed_by, "s3", "us-east-1").add_auth(request)
        answer, body = _asked(self.url, method, f"/{path}", dict(request.headers))
        assert answer.status < 300, body
        return body.decode()

    def uploads(self) -> int:
        return self.ask("GET", f"{self._bucket}?uploads=").count("<Upload>")


class Moto(_S3):
    """moto, which looks at no signature."""

    name = "moto"

    def __init__(self, bucket: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="moto-"))
        self._server = S3Server(self._folder / "log")
        super().__init__(self._server.url, bucket, "nobody", "a-secret-that-nobody-sees")
        self.ask("PUT", bucket)

    def stop(self) -> None:
        self._server.stop()
        shutil.rmtree(self._folder)


class Seaweed(_S3):
    """The S3 of SeaweedFS."""

    name = "seaweedfs"

    def __init__(self, bucket: str) -> None:
        self._server = SeaweedFS()
        super().__init__(self._server.environment["AWS_ENDPOINT_URL"], bucket, KEY, SECRET)

    def stop(self) -> None:
        self._server.stop()


class Versity(_S3):
    """versitygw, whose objects are files of a folder."""

    name = "versitygw"

    def __init__(self, bucket: str) -> None:
        port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="versitygw-"))
        self.objects = self._folder / "objects"
        self.objects.mkdir()
        # A key on the command line would be seen by all.
        keys = {"ROOT_ACCESS_KEY_ID": KEY, "ROOT_SECRET_ACCESS_KEY": SECRET}
        self._server = ServerProcess(
            [
                *(programs.versitygw(), "--region", "us-east-1", "--port", f"127.0.0.1:{port}"),
                *("posix", self.objects),
            ],
            log=self._folder / "log",
            ready="listening on",
            environment=os.environ | keys,
            folder=self._folder,
        )
        super().__init__(f"http://127.0.0.1:{port}", bucket, KEY, SECRET)
        self.ask("PUT", bucket)

    def stop(self) -> None:
        self._server.stop()
        shutil.rmtree(self._folder)


class Azurite:
    """Azurite, which plays Azure Blob Storage."""

    name = "azurite"

    def __init__(self, container: str) -> None:
        port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="azurite-"))
        self._server = ServerProcess(
            [
                *programs.azurite(),
                *("--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", self._folder),
                *("--silent", "--skipApiVersionCheck", "--disableTelemetry"),
            ],
            log=self._folder / "log",
            ready="successfully listens",
            environment=os.environ | {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{AZURE_KEY}"},
            folder=self._folder,
        )
        self._server_url = f"http://127.0.0.1:{port}"
        self.url = f"{self._server_url}/{ACCOUNT}"
        self.environment: Mapping[str, str] = {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": AZURE_KEY,
            "AZURE_STORAGE_ENDPOINT": self.url,
            "AZURE_STORAGE_ALLOW_HTTP": "true",
        }
        self.options: Mapping[str, str] = {
            "adls.account-name": ACCOUNT,
            "adls.account-key": AZURE_KEY,
            "adls.endpoint": self.url,
        }
        self._ask("PUT", container, "restype=container")

    def _ask(self, method: str, path: str, query: str) -> None:
        """Ask without our own code, signed as the documentation of Azure says."""
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
        of_headers = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
        of_query = "".join(f"\n{each.replace('=', ':')}" for each in sorted(query.split("&")))
        text = "\n".join([method, *[""] * 11, f"{of_headers}/{ACCOUNT}/{ACCOUNT}/{path}{of_query}"])
        signed = hmac.new(base64.b64decode(AZURE_KEY), text.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(signed).decode()}"
        answer, body = _asked(self._server_url, method, f"/{ACCOUNT}/{path}?{query}", headers)
        assert answer.status < 300, body

    def uploads(self) -> int:
        # Blocks that no list of blocks names: Azure has no way to give them up, and forgets them by itself.
        return 0

    def stop(self) -> None:
        self._server.stop()
        shutil.rmtree(self._folder)


class Google:
    """fake-gcs-server, which plays Google Cloud Storage. It refuses the way in which Floeberg writes."""

    name = "google"

    def __init__(self, bucket: str) -> None:
        port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="google-"))
        self.url = f"http://127.0.0.1:{port}"
        self._bucket = bucket
        self._server = ServerProcess(
            [
                *(programs.fake_gcs(), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port)),
                *("-backend", "memory", "-public-host", f"127.0.0.1:{port}", "-external-url", self.url),
            ],
            log=self._folder / "log",
            ready="server started",
            folder=self._folder,
        )
        self.environment: Mapping[str, str] = {
            "GOOGLE_BASE_URL": self.url,
            "GOOGLE_BEARER_TOKEN": "a-token-that-nobody-sees",
        }
        self.options: Mapping[str, str] = {
            "gcs.service.host": self.url,
            "gcs.oauth2.token": "a-token-that-nobody-sees",
        }
        self._ask("POST", "/storage/v1/b?project=tests", json.dumps({"name": bucket}).encode())

    def _ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        answer, found = _asked(self.url, method, path, {"Content-Type": "application/json"}, body)
        assert answer.status < 300, found
        return found

    def put(self, key: str, content: bytes) -> None:
        """Write an object by the interface of JSON."""
        self._ask("POST", f"/upload/storage/v1/b/{self._bucket}/o?uploadType=media&name={key}", content)

    def keys(self) -> list[str]:
        """All objects."""
        found = json.loads(self._ask("GET", f"/storage/v1/b/{self._bucket}/o"))
        return sorted(each["name"] for each in found.get("items", []))

    def uploads(self) -> int:
        return 0

    def stop(self) -> None:
        self._server.stop()
        shutil.rmtree(self._folder)


def _asked(
    url: str, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=60)
    try:
        connection.request(method, path, body or None, dict(headers))
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


_MADE: dict[str, tuple[str, Callable[[str], Emulator]]] = {
    "moto": (BUCKET, Moto),
    "seaweedfs": (PLAIN_BUCKET, Seaweed),
    "versitygw": ("tables-of-versity", Versity),
    "azurite": ("tables-of-azure", Azurite),
    "google": ("tables-of-google", Google),
}
STORES = tuple(_MADE)
_STARTED: dict[str, Emulator] = {}


def place(store: str) -> str:
    """The location of the bucket of a store, which need not run."""
    bucket, _ = _MADE[store]
    if store == "azurite":
        return f"abfss://{bucket}@{ACCOUNT}.dfs.core.windows.net"
    return f"{'gs' if store == 'google' else 's3'}://{bucket}"


def started(store: str) -> Emulator:
    """An emulator, started where it is first asked for."""
    if store not in _STARTED:
        bucket, make = _MADE[store]
        _STARTED[store] = make(bucket)
    return _STARTED[store]


def google_of(store: Emulator) -> Google:
    """The same, as what it is."""
    assert isinstance(store, Google)
    return store


def stop_all() -> None:
    """End those that were started."""
    while _STARTED:
        _STARTED.popitem()[1].stop()
