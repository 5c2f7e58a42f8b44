"""A server of HTTP in front of another one, which misbehaves as a far store does: by rules, before or after the work.

In: the address of a server, and rules. Out: an address with the same answers, but where a rule says otherwise.
"""

from __future__ import annotations

import tempfile
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from far_store import FarStore
from far_store_answers import Answer, Call

__all__ = ["Proxy"]

SECONDS = 120
_BETWEEN_NEIGHBOURS = {"connection", "keep-alive", "transfer-encoding", "content-length", "expect"}
"""Headers that are about one connection, and not about the answer."""


class _Forwarded:
    """What another server answers. Its signatures hold: the host that the client named is passed on."""

    def __init__(self, address: str) -> None:
        self._address = address

    def answer(self, call: Call) -> Answer:
        """Have it do what was asked."""
        body = b"".join(call.body)
        headers = _passed_on(call.headers.items())
        connection = HTTPConnection(self._address, timeout=SECONDS)
        try:
            connection.putrequest(call.verb, call.target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body or call.verb in {"PUT", "POST"}:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            content = answer.read()
            # A HEAD says how long the object is, and sends nothing of it.
            length = int(answer.headers.get("Content-Length") or len(content))
            return Answer(answer.status, _passed_on(answer.headers.items()), content, length=length)
        finally:
            connection.close()


def _passed_on(headers: Any) -> dict[str, str]:
    return {name: value for name, value in headers if name.lower() not in _BETWEEN_NEIGHBOURS}


class Proxy(FarStore):
    """A proxy on loopback, which has the faults, the delay and the counts of a far store.

    Args:
        url: The address of the server behind it.

    Attributes:
        url: Its own address, with the path of the other one.
    """

    def __init__(self, url: str) -> None:
        # It keeps nothing itself: the folder stays empty.
        self._nothing = tempfile.TemporaryDirectory(prefix="proxy-")
        super().__init__(Path(self._nothing.name))
        behind = urlsplit(url)
        self.s3: Any = _Forwarded(behind.netloc)
        self.url += behind.path

    def stop(self) -> None:
        super().stop()
        self._nothing.cleanup()
