"""How is a catalog served to other engines?

In: a catalog and settings. Out: an ASGI application, or a process that listens.
"""

from __future__ import annotations

import secrets
import socket
import sys
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_int, checked_text
from floeberg.errors import InvalidInputError, NotInstalledError, StorageError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from floeberg.catalog import Catalog

__all__ = ["application", "serve"]

_LARGEST_PORT = 65_535
_SHORTEST_TOKEN = 8
_WAITING = 128
"""Connections that may wait for the server to begin."""


def application(
    catalog: Catalog,
    *,
    token: str | None,
    read_only: bool = False,
    allow_outside: bool = False,
    share_storage_options: bool = False,
) -> Any:  # noqa: ANN401 - an ASGI application, whose type is Starlette's
    """A REST catalog over a catalog, as an ASGI application, for a server of your own.

    Args:
        catalog: The catalog.
        token: The token that each request needs; `None` lets everybody in who reaches the server.
        read_only: Whether nothing may be changed.
        allow_outside: Whether clients may name locations outside of the warehouse.
        share_storage_options: Whether clients get the storage options of the catalog, with their secrets.

    Returns:
        The application.

    Raises:
        InvalidInputError: An argument is wrong.
        NotInstalledError: The extra `serve` is not installed.

    Examples:
        >>> app = application(catalog, token="a long secret", read_only=True)
    """
    flags = {
        "read_only": read_only,
        "allow_outside": allow_outside,
        "share_storage_options": share_storage_options,
    }
    return _application(catalog, token, flags)


def serve(  # noqa: PLR0913 - all but the first are keywords
    catalog: Catalog,
    *,
    host: str = "127.0.0.1",
    port: int = 8181,
    token: str | None = "",
    certificate: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    read_only: bool = False,
    allow_outside: bool = False,
    share_storage_options: bool = False,
    tell: Callable[[str], object] | None = None,
) -> None:
    """Serves a catalog as a REST catalog of Iceberg, until the process is interrupted.

    DuckDB, Spark, Trino, PyIceberg and Floeberg read and write its tables then. They open the files of tables
    themselves: a folder must be the same for them.

    Args:
        catalog: The catalog.
        host: Where it listens. By default, on this machine alone.
        port: The port; 0 takes a free one.
        token: The token that clients need. By default, a new one is made and told once. `None` asks for none.
        certificate: The file of a certificate in PEM, with those that it depends on: the server speaks HTTPS then.
        key: The file of its key in PEM, without a password, where it is not in the same file.
        read_only: Whether nothing may be changed.
        allow_outside: Whether clients may name locations outside of the warehouse.
        share_storage_options: Whether clients get the storage options of the catalog, with their secrets.
        tell: Takes the lines that say where the server listens, and a new token. By default they go to standard error.

    Raises:
        InvalidInputError: An argument is wrong; or no token is asked for where other machines reach the server; or the
            certificate and the key do not fit.
        NotFoundError: A file of the certificate is not there.
        NotInstalledError: The extra `serve` is not installed.
        StorageError: The port is taken.
    """
    checked_text("host", host)
    if not 0 <= checked_int("port", port) <= _LARGEST_PORT:
        raise InvalidInputError(f"port: expected a number from 0 to {_LARGEST_PORT}, found {port}")
    is_new = token == ""
    if is_new:
        token = secrets.token_urlsafe(24)
    flags = {
        "read_only": read_only,
        "allow_outside": allow_outside,
        "share_storage_options": share_storage_options,
    }
    app = _application(catalog, token, flags, host)
    from floeberg.serving.certificates import checked_certificate  # noqa: PLC0415 - only here uvicorn is needed
    from floeberg.serving.limits import Limits  # noqa: PLC0415
    from floeberg.serving.listening import server_of  # noqa: PLC0415

    files = checked_certificate(certificate, key)
    listener = _listener(host, port)
    tell = tell or _to_standard_error
    scheme = "http" if files is None else "https"
    address = f"{scheme}://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    tell(f"serving the catalog {catalog.name!r} at {address}")
    if is_new:
        tell(f"token: {token}")
    elif token is None:
        tell("no token is asked for: every program on this machine can change the catalog")
    try:
        server_of(app, host, port, Limits(), files).run(sockets=[listener])
    finally:
        listener.close()


def _application(catalog: Catalog, token: str | None, flags: dict[str, bool], host: str | None = None) -> Any:  # noqa: ANN401 - as above
    for name, value in flags.items():
        checked_bool(name, value)
    if not callable(getattr(catalog, "table_operations", None)):
        raise InvalidInputError(
            f"catalog: expected a catalog, as load_catalog gives it, found an object of type {type(catalog).__name__}"
        )
    if token is not None and not _is_good(checked_text("token", token)):
        raise InvalidInputError(
            f"token: expected {_SHORTEST_TOKEN} or more signs of ASCII, no blanks at the ends: it is sent in a header"
        )
    try:
        from floeberg.serving.auth import LOOPBACK  # noqa: PLC0415
        from floeberg.serving.routing import application_of  # noqa: PLC0415 - starlette may be missing
        from floeberg.serving.served import Served  # noqa: PLC0415
    except ImportError as error:
        raise NotInstalledError(
            "starlette and uvicorn are not installed, and a server needs them: pip install 'floeberg[serve]'"
        ) from error
    if token is None and host is not None and host not in LOOPBACK:
        raise InvalidInputError(
            f"a server at {host!r} is reached by other machines, and needs a token: give one, or listen on 127.0.0.1"
        )
    hosts = LOOPBACK if token is None and host is not None else None
    return application_of(
        Served(
            catalog,
            token,
            read_only=flags["read_only"],
            allow_outside=flags["allow_outside"],
            share_storage_options=flags["share_storage_options"],
            hosts=hosts,
        )
    )


def _is_good(token: str) -> bool:
    return (
        len(token) >= _SHORTEST_TOKEN and token.isascii() and token.isprintable() and token == token.strip()
    )


def _to_standard_error(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # Who reads the address and asks at once waits for the server, and is not refused.
        listener.listen(_WAITING)
    except OSError as error:
        listener.close()
        raise StorageError(f"cannot listen at {host}:{port}: {error.strerror or error}") from error
    return listener
