"""Which server signs requests to the store of a table, and who asks it?

The signer is an endpoint of the catalog, or one that the server names. It is asked with the token of the table, or of
the catalog, which goes to workers too. The credential of the catalog does not.

Spec: REST catalog specification, `LoadTableResult`: `config` and `remote-signing-config`; `RemoteSignRequest`.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from floeberg.catalog.rest.configuration import object_in, texts
from floeberg.catalog.rest.endpoints import TABLE
from floeberg.errors import UnsupportedError
from floeberg.storage_options import EXPIRES_AT_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.auth_manager import AuthManager
    from floeberg.catalog.rest.server import Server

__all__ = ["is_signed_by_server", "signer_options"]

_SIGN = f"POST {TABLE}/sign"
_OLD_SIGN = "v1/aws/s3/sign"
"""Where servers that do not list their endpoint sign, as Iceberg Java's client expects it."""
_ENABLED = "s3.remote-signing-enabled"


def is_signed_by_server(options: Mapping[str, str]) -> bool:
    """Whether a server signs requests to the store."""
    return options.get(_ENABLED, "").lower() == "true"


def signer_options(
    answer: Mapping[str, Any], server: Server, identifier: Identifier, auth: AuthManager | None
) -> dict[str, str]:
    """The options by which a store asks the signer of a table.

    Args:
        answer: The answer that loaded the table.
        server: The server of the catalog.
        identifier: The table.
        auth: What says who the client is, where the table has a token of its own.

    Raises:
        UnsupportedError: The catalog is not asked with a bearer token. No other secret may go to workers.
        InvalidDataError: The answer has no such form.
    """
    uri = _address(answer, server, identifier)
    options = {_ENABLED: "true", "s3.signer.uri": uri}
    manager = server.authorization if auth is None else auth
    written = next((value for key, value in manager.headers().items() if key.lower() == "authorization"), "")
    scheme, _, token = written.partition(" ")
    if scheme.lower() == "bearer":
        options["s3.signer.token"] = token
        if (seconds := manager.seconds_left()) is not None:
            options[EXPIRES_AT_MS] = str(int((time.time() + seconds) * 1000))
    elif written:
        raise UnsupportedError(
            "the server signs requests to the store, and is asked for that with a bearer token: the catalog has "
            "another authentication"
        )
    if answer.get("remote-signing-config") is not None:
        sent = object_in(answer, "remote-signing-config")
        given = [name for name in ("headers", "properties") if sent.get(name)]
        options |= {f"s3.signer.{name}": json.dumps(object_in(sent, name)) for name in given}
    return options


def _address(answer: Mapping[str, Any], server: Server, identifier: Identifier) -> str:
    """The address of the signing endpoint, as the server names it, in one of two ways; or that of the table."""
    config = dict(server.properties) | texts(answer, "config")

    def named(part: str) -> str | None:
        return config.get(f"signer.{part}") or config.get(f"s3.signer.{part}")

    base = (named("uri") or server.address).rstrip("/") + "/"
    endpoint = named("endpoint")
    if endpoint is None and server.endpoints.offers(_SIGN):
        endpoint = server.endpoints.path(_SIGN, of=identifier)[1].lstrip("/")
    return urljoin(base, endpoint or _OLD_SIGN)
