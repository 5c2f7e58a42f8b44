"""A key service on loopback for tests: Vault's transit engine, Google's KMS and Azure's vault, with real AES behind
each.

In: requests as the documentation of each service has them. Out: its answers, and its refusals: a wrong token, a key
that is not there, a wrapped key that was changed. `fails_first` answers so many requests with a status before it works.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

TOKEN = "a-token-that-nobody-sees"
GOOGLE_KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/customers"


class Refused(Exception):  # noqa: N818 - an answer
    """An answer that is no success."""

    def __init__(self, status: int, *errors: str) -> None:
        super().__init__(status)
        self.status, self.errors = status, list(errors)


class KeyService:
    """The server. Keys have versions; the last one wraps."""

    def __init__(self) -> None:
        self.keys: dict[str, list[bytes]] = {"customers": [secrets.token_bytes(32)]}
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.fails_first: list[int] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((self.path, dict(self.headers), body))
                try:
                    service.fail_first()
                    status, answer = 200, service.answer(self.path, self.headers, body)
                except Refused as refused:
                    # Real services write parts of what they got into their errors, here a secret.
                    status, answer = refused.status, {"errors": [*refused.errors, TOKEN]}
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail_first(self) -> None:
        """Fail as often as a test wants it."""
        if self.fails_first:
            raise Refused(self.fails_first.pop(0), TOKEN)

    def answer(self, path: str, headers: Any, body: dict[str, Any]) -> dict[str, Any]:
        """What the service that a path belongs to answers."""
        if found := re.fullmatch(r"/v1/transit/(encrypt|decrypt|datakey/plaintext)/([^/]+)", path):
            if headers["X-Vault-Token"] != TOKEN:
                raise Refused(403, "permission denied")
            return {"data": self._vault(found[1], found[2], body)}
        if headers["Authorization"] != f"Bearer {TOKEN}":
            raise Refused(401)
        if found := re.fullmatch(rf"/v1/({GOOGLE_KEY}|projects/[^:]+):(encrypt|decrypt)", path):
            return self._google(found[1].rpartition("/")[2], found[2], body)
        if found := re.fullmatch(r"/keys/([^/]+)/([^/]*)/(wrapkey|unwrapkey)\?api-version=7.4", path):
            return self._azure(found[1], found[3], body)
        raise Refused(404)

    def _vault(self, what: str, name: str, body: dict[str, Any]) -> dict[str, Any]:
        if name not in self.keys:
            raise Refused(400, "encryption key not found")
        if what == "decrypt":
            matched = re.fullmatch(r"vault:v(\d+):(.+)", body["ciphertext"])
            assert matched is not None
            version, wrapped = int(matched[1]), base64.b64decode(matched[2])
            if version > len(self.keys[name]):
                raise Refused(400, "ciphertext version is disallowed by policy (too new)")
            return {"plaintext": _text(_open(self.keys[name][version - 1], wrapped))}
        plain = (
            base64.b64decode(body["plaintext"])
            if what == "encrypt"
            else secrets.token_bytes(body["bits"] // 8)
        )
        wrapped = f"vault:v{len(self.keys[name])}:{_text(_seal(self.keys[name][-1], plain))}"
        return (
            {"ciphertext": wrapped}
            if what == "encrypt"
            else {"ciphertext": wrapped, "plaintext": _text(plain)}
        )

    def _google(self, name: str, what: str, body: dict[str, Any]) -> dict[str, Any]:
        if name not in self.keys:
            raise Refused(404)
        if what == "encrypt":
            wrapped = _seal(self.keys[name][-1], base64.b64decode(body["plaintext"]))
            return {"name": name, "ciphertext": _text(wrapped)}
        return {"plaintext": _text(_open(self.keys[name][-1], base64.b64decode(body["ciphertext"])))}

    def _azure(self, name: str, what: str, body: dict[str, Any]) -> dict[str, Any]:
        if name not in self.keys:
            raise Refused(404)
        assert body["alg"] == "RSA-OAEP-256"
        assert "=" not in body["value"]
        value = base64.urlsafe_b64decode(body["value"] + "==")
        made = (_seal if what == "wrapkey" else _open)(self.keys[name][-1], value)
        return {"kid": name, "value": base64.urlsafe_b64encode(made).rstrip(b"=").decode()}


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _seal(key: bytes, plain: bytes) -> bytes:
    nonce = secrets.token_bytes(12)
    return nonce + AESGCM(key).encrypt(nonce, plain, None)


def _open(key: bytes, wrapped: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(wrapped[:12], wrapped[12:], None)
    except (InvalidTag, ValueError):
        raise Refused(400, "cipher: message authentication failed") from None
