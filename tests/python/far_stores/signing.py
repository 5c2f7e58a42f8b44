"""A server on loopback that signs requests to S3, and a store that checks signatures."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, urlencode

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from far_store_answers import S3, Answer, Call, refusal
from far_store_objects import RefusedError

KEY = Credentials("AKIASIGNER", "the secret of the signer")
TOKEN = "the token of the table"


def signature(method: str, url: str, headers: dict[str, str], region: str) -> dict[str, str]:
    """The headers of a signed request. A date among the headers is the time that it was signed at."""
    request = AWSRequest(method, url, headers={**headers, "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"})
    auth = S3SigV4Auth(KEY, "s3", region)
    auth.payload = lambda _: "UNSIGNED-PAYLOAD"
    if "x-amz-date" not in headers:
        auth.add_auth(request)
        return dict(request.headers)
    request.context["timestamp"] = headers["x-amz-date"]
    canonical = auth.canonical_request(request)
    text = auth.signature(auth.string_to_sign(request, canonical), request)
    return {"Authorization": auth._inject_signature_to_request(request, text).headers["Authorization"]}


class Signer:
    """The server.

    Attributes:
        asked: What it was asked, and with which headers.
        refuses: What it answers instead of a signature: a status and a text, or `None`.
        keeps: What it says of how long a signature may be kept.
        token: Who may ask.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.refuses: Callable[[dict[str, Any]], tuple[int, str] | None] = lambda _: None
        self.keeps = ""
        self.token = TOKEN
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/sign"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.asked.append((body, headers))
        if headers.get("authorization") != f"Bearer {self.token}":
            return 401, {"error": {"message": "who are you?"}}
        if (refused := self.refuses(body)) is not None:
            return refused[0], {"error": {"message": refused[1]}}
        known = {name: ",".join(values) for name, values in body["headers"].items()}
        signed = signature(body["method"], body["uri"], known, body["region"])
        return 200, {"uri": body["uri"], "headers": {name: [value] for name, value in signed.items()}}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        signer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {key.lower(): value for key, value in self.headers.items()}
                status, answer = signer.answer(body, headers)
                content = json.dumps(answer).encode()
                self.send_response(status)
                if signer.keeps:
                    self.send_header("Cache-Control", signer.keeps)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        return Handler


class CheckedS3(S3):
    """A store that answers requests with the signature of the signer alone."""

    def __init__(self, store: S3, url: str) -> None:
        self.__dict__.update(store.__dict__)
        self._store, self._url = store, url
        self.checked = 0

    def answer(self, call: Call) -> Answer:
        given = {key.lower(): value for key, value in call.headers.items()}
        written = given.get("authorization", "")
        names = written.partition("SignedHeaders=")[2].partition(",")[0].split(";")
        query = f"?{urlencode(call.query)}" if call.query else ""
        path = f"{call.bucket}/{quote(call.key)}" if call.key else call.bucket
        url = f"{self._url}/{path}{query}"
        headers = {name: given[name] for name in names if name in given and name != "x-amz-content-sha256"}
        headers["x-amz-date"] = given.get("x-amz-date", "")
        if not written or signature(call.verb, url, headers, "us-east-1")["Authorization"] != written:
            return refusal(RefusedError(403, "SignatureDoesNotMatch"), call.key)
        self.checked += 1
        return self._store.answer(call)
