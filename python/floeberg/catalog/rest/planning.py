"""How does a server plan a scan?

It answers at once, or after it was asked again. Answers have tasks, or plan tasks that are asked for one by one. A plan
that is not needed any more is dropped.

Spec: REST catalog specification, `PlanTableScanRequest`, `PlanTableScanResult`, `FetchPlanningResult`, `ScanTasks`.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from floeberg.catalog.names import dotted
from floeberg.catalog.rest.answers import Refusal
from floeberg.catalog.rest.configuration import credentials_of
from floeberg.catalog.rest.endpoints import TABLE
from floeberg.errors import FloebergError, InvalidDataError, StorageError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.auth_manager import AuthManager
    from floeberg.catalog.rest.server import Server

__all__ = ["ServerPlanner", "planning_mode"]

_PLAN = f"POST {TABLE}/plan"
_RESULT = f"GET {TABLE}/plan/{{plan-id}}"
_CANCEL = f"DELETE {TABLE}/plan/{{plan-id}}"
_TASKS = f"POST {TABLE}/tasks"
_FIRST_WAIT, _MOST_WAIT = 0.05, 2.0
_LONGEST = 600.0
"""The most seconds that a plan may take."""
_MOST_TASKS = 1_000_000
"""The most plan tasks of a plan."""


def planning_mode(table: Mapping[str, str], catalog: Mapping[str, str]) -> str:
    """Who plans the scans of a table: `client` or `server`. The table's configuration decides before the catalog's.

    Raises:
        InvalidDataError: The configuration has another mode.
    """
    mode = str(table.get("scan-planning-mode") or catalog.get("scan-planning-mode") or "client").lower()
    if mode not in ("client", "server"):
        raise InvalidDataError(f"scan-planning-mode: expected 'client' or 'server', found {mode!r}")
    return mode


@dataclass(frozen=True)
class ServerPlanner:
    """Asks a server to plan scans of a table.

    Args:
        server: The server.
        identifier: The table.
        location: Its location, by which credentials are chosen.
        storage_options: Those of the table.
        auth: What says who the client is, where the server gave the table a token of its own.
    """

    server: Server = field(repr=False)
    identifier: Identifier
    location: str
    storage_options: Mapping[str, str] = field(repr=False)
    auth: AuthManager | None = field(default=None, repr=False)

    def __call__(self, request: str) -> tuple[list[str], dict[str, str] | None]:
        """Plans.

        Args:
            request: The JSON text of a `PlanTableScanRequest`.

        Returns:
            The JSON texts of the answers that have tasks, and the storage options that read their files, or `None`: the
            server sent no credentials for them.

        Raises:
            UnsupportedError: The server does not offer an endpoint that the plan needs.
            InvalidDataError: An answer is not as specified.
            StorageError: The server failed, dropped the plan, or took too long.
        """
        body = self._ask(_PLAN, body=json.loads(request))
        plan_id = body.get("plan-id")
        try:
            body = self._completed(body, plan_id)
            answers = [body, *self._of_plan_tasks(body)]
        except BaseException:
            self._cancel(plan_id)
            raise
        credentials = credentials_of(body, self.location)
        options = {**self.storage_options, **credentials} if credentials else None
        return [json.dumps(each) for each in answers], options

    def _completed(self, body: dict[str, Any], plan_id: object) -> dict[str, Any]:
        """The answer that says that the plan is whole. The server is asked again until it is."""
        ends, wait = time.monotonic() + _LONGEST, _FIRST_WAIT
        while (status := body.get("status")) == "submitted":
            if not isinstance(plan_id, str) or not plan_id:
                raise InvalidDataError(f"the server plans a scan of {self._named} later, and sent no plan-id")
            if time.monotonic() + wait > ends:
                raise StorageError(
                    f"the server did not plan a scan of {self._named} within {_LONGEST:.0f} s", retryable=True
                )
            time.sleep(wait)
            wait = min(wait * 1.5, _MOST_WAIT)
            body = self._ask(_RESULT, in_path={"plan_id": plan_id})
        if status == "completed":
            return body
        if status == "failed":
            raise _failure(body, self._named)
        if status == "cancelled":
            raise StorageError(f"the server dropped the plan of a scan of {self._named}", retryable=True)
        raise InvalidDataError(
            f"expected a plan that is completed, submitted, cancelled or failed, found the status {status!r}"
        )

    def _of_plan_tasks(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers of all plan tasks, and of theirs."""
        answers = []
        waiting, known = _plan_tasks(body), set(_plan_tasks(body))
        while waiting:
            answer = self._ask(_TASKS, body={"plan-task": waiting.pop(0)})
            answers.append(answer)
            more = _plan_tasks(answer)
            if known.intersection(more) or len(known) + len(more) > _MOST_TASKS:
                raise InvalidDataError(f"the server sends plan tasks of {self._named} without end")
            known.update(more)
            waiting += more
        return answers

    def _ask(self, endpoint: str, **what: Any) -> dict[str, Any]:  # noqa: ANN401 - those of `Server.ask`
        return self.server.ask(
            endpoint, of=self.identifier, changes_nothing=True, auth=self.auth, **what
        ).body

    def _cancel(self, plan_id: object) -> None:
        if isinstance(plan_id, str) and self.server.endpoints.offers(_CANCEL):
            with suppress(FloebergError):
                self._ask(_CANCEL, in_path={"plan_id": plan_id})

    @property
    def _named(self) -> str:
        return repr(dotted(self.identifier))

    def check(self) -> None:
        """Raises `UnsupportedError` where the server does not plan scans."""
        if not self.server.endpoints.offers(_PLAN):
            raise UnsupportedError(
                f"the server demands to plan scans of the table {self._named}, and does not offer {_PLAN}"
            )


def _plan_tasks(answer: dict[str, Any]) -> list[str]:
    tasks: object = answer.get("plan-tasks") or []
    if not isinstance(tasks, list) or not all(isinstance(each, str) and each for each in tasks):
        raise InvalidDataError("expected a list of texts 'plan-tasks' in the answer of the server")
    return list(dict.fromkeys(tasks))


def _failure(body: dict[str, Any], named: str) -> FloebergError:
    found = body.get("error")
    error: dict[str, Any] = found if isinstance(found, dict) else {}
    message, code = str(error.get("message") or "no reason"), error.get("code")
    status = code if isinstance(code, int) else 500
    return Refusal(status, f"no plan of {named}: {message}"[:500], str(error.get("type") or ""), "plan").error
