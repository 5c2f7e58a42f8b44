"""Who may ask a server?

In: the headers of a request. Out: nothing, or a refusal. A browser sends the token as a password. It is compared in
constant time, and is never logged.

Without a token a page in the browser of the user could ask: so requests of pages are refused then, and so is every name
of the server but those that it was given.
Spec: REST catalog specification, `OAuth2`; `/v1/oauth/tokens`.
"""

from __future__ import annotations

import base64
import hmac
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from floeberg.serving.answers import json_answer
from floeberg.serving.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from floeberg.serving.served import Served

__all__ = ["LOOPBACK", "check_asker", "check_browser", "give_token"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""The names of this machine for itself."""
_UNAUTHORIZED, _FORBIDDEN, _BAD_REQUEST = 401, 403, 400
_LONGEST: Final = 3600


def check_asker(served: Served, headers: Mapping[str, str]) -> None:
    """Checks that a request may be answered.

    Raises:
        RefusedError: It has not the token, or comes from a page of another place.
    """
    _check_host(served, headers)
    if served.token is None:
        if "origin" in headers:
            raise RefusedError(
                _FORBIDDEN,
                "ForbiddenException",
                "a server without a token does not answer to pages of a browser",
            )
        return
    kind, _, shown = headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not _is(shown.strip(), served.token):
        raise RefusedError(
            _UNAUTHORIZED,
            "NotAuthorizedException",
            "expected the token of this server as `Authorization: Bearer ...`; clients of Iceberg take it as the "
            "property `token`",
            {"WWW-Authenticate": "Bearer"},
        )


def check_browser(served: Served, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
    """Checks that a page may be shown: the token is the password of basic authentication.

    A browser sends such a password by itself, also where a page of another place asks. So it opens pages alone, which
    change nothing, and no part of another page.

    Raises:
        RefusedError: It may not.
    """
    if "token" in query:
        raise RefusedError(
            _BAD_REQUEST,
            "BadRequestException",
            "a token in an address is kept in histories and logs: leave it out, and give it as the password when the "
            "browser asks; then make a new token",
        )
    if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
        raise RefusedError(_FORBIDDEN, "ForbiddenException", "pages of other places may not use this one")
    kind, _, shown = headers.get("authorization", "").partition(" ")
    if served.token is None or kind.lower() != "basic":
        try:
            check_asker(served, headers)
        except RefusedError as error:
            raise _without_password(error) from error
        return
    _check_host(served, headers)
    try:
        password = base64.b64decode(shown.strip(), validate=True).decode("utf-8").partition(":")[2]
    except ValueError:
        password = ""
    if not _is(password, served.token):
        raise _without_password(None)


def _without_password(error: RefusedError | None) -> RefusedError:
    """The refusal after which a browser asks for the password."""
    if error is not None and error.status != _UNAUTHORIZED:
        return error
    return RefusedError(
        _UNAUTHORIZED,
        "NotAuthorizedException",
        "expected the token of this server as the password; the name of the user may be any",
        {"WWW-Authenticate": 'Basic realm="floeberg", charset="UTF-8"'},
    )


def _check_host(served: Served, headers: Mapping[str, str]) -> None:
    if served.hosts is not None and _host(headers.get("host", "")) not in served.hosts:
        raise RefusedError(
            _FORBIDDEN, "ForbiddenException", "the server does not have the name in the header Host"
        )


def give_token(served: Served, body: bytes) -> Response:
    """The answer to a client that shows the token as its secret: the same token, as OAuth 2 has it."""
    try:
        asked = {key: values[-1] for key, values in parse_qs(body.decode("utf-8")).items()}
    except ValueError:
        asked = {}
    if asked.get("grant_type") != "client_credentials":
        return _refused(_BAD_REQUEST, "unsupported_grant_type", "expected grant_type=client_credentials")
    if served.token is not None and not _is(asked.get("client_secret", ""), served.token):
        return _refused(_UNAUTHORIZED, "invalid_client", "the secret is not the token of this server")
    return json_answer(
        {
            "access_token": served.token or "none",
            "token_type": "bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "expires_in": _LONGEST,
        }
    )


def _refused(status: int, error: str, why: str) -> Response:
    answer = json_answer({"error": error, "error_description": why})
    answer.status_code = status
    return answer


def _is(shown: str, token: str) -> bool:
    return hmac.compare_digest(shown.encode(), token.encode())


def _host(header: str) -> str:
    """The name in a header, without the port."""
    name = header.rpartition("]")[0].lstrip("[") if header.startswith("[") else header.partition(":")[0]
    return name.lower()
