"""How are reports of scans and commits sent to a server?

Each is one request, which is not sent again. A server that has no such endpoint is not asked again.

Spec: REST catalog specification, `ReportMetricsRequest`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.catalog.rest.endpoints import TABLE
from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.answers import Refusal
    from floeberg.catalog.rest.auth_manager import AuthManager
    from floeberg.catalog.rest.server import Server
    from floeberg.errors import FloebergError
    from floeberg.metrics import MetricsReport

__all__ = ["ServerReporter"]

_REPORT = f"POST {TABLE}/metrics"
_ENABLED = "rest-metrics-reporting-enabled"
_NOT_THERE = frozenset({404, 405, 406, 501})


@dataclass(frozen=True)
class ServerReporter:
    """Sends the reports of a table to its server.

    Args:
        server: The server.
        identifier: The table.
        auth: What says who the client is, where the table has a token of its own.
    """

    server: Server
    identifier: Identifier
    auth: AuthManager | None = None

    @classmethod
    def of(cls, server: Server, identifier: Identifier) -> ServerReporter | None:
        """The reporter, where the server takes reports and these are not switched off."""
        enabled = server.properties.get(_ENABLED, "true").lower() != "false"
        return cls(server, identifier) if enabled and server.endpoints.offers(_REPORT) else None

    def report(self, report: MetricsReport) -> None:
        """Sends a report.

        Raises:
            FloebergError: The server did not take it.
        """
        self.server.ask(
            _REPORT,
            of=self.identifier,
            body=report.to_dict(),
            refused=self._refused,
            auth=self.auth,
            is_tried_once=True,
        )

    def _refused(self, refusal: Refusal) -> FloebergError | None:
        if refusal.status in _NOT_THERE and "NoSuchTable" not in refusal.kind:
            self.server.endpoints = self.server.endpoints.without(_REPORT)
            return UnsupportedError(f"the server does not offer {_REPORT}")
        return None
