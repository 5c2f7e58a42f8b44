"""What does an answer that is no success mean?

Spec: REST catalog specification, `ErrorModel` and the responses of each path.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from floeberg.errors import (
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.errors import FloebergError

__all__ = [
    "AUTH_ENDED",
    "BAD_REQUEST",
    "CONFLICT",
    "NOT_FOUND",
    "NOT_MODIFIED",
    "UNAUTHORIZED",
    "Refusal",
    "by_status",
]

NOT_MODIFIED = 304
BAD_REQUEST = 400
UNAUTHORIZED = 401
NOT_FOUND = 404
CONFLICT = 409
AUTH_ENDED = 419
_REFUSED = frozenset(
    {
        301,
        307,
        308,
        400,
        401,
        403,
        404,
        405,
        406,
        409,
        411,
        413,
        414,
        415,
        417,
        419,
        421,
        422,
        428,
        429,
        431,
        501,
    }
)
"""The statuses of requests that were certainly not carried out. What stands before a server may answer by others."""
_MOST_TEXT = 500


@dataclass(frozen=True)
class Refusal:
    """An answer that is no success.

    Args:
        status: Its status.
        message: What the server says.
        kind: Its type: the name of an exception, as `NoSuchTableException`; empty where it has none.
        what: What was asked: the method and the path.
    """

    status: int
    message: str
    kind: str
    what: str

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str], content: bytes, what: str) -> Refusal:
        """Reads an answer, whatever it is. It is not followed to another server, which would get the credentials."""
        if 300 <= status < 400:  # noqa: PLR2004 - redirects
            host = urlsplit(headers.get("location", "")).netloc.rpartition("@")[2]
            return cls(
                status, f"it redirects to {host or 'another path'}: give that address as the 'uri'", "", what
            )
        try:
            found = json.loads(content)["error"]
            message, kind = str(found.get("message") or ""), str(found.get("type") or "")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            message, kind = content[:_MOST_TEXT].decode(errors="replace").strip(), ""
        return cls(status, message[:_MOST_TEXT], kind, what)

    @property
    def is_unknown(self) -> bool:
        """Whether a request that changes something may have been carried out."""
        return self.status not in _REFUSED

    @property
    def is_not_offered(self) -> bool:
        """Whether the server has no such endpoint, or does not what is asked."""
        return self.status in (405, 406, 501)

    @property
    def error(self) -> FloebergError:
        """The error of this status, where the request has no other one for it."""
        said = f"the server answered {self.status}"
        text = f"{said}: {self.message}" if self.message else said
        context = {"request": self.what}
        if self.status in (UNAUTHORIZED, 403, AUTH_ENDED):
            return PermissionDeniedError(text, context=context)
        if self.status == NOT_FOUND:
            return NotFoundError(text, context=context)
        if self.is_not_offered:
            return UnsupportedError(text, context=context)
        if self.status >= 500 or self.status == 429:  # noqa: PLR2004 - failures of servers, and too many requests
            return StorageError(text, context=context, retryable=True)
        return InvalidInputError(text, context=context)


def by_status(
    errors: Mapping[int, Callable[[Refusal], FloebergError]],
) -> Callable[[Refusal], FloebergError | None]:
    """The errors of a request for some statuses; `None` for others."""
    return lambda refusal: errors[refusal.status](refusal) if refusal.status in errors else None
