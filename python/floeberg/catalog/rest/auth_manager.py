"""What gives the headers that say who a client is?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AuthManager", "SignedRequest"]


class AuthManager(ABC):
    """Gives the headers that say who a client is: the class of your own that `rest.auth.type` names.

    A class is made with the properties of the catalog. Its object is used by all threads of a process.
    """

    @abstractmethod
    def headers(self) -> Mapping[str, str]:
        """The headers of a request. It is called for each request."""

    def headers_of(self, request: SignedRequest) -> Mapping[str, str]:
        """The headers of one request, where they depend on it, as signatures do. By default, those of `headers`."""
        del request
        return self.headers()

    def credentials_shown(self) -> list[str]:
        """Lines for `Catalog.check` that say where credentials came from, without any of them. By default, none."""
        return []

    def renew(self) -> bool:
        """Called where the server refused the headers. Returns whether other headers are worth a try."""
        return False


@dataclass(frozen=True)
class SignedRequest:
    """A request before it is sent, with all that a signature covers.

    Args:
        method: Its method.
        url: Its whole address, with the query, encoded as it is sent.
        headers: Its headers so far.
        content: Its content.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes
