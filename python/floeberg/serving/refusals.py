"""Which answer of a server says what went wrong?

In: an error. Out: a status and the `ErrorModel` of the REST catalog specification.

A client keeps its files and looks the commit up where a commit answers 500: its outcome is unknown. Every other status
says that nothing was changed.
"""

from __future__ import annotations

import json
import logging
from typing import Final

from starlette.responses import Response

from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    LimitExceededError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)

__all__ = ["RefusedError", "answer_to", "model", "refusal_of"]

_LOG: Final = logging.getLogger("floeberg.serving")

_BY_CLASS: Final[tuple[tuple[type[FloebergError], int, str], ...]] = (
    (NoSuchTableError, 404, "NoSuchTableException"),
    (NoSuchViewError, 404, "NoSuchViewException"),
    (NoSuchNamespaceError, 404, "NoSuchNamespaceException"),
    (NotFoundError, 404, "NotFoundException"),
    (NamespaceNotEmptyError, 409, "NamespaceNotEmptyException"),
    (AlreadyExistsError, 409, "AlreadyExistsException"),
    (CommitConflictError, 409, "CommitFailedException"),
    (CommitStateUnknownError, 500, "CommitStateUnknownException"),
    (InvalidInputError, 400, "BadRequestException"),
    (UnsupportedError, 406, "UnsupportedOperationException"),
    (PermissionDeniedError, 403, "ForbiddenException"),
    (InvalidDataError, 422, "InvalidDataException"),
    (LimitExceededError, 422, "LimitExceededException"),
    (StorageError, 503, "ServiceUnavailableException"),
)
"""The first class that an error is one of decides."""


class RefusedError(Exception):
    """A request that is answered by a status of its own.

    Args:
        status: The status.
        kind: The type of the error model.
        message: What is wrong, and what to do.
        headers: More headers of the answer.
    """

    def __init__(self, status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.headers = status, kind, message, headers or {}


def model(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """An answer with an error model."""
    body = {"error": {"message": message, "type": kind, "code": status}}
    return Response(json.dumps(body), status, headers, "application/json")


def answer_to(error: Exception) -> Response:
    """The answer for an error."""
    return model(*refusal_of(error))


def refusal_of(error: Exception) -> tuple[int, str, str, dict[str, str]]:
    """The status of an error, its type, what is said, and headers.

    What nobody expected is logged, and its words stay here: they may have secrets.
    """
    if isinstance(error, RefusedError):
        return error.status, error.kind, error.message, error.headers
    if isinstance(error, FloebergError):
        for of, status, kind in _BY_CLASS:
            if isinstance(error, of):
                return status, kind, str(error), {}
        return 500, "InternalServerError", str(error), {}
    _LOG.error("a request failed in a way that nobody expected", exc_info=error)
    return 500, "InternalServerError", "the server failed; its log has the reason", {}
