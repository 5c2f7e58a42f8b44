"""Where does a SQL database listen, and who asks it?

Only `SqlCatalog` imports this, since it imports SQLAlchemy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sql
from sqlalchemy.exc import ArgumentError

from floeberg.catalog.check.address import Address, ServerConnection
from floeberg.catalog.check.origins import origin_of
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_file", "connection_of"]

_PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433, "oracle": 1521}
_NO_TLS = "the driver of the database agrees on TLS as a part of its own protocol"


def connection_of(properties: Mapping[str, str], origins: Mapping[str, str]) -> ServerConnection:
    """What is between a process and the database of a catalog.

    Raises:
        InvalidInputError: The URI is missing or wrong.
    """
    try:
        url = sql.make_url(properties.get("uri", ""))
    except (ArgumentError, ValueError):
        # The URI may hold a password.
        raise InvalidInputError("the property 'uri' is not the URI of a database") from None
    kind = url.get_backend_name()
    if kind == "sqlite":
        return ServerConnection(
            no_address=f"SQLite is a library: the database is {url.database or 'in memory'}"
        )
    origin = origin_of("uri", origins)

    def credentials() -> str:
        user = f"the user {url.username!r}" if url.username else "no user: the driver chooses one"
        word = "a password" if url.password else "no password: the driver or the server decides"
        return f"{user}, {word} (uri: {origin})"

    if url.host and "@" in url.host:
        # It is the end of a password.
        raise InvalidInputError(
            "the property 'uri' has two '@': write those of the user and the password as '%40'"
        )
    port = url.port or _PORTS.get(kind)
    if not url.host or url.host.startswith("/"):
        return ServerConnection(
            no_address="the URI names no host: the driver chooses", credentials=credentials
        )
    if port is None:
        reason = f"the URI names no port, and that of {kind!r} is not known"
        return ServerConnection(no_address=reason, credentials=credentials)
    return ServerConnection((Address(url.host, port),), no_tls=_NO_TLS, credentials=credentials)


def check_file(uri: str) -> None:
    """Checks that the file of an SQLite database is there, which its library would make. Other URIs pass.

    Raises:
        InvalidInputError: It is not there.
    """
    try:
        url = sql.make_url(uri)
    except (ArgumentError, ValueError):
        # Who opens the database says what is wrong.
        return
    name = url.database if url.get_backend_name() == "sqlite" else None
    # Names of SQLite's own begin so: a URI, or memory.
    if name and not name.startswith(("file:", ":")) and not Path(name).exists():
        raise InvalidInputError(
            f"there is no database file {name!r}, and so there are no catalog tables: correct the property 'uri', or "
            "let the catalog create the file"
        )
