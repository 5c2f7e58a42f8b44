"""What stands between a client and a server, and loses an answer or a request when it is told to."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NO_CONTENT = 204
HANDED_ON = ("Authorization", "Content-Type", "Idempotency-Key")


class Proxy:
    """A server on loopback that hands on what it is asked.

    Attributes:
        steps: What is done with the next commits, one each: `lose-answer`, `lose-request`, `send-twice`, or a function
            to be called before the commit is handed on.
        answers: The statuses of commits whose answers were handed back.
        asked: The requests, each with its method and path, but for reports of metrics, which come in the background.
        reports: The kinds of these reports, and the statuses of their answers.
        says_keys: Whether the configuration says that the server takes idempotency keys, as Iceberg's does.
    """

    def __init__(self, behind: str) -> None:
        self.steps: list[str | Callable[[], None]] = []
        self.answers: list[int] = []
        self.asked: list[str] = []
        self.reports: list[tuple[str, int]] = []
        self.says_keys = True
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(behind))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def configured(self, path: str, content: bytes) -> bytes:
        """The content of an answer; a configuration says whether the server takes idempotency keys."""
        if not path.startswith("/v1/config") or not self.says_keys:
            return content
        return json.dumps(json.loads(content) | {"idempotency-key-lifetime": "PT30M"}).encode()

    def _handler(self, behind: str) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.close_connection = True
                if self.path.endswith("/metrics"):
                    self.hand_on_report(body)
                    return
                proxy.asked.append(f"{self.command} {self.path}")
                is_commit = self.command == "POST" and (
                    "/tables" in self.path or self.path.endswith("/transactions/commit")
                )
                step = proxy.steps.pop(0) if is_commit and proxy.steps else None
                if step == "lose-request":
                    return
                if callable(step):
                    step()
                if step == "send-twice":
                    without_key = {
                        key: each for key, each in self.headers.items() if key != "Idempotency-Key"
                    }
                    forwarded(behind + self.path, self.command, body, without_key)
                status, content = forwarded(behind + self.path, self.command, body, dict(self.headers))
                content = proxy.configured(self.path, content)
                if step == "lose-answer":
                    return
                if is_commit:
                    proxy.answers.append(status)
                answer(self, status, content)

            def hand_on_report(self, body: bytes) -> None:
                status, content = forwarded(behind + self.path, self.command, body, dict(self.headers))
                proxy.reports.append((json.loads(body)["report-type"], status))
                answer(self, status, content)

            do_GET = do_HEAD = do_POST = do_DELETE = handle_any  # noqa: N815 - names of the base

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        return Handler


def answer(handler: BaseHTTPRequestHandler, status: int, content: bytes) -> None:
    """Hands an answer back."""
    handler.send_response(status)
    if status != NO_CONTENT:
        handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def forwarded(url: str, method: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    """The status and the content of an answer."""
    handed_on = {key: headers[key] for key in HANDED_ON if key in headers}
    request = urllib.request.Request(url, data=body or None, method=method, headers=handed_on)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.read()
