"""An S3 that is far away: it keeps objects in a folder, answers late, counts what it is asked, and can misbehave.

    far_store.py FOLDER PORT MILLISECONDS

serves the buckets of a folder. `GET /_counts` gives what was counted, and clears it; `PUT /_delay?milliseconds=30`
changes the delay.
"""

from __future__ import annotations

import json
import select
import socket
import socketserver
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from far_store_answers import S3, Answer, Call, refusal
from far_store_counts import Clock, Counts, Request
from far_store_faults import Fault, Rule, Rules
from far_store_objects import Objects, RefusedError

PIECE = 1 << 20
LAST = 64 << 10
"""The client may act on an answer once it has the last bytes of it, so many at most."""


class FarStore:
    """A store on loopback.

    Args:
        folder: Where the buckets are.
        port: The port; one that is free by default.
        milliseconds: How late each answer is. It may change at any time.
        page: How many keys a list has at most.

    Attributes:
        step: Where it is set, answers go in step instead of late: all together, once nothing came for so many seconds.
    """

    def __init__(self, folder: Path, *, port: int = 0, milliseconds: float = 0, page: int = 1000) -> None:
        self.folder = folder
        self.milliseconds = milliseconds
        self.step: float | None = None
        self.objects = Objects(folder)
        self.s3 = S3(self.objects, page)
        self.clock = Clock()
        self.rules = Rules()
        self._server = _Server(("127.0.0.1", port), _Connection)
        self._server.store = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.options = {
            "aws_access_key_id": "k",
            "aws_secret_access_key": "s",
            "aws_region": "us-east-1",
            "aws_endpoint": self.url,
            "aws_allow_http": "true",
        }

    @property
    def in_flight(self) -> int:
        """Requests that are neither answered nor given up."""
        return self.clock.in_flight

    @property
    def connections(self) -> int:
        """Connections that are open, those among them that nobody uses."""
        return len(self._server.connections)

    @contextmanager
    def counted(self) -> Iterator[Counts]:
        """Count what is asked meanwhile."""
        self.clock.clear()
        yield self.clock.counts
        counts = self.clock.clear()
        # A client may go on before the store knows that it has sent the last bytes.
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline and any(each.is_leaving for each in counts.requests):
            time.sleep(0.001)

    def misbehave(self, how: Fault, **to: Any) -> Rule:
        """Let a fault happen to requests: see `Rule` for which."""
        return self.rules.add(Rule(how, **to))

    def behave(self) -> None:
        """Do nothing wrong any more."""
        self.rules.clear()

    def start(self) -> FarStore:
        """Serve in a thread."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def serve(self) -> None:
        """Serve until the process ends."""
        self._server.serve_forever()

    def stop(self) -> None:
        """Serve no more, and end all connections."""
        self._server.shutdown()
        self._server.server_close()
        for each in list(self._server.connections):
            each.shutdown_quietly()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Else `server_close` waits for connections that clients keep.
    block_on_close = False
    request_queue_size = 512
    store: FarStore

    def __init__(self, *arguments: Any) -> None:
        self.connections: set[_Connection] = set()
        super().__init__(*arguments)

    def server_bind(self) -> None:
        # Not that of `HTTPServer`, which asks for the name of the machine.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _GoneError(ConnectionError):
    """The client has closed the connection."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self)
        self._forget()

    def _forget(self) -> None:
        """Nothing was sent or received of a request."""
        self._sent = self._received = 0
        self._status: int | None = None

    def finish(self) -> None:
        self.server.connections.discard(self)
        super().finish()

    def shutdown_quietly(self) -> None:
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _serve(self) -> None:
        target = urlsplit(self.path)
        bucket, _, key = unquote(target.path).lstrip("/").partition("/")
        query = dict(parse_qsl(target.query, keep_blank_values=True))
        if bucket.startswith("_"):
            self._administer(bucket, query)
            return
        store = self.server.store
        call = Call(self.command, bucket, key, query, self.headers, self._body(), target=self.path)
        verb = "LIST" if call.is_list else call.verb
        counts, request = store.clock.begin(verb, call.about, self.headers.get("Range"))
        self._forget()
        try:
            fault = store.rules.fault(verb, call.about)
            if store.in_flight <= fault.beyond:
                fault = Fault()
            self._answer(replace(call, whole=fault.whole), fault, counts, request)
        except ConnectionError:
            self.close_connection = True
        finally:
            store.clock.end(request, counts, self._status, self._sent, self._received)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - names of the library

    def _answer(self, call: Call, fault: Fault, counts: Counts, request: Request) -> None:
        store = self.server.store
        try:
            answer = self._carried_out(call, fault)
            # What was not read would be taken for the next request.
            for _ in call.body:
                pass
        finally:
            store.clock.carried_out()
        try:
            if store.step is None:
                self._wait(store.milliseconds / 1000 + fault.seconds)
            else:
                self._wait(fault.seconds)
                store.clock.wait_in_step(counts, request, store.step)
            self._send(answer, fault, counts, request)
        finally:
            if answer.file is not None:
                answer.file.close()

    def _carried_out(self, call: Call, fault: Fault) -> Answer:
        if fault.first is not None:
            fault.first()
        if fault.status is not None:
            return refusal(RefusedError(*fault.status, dict(fault.headers)), call.key)
        if fault.sent == 0 and not fault.does:
            return Answer(500)
        return self.server.store.s3.answer(call)

    def _wait(self, seconds: float) -> None:
        """Wait, unless the client goes away."""
        if seconds <= 0:
            return
        deadline = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            if poll.poll(left * 1000):
                if not self.connection.recv(1, socket.MSG_PEEK):
                    raise _GoneError
                # Half of another request: nobody has gone.
                time.sleep(max(deadline - time.monotonic(), 0))

    def _send(self, answer: Answer, fault: Fault, counts: Counts, request: Request) -> None:
        headers = answer.headers | dict(fault.headers)
        promised = max(answer.length + fault.more + fault.longer, 0)
        lines = [f"HTTP/1.1 {answer.status} {self.responses.get(answer.status, ('',))[0]}"]
        lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
        if answer.status not in {204, 304}:
            lines.append(f"Content-Length: {promised}")
        head = "\r\n".join([*lines, "", ""]).encode()
        has_body = self.command != "HEAD" and answer.status not in {204, 304}
        length = answer.length if has_body else 0
        clock = self.server.store.clock
        if fault.sent == 0:
            clock.answered(counts, request)
            self._end(fault)
            return
        ends = fault.sent is not None or fault.longer != 0
        length = length if fault.sent is None else int(length * fault.sent)
        more = bytes(fault.more) if has_body and fault.sent is None else b""
        self._status = answer.status
        if answer.file is None:
            clock.answered(counts, request)
            self._written(head, answer.body[:length] + more)
        else:
            first = max(length - LAST, 0) if length > 4 * LAST else 0
            if first:
                self._written(head)
                self._copied(answer, answer.start, first)
                head = b""
            clock.answered(counts, request)
            self._written(head)
            self._copied(answer, answer.start + first, length - first)
            self._written(b"", more)
        if ends:
            self._end(fault)

    def _written(self, head: bytes, body: bytes = b"") -> None:
        if head or body:
            self.connection.sendall(head + body)
        self._sent += len(body)

    def _copied(self, answer: Answer, start: int, count: int) -> None:
        if count and answer.file is not None:
            self._sent += self.connection.sendfile(answer.file, start, count)

    def _end(self, fault: Fault) -> None:
        """End the connection, as the fault says."""
        self._wait(fault.stalls)
        self.close_connection = True
        if fault.resets:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()
        else:
            self.shutdown_quietly()

    def _body(self) -> Iterator[bytes]:
        """What the client sends, in pieces, as it was before it was chunked."""
        pieces = self._chunks() if self.headers.get("Transfer-Encoding") == "chunked" else self._counted()
        if "aws-chunked" in (self.headers.get("Content-Encoding") or ""):
            pieces = _without_signatures(_Lines(pieces))
        for piece in pieces:
            self._received += len(piece)
            yield piece

    def _counted(self) -> Iterator[bytes]:
        left = int(self.headers.get("Content-Length") or 0)
        while left:
            piece = self.rfile.read(min(left, PIECE))
            if not piece:
                raise _GoneError
            left -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _administer(self, what: str, query: dict[str, str]) -> None:
        store = self.server.store
        facts: dict[str, Any] = {}
        if what == "_counts":
            facts = store.clock.clear().facts()
        elif what == "_delay":
            store.milliseconds = float(query["milliseconds"])
        body = json.dumps(facts).encode()
        self._written(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode(), body)


class _Lines:
    """Lines and counted bytes of pieces."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""

    def line(self) -> bytes:
        while b"\r\n" not in self._held:
            piece = next(self._pieces, None)
            if piece is None:
                line, self._held = self._held, b""
                return line
            self._held += piece
        line, _, self._held = self._held.partition(b"\r\n")
        return line

    def read(self, count: int) -> bytes:
        found = [self._held]
        have = len(self._held)
        while have < count:
            piece = next(self._pieces)
            found.append(piece)
            have += len(piece)
        whole = b"".join(found)
        self._held = whole[count:]
        return whole[:count]


def _without_signatures(lines: _Lines) -> Iterator[bytes]:
    """The bytes of chunks that are signed one by one, as clients of Amazon send them."""
    while size := int(lines.line().partition(b";")[0] or b"0", 16):
        yield lines.read(size)
        lines.line()
    while lines.line():
        pass


if __name__ == "__main__":
    FarStore(Path(sys.argv[1]), port=int(sys.argv[2]), milliseconds=float(sys.argv[3])).serve()
