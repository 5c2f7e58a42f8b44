"""How does a request reach its endpoint?

In: a catalog. Out: an ASGI application that is a REST catalog of Iceberg over it.

A request is checked in this order: who asks, the path, the body, the idempotency key. What it asks for runs in a
thread, since catalogs and stores wait.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.routing import Route

from floeberg.serving.auth import check_asker, check_browser, give_token
from floeberg.serving.endpoints import CONFIG, ENDPOINTS, Endpoint, configuration, offered
from floeberg.serving.keys import checked_key
from floeberg.serving.limits import check_headers, json_object, read_body
from floeberg.serving.names import named_in
from floeberg.serving.pages import PAGES, error_page, is_page, report_page, start_page
from floeberg.serving.refusals import RefusedError, answer_to, model
from floeberg.serving.served import Asked, Served

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    _Answers: TypeAlias = Callable[[Request], Awaitable[Response]]

__all__ = ["application_of"]

_TOKENS: Final = "/v1/oauth/tokens"
_NO_CONTENT, _NOT_FOUND, _NOT_ALLOWED, _FORBIDDEN, _NOT_ACCEPTABLE = 204, 404, 405, 403, 406


def application_of(served: Served) -> ASGIApp:
    """The application."""
    by_path: dict[str, dict[str, _Answers]] = {
        CONFIG: {"GET": _answering(served, Endpoint("GET", CONFIG, configuration))},
        _TOKENS: {"POST": _tokens(served)},
    }
    known = {each.listed for each in offered(served)}
    for each in ENDPOINTS:
        answer = _answering(served, each) if each.listed in known else _refusing(served, each)
        by_path.setdefault(f"/v1{each.path}", {})[each.method] = answer
    pages = (start_page, report_page)
    for place, page in zip(PAGES, pages, strict=True):
        by_path[place] = {"GET": _showing(served, page)}
    routes = [Route(path, _by_method(answers), methods=list(answers)) for path, answers in by_path.items()]
    app = Starlette(routes=routes, exception_handlers={_NOT_FOUND: _no_route, _NOT_ALLOWED: _no_route})
    app.router.redirect_slashes = False
    return _AsSent(app, served)


class _AsSent:
    """Checks who asks, and has paths matched as they were sent: a slash in a name is `%2F`, and part of the name."""

    def __init__(self, app: ASGIApp, served: Served) -> None:
        self._app, self._served = app, served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = scope.get("raw_path")
        path = scope["path"] if sent is None else sent.partition(b"?")[0].decode("latin-1")
        try:
            check_headers(scope["headers"], self._served.limits)
            if is_page(path):
                check_browser(self._served, _headers(scope), QueryParams(scope["query_string"]))
            elif scope["path"] != _TOKENS:
                check_asker(self._served, _headers(scope))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
            await (error_page if is_page(path) else answer_to)(error)(scope, receive, send)
            return
        await self._app({**scope, "path": path, "root_path": ""}, receive, send)


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _by_method(answers: dict[str, _Answers]) -> _Answers:
    """What answers at a path. A path that has `GET` has `HEAD` too, as HTTP wants it."""

    async def answer(request: Request) -> Response:
        method = request.method if request.method in answers else "GET"
        return await answers[method](request)

    return answer


def _answering(served: Served, endpoint: Endpoint) -> _Answers:
    """What answers at an endpoint."""

    async def answer(request: Request) -> Response:
        try:
            body = await read_body(request, served.limits)
            key = checked_key(request.headers.get("idempotency-key")) if endpoint.changes else None
            asked = Asked(
                served,
                dict(request.path_params),
                dict(request.query_params),
                {name.lower(): value for name, value in request.headers.items()},
                json_object(body) if request.method == "POST" and (body or endpoint.needs_body) else {},
                key,
            )
            what = json.dumps([request.method, str(request.url)]).encode() + body
            return await run_in_threadpool(served.answers.once, key, what, lambda: _answer(endpoint, asked))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
            return answer_to(error)

    return answer


def _answer(endpoint: Endpoint, asked: Asked) -> Response:
    try:
        for levels in named_in(asked.path, asked.body):
            asked.served.check_folder(levels)
        return endpoint.answer(asked)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
        return answer_to(error)


def _showing(served: Served, page: Callable[[Asked], Response]) -> _Answers:
    """What shows a page."""

    def shown(asked: Asked) -> Response:
        try:
            for levels in named_in(asked.path, {}):
                served.check_folder(levels)
            return page(asked)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
            return error_page(error)

    async def answer(request: Request) -> Response:
        path, query = dict(request.path_params), dict(request.query_params)
        return await run_in_threadpool(shown, Asked(served, path, query, {}, {}, None))

    return answer


def _refusing(served: Served, endpoint: Endpoint) -> _Answers:
    """What answers at an endpoint that the server does not have."""

    async def answer(request: Request) -> Response:
        del request
        if served.read_only and endpoint.changes:
            return model(_FORBIDDEN, "ForbiddenException", "the server is read only: nothing can be changed")
        return model(
            _NOT_ACCEPTABLE,
            "UnsupportedOperationException",
            f"the catalog {served.catalog.name!r} has no {endpoint.of}: {endpoint.listed} is not offered",
        )

    return answer


def _tokens(served: Served) -> _Answers:
    async def answer(request: Request) -> Response:
        try:
            return give_token(served, await read_body(request, served.limits))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
            return answer_to(error)

    return answer


async def _no_route(request: Request, error: Exception) -> Response:
    method = request.method
    if getattr(error, "status_code", _NOT_FOUND) == _NOT_ALLOWED:
        refused = RefusedError(
            _NOT_ALLOWED, "UnsupportedOperationException", f"{method} is not a method of this path"
        )
    else:
        refused = RefusedError(
            _NOT_FOUND, "NoSuchRouteException", "the server has no such path: paths begin with /v1/namespaces"
        )
    return error_page(refused) if is_page(request.scope["path"]) else answer_to(refused)
