"""Can the server of a catalog be reached: its name, its port, and TLS?"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.catalog.check.recorder import SkipStepError
from floeberg.errors import PermissionDeniedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Address", "ServerConnection", "checked_names", "checked_ports", "checked_tls"]


@dataclass(frozen=True)
class Address:
    """Where a server listens.

    Args:
        host: Its name or its number.
        port: Its port.
        seconds: How long a connection may take.
        tls: The context of TLS; `None` where connections are not encrypted, or the driver does it.
        of: What it is, where it is not the catalog itself.
    """

    host: str
    port: int
    seconds: float = 10.0
    tls: Callable[[], ssl.SSLContext] | None = field(default=None, compare=False)
    of: str = ""

    def __str__(self) -> str:
        place = f"{self.host}:{self.port}"
        return f"{place} ({self.of})" if self.of else place


@dataclass(frozen=True)
class ServerConnection:
    """What is between a process and its catalog.

    Args:
        addresses: The servers; none where the catalog has no server.
        no_address: Why there is none.
        no_tls: Why TLS is not tried.
        credentials: Finds the credentials, and returns what they are and where they came from, without them.
    """

    addresses: tuple[Address, ...] = ()
    no_address: str = ""
    no_tls: str = ""
    credentials: Callable[[], str] | None = field(default=None, compare=False)


def checked_names(connection: ServerConnection) -> str:
    """The numbers of all hosts.

    Raises:
        StorageError: A name is not known.
    """
    lines: list[str] = []
    for each in _addresses(connection):
        try:
            found = socket.getaddrinfo(each.host, each.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as failure:
            raise StorageError(
                f"the name of the host {each.host!r} is not known: {failure}", retryable=True
            ) from failure
        numbers = sorted({str(entry[4][0]) for entry in found})
        lines.append(f"{each.host}: {', '.join(numbers)}")
    return "\n".join(dict.fromkeys(lines))


def checked_ports(connection: ServerConnection) -> str:
    """Opens a connection to each address.

    Raises:
        StorageError: Nobody listens there, or no answer comes.
    """
    for each in _addresses(connection):
        _connected(each).close()
    return _texts(connection.addresses)


def checked_tls(connection: ServerConnection) -> str:
    """Agrees on TLS with each address that speaks it.

    Raises:
        PermissionDeniedError: The certificate is not trusted.
        StorageError: There is no TLS, or no version of it that both know.
    """
    speaking = [each for each in _addresses(connection) if each.tls is not None]
    if not speaking:
        raise SkipStepError(connection.no_tls or "the connection is not encrypted")
    return "\n".join(map(_agreed, speaking))


def _addresses(connection: ServerConnection) -> tuple[Address, ...]:
    if not connection.addresses:
        raise SkipStepError(connection.no_address)
    return connection.addresses


def _connected(address: Address) -> socket.socket:
    try:
        return socket.create_connection((address.host, address.port), timeout=address.seconds)
    except OSError as failure:
        raise StorageError(
            f"{address} cannot be reached: {failure.strerror or failure}", retryable=True
        ) from failure


def _agreed(address: Address) -> str:
    assert address.tls is not None  # noqa: S101 - the caller looked
    context = address.tls()
    with _connected(address) as plain:
        try:
            with context.wrap_socket(plain, server_hostname=address.host) as secured:
                certificate = secured.getpeercert() or {}
                return f"{address}: {secured.version()}, certificate until {certificate.get('notAfter', 'unknown')}"
        except ssl.SSLCertVerificationError as failure:
            raise PermissionDeniedError(
                f"the certificate of {address} is not trusted: {failure.verify_message}"
            ) from failure
        except OSError as failure:
            raise StorageError(f"{address} does not speak TLS: {failure}") from failure


def _texts(addresses: Iterable[Address]) -> str:
    return "\n".join(dict.fromkeys(map(str, addresses)))
