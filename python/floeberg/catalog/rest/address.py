"""Where does the server of a REST catalog listen, and what shows it who asks?"""

from __future__ import annotations

import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from floeberg._secrets import without_secrets
from floeberg.catalog.check.address import Address, ServerConnection
from floeberg.catalog.check.origins import origin_of
from floeberg.catalog.rest.auth import credentials_shown
from floeberg.catalog.rest.client import connect_seconds, tls_context
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["connection_of", "is_location"]

_PORTS = {"http": 80, "https": 443}


def is_location(text: str) -> bool:
    """Whether a text is the address of a folder, and no name."""
    return "://" in text or text.startswith(("/", "file:"))


def connection_of(properties: Mapping[str, str], origins: Mapping[str, str]) -> ServerConnection:
    """What is between a process and the server of a catalog.

    Raises:
        InvalidInputError: The address is missing or wrong.
    """
    uri = properties.get("uri", "")
    server = _address(uri, properties, "")
    if server is None:
        raise InvalidInputError(f"uri: expected the address of a server, found {without_secrets(uri)!r}")
    addresses, proxied = [server], _proxy(uri, properties)
    tokens = _address(properties.get("oauth2-server-uri", ""), properties, "gives tokens")
    if tokens is not None and (tokens.host, tokens.port) != (server.host, server.port):
        addresses.append(tokens)
    no_tls = "the address begins with http://: the connection is not encrypted"
    if proxied is not None:
        addresses = [proxied]
        no_tls = "the connection goes through a proxy: 'authentication' agrees on TLS"
    return ServerConnection(
        tuple(addresses),
        no_tls=no_tls,
        credentials=lambda: credentials_shown(properties, lambda key: origin_of(key, origins)),
    )


def _address(uri: str, properties: Mapping[str, str], of: str) -> Address | None:
    place = urlsplit(uri)
    if place.scheme not in _PORTS or not place.hostname:
        return None
    tls = (lambda: tls_context(properties)) if place.scheme == "https" else None
    try:
        port = place.port or _PORTS[place.scheme]
    except ValueError:
        return None
    return Address(place.hostname, port, connect_seconds(properties), tls, of)


def _proxy(uri: str, properties: Mapping[str, str]) -> Address | None:
    """The proxy through which requests go, by the property or the environment."""
    place = urlsplit(uri)
    found = properties.get("rest.proxy")
    if found is None and not urllib.request.proxy_bypass(place.hostname or ""):
        known = urllib.request.getproxies()
        found = known.get(place.scheme) or known.get("all")
    proxy = urlsplit(found or "")
    if not proxy.hostname:
        return None
    return Address(proxy.hostname, proxy.port or 80, connect_seconds(properties), of="the proxy")
