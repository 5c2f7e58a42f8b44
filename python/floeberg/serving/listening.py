"""How does a process listen for requests?

In: an application. Out: a server that runs until it is ended. Headers that arrive too slowly end their connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp

    from floeberg.serving.limits import Limits

__all__ = ["server_of"]


def server_of(
    app: ASGIApp, host: str, port: int, limits: Limits, certificate: tuple[str, str | None] | None = None
) -> uvicorn.Server:
    """A server. Its `run` listens.

    Args:
        app: The application.
        host: Where it listens.
        port: The port; 0 takes a free one.
        limits: What a request may cost.
        certificate: The files of a certificate and of its key, for HTTPS.
    """

    class Patient(H11Protocol):
        """A connection that has some seconds for the headers of each request."""

        _header_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._stop()
            elif self._header_timer is None and (before is None or before.response_complete):
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._header_timer = self.loop.call_later(limits.header_seconds, self._end)

        def _stop(self) -> None:
            if self._header_timer is not None:
                self._header_timer.cancel()
                self._header_timer = None

        def _end(self) -> None:
            self._header_timer = None
            self.transport.close()

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Patient,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=limits.header_bytes,
        limit_concurrency=limits.connections,
        timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type] # it takes any number
        timeout_graceful_shutdown=10,
        ssl_certfile=None if certificate is None else certificate[0],
        ssl_keyfile=None if certificate is None else certificate[1],
    )
    return uvicorn.Server(config)
