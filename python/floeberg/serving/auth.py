"""Who may ask a server?

In: the headers of a request. Out: nothing, or a refusal. A token is compared in constant time, and is never logged.

Without a token a page in the browser of the user could ask: so requests of pages are refused then, and so is every name
of the server but those that it was given.
Spec: REST catalog specification, `OAuth2`; `/v1/oauth/tokens`.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from floeberg.serving.answers import json_answer
from floeberg.serving.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from floeberg.serving.served import Served

__all__ = ["LOOPBACK", "check_asker", "give_token"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""The names of this machine for itself."""
_UNAUTHORIZED, _FORBIDDEN, _BAD_REQUEST = 401, 403, 400
_LONGEST: Final = 3600


def check_asker(served: Served, headers: Mapping[str, str]) -> None:
    """Checks that a request may be answered.

    Raises:
        RefusedError: It has not the token, or comes from a page of another place.
    """
    if served.hosts is not None and _host(headers.get("host", "")) not in served.hosts:
        raise RefusedError(
            _FORBIDDEN, "ForbiddenException", "the server does not have the name in the header Host"
        )
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
