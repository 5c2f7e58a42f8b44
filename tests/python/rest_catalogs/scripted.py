"""A server on loopback that answers as a test says, and keeps what it was asked."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAMESPACE = "/v1/namespaces/ns"
TABLES = f"{NAMESPACE}/tables"


@dataclass
class Asked:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Says:
    """An answer: JSON, or bytes as they are. A status of 0 breaks the connection."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None


def error(status: int, kind: str = "", message: str = "no", **headers: str) -> Says:
    """An answer that is no success, as the specification has them."""
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return Says(status, {"error": {"message": message, "type": kind, "code": status}}, sent)


class ScriptedServer:
    """The server.

    Attributes:
        config: What it says of itself.
        script: The answers of a method and path, one after the other; the last one stays.
        asked: What it was asked, but for its configuration and reports of metrics.
        reports: The reports of metrics, which come in the background. A script of their path answers; by default, 204.
    """

    def __init__(self) -> None:
        self.config: Any = {"defaults": {}, "overrides": {}}
        self.script: dict[str, list[Says | Callable[[Asked], Says]]] = {}
        self.asked: list[Asked] = []
        self.reports: list[Asked] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        # A client that does not trust a certificate ends the connection.
        self._server.handle_error = lambda *_: None
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def says(self, route: str, *answers: Says | Callable[[Asked], Says]) -> None:
        self.script[route] = list(answers)

    def of(self, route: str) -> list[Asked]:
        return [each for each in self.asked if f"{each.method} {each.path.partition('?')[0]}" == route]

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Speaks TLS from now on."""
        plain = self._server.socket
        self._server.socket = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> Says:
        path = asked.path.partition("?")[0]
        if path.endswith("/v1/config"):
            return self.config if isinstance(self.config, Says) else Says(200, self.config)
        answers = self.script.get(f"{asked.method} {path}")
        if asked.method == "POST" and path.endswith("/metrics"):
            self.reports.append(asked)
            answers = answers or [Says(204)]
        else:
            self.asked.append(asked)
        if not answers:
            return error(404, "NoSuchRoute", f"nothing is at {path}")
        says = answers.pop(0) if len(answers) > 1 else answers[0]
        return says(asked) if callable(says) else says

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {key.lower(): value for key, value in self.headers.items()}
                says = server.answer(Asked(self.command, self.path, headers, body))
                self.close_connection = True
                if not says.status:
                    return
                content = b"" if says.body is None else says.body
                if not isinstance(content, bytes):
                    content = json.dumps(content).encode()
                self.send_response(says.status)
                for key, value in {"Content-Type": "application/json", **says.headers}.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(says.length or len(content)))
                self.end_headers()
                with suppress(ConnectionError):
                    self.wfile.write(content)

            do_GET = do_HEAD = do_POST = do_DELETE = handle_any  # noqa: N815 - names of the base

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        return Handler
