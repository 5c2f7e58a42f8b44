"""Which errors does Floeberg raise?

Every error derives from `FloebergError`. If Python has a built-in class for the same thing, the error derives from it
too, so that `except FileNotFoundError` works as expected. Ctrl-C raises `KeyboardInterrupt`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from floeberg._secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "AlreadyExistsError",
    "CancelledError",
    "CommitConflictError",
    "CommitStateUnknownError",
    "FloebergError",
    "InternalError",
    "InvalidDataError",
    "InvalidInputError",
    "LimitExceededError",
    "MissingAttributeError",
    "NamespaceAlreadyExistsError",
    "NamespaceNotEmptyError",
    "NoSuchNamespaceError",
    "NoSuchTableError",
    "NoSuchViewError",
    "NotFoundError",
    "NotInstalledError",
    "PartialCommitError",
    "PermissionDeniedError",
    "StorageError",
    "TableAlreadyExistsError",
    "UnsupportedError",
    "ViewAlreadyExistsError",
]


class FloebergError(Exception):
    """The base class of all errors of Floeberg.

    Args:
        message: What failed and why, without the context.
        context: Where it happened, innermost first: `path`, `snapshot`, `field` and others.
        retryable: Whether a retry can help.

    Attributes:
        kind: The kind of error, for programs: one of a fixed set.
        message: What failed and why, without the context.
        context: Where it happened, innermost first.
        retryable: Whether a retry can help.
        outcome_unknown: Whether the work may have taken effect: the response of a store was lost.

    Examples:
        >>> error = NotFoundError("no such snapshot", context={"snapshot": "12"})
        >>> str(error), error.kind, isinstance(error, FileNotFoundError)
        ('no such snapshot (snapshot: 12)', 'not_found', True)
    """

    kind: ClassVar[str] = "error"
    message: str
    context: dict[str, str]
    retryable: bool
    outcome_unknown: bool = False

    def __init__(
        self, message: str, *, context: Mapping[str, str] | None = None, retryable: bool = False
    ) -> None:
        # The message may have a location with a password or a signature.
        self.message = without_secrets(message)
        self.context = {key: without_secrets(str(value)) for key, value in (context or {}).items()}
        self.retryable = retryable
        where = ", ".join(f"{key}: {value}" for key, value in self.context.items())
        super().__init__(f"{self.message} ({where})" if where else self.message)

    if sys.version_info < (3, 11):

        def add_note(self, note: str, /) -> None:
            """Adds a note to the message: Python 3.10 does not print notes."""
            self.args = (f"{self.args[0]}; {note}",)

    def __reduce__(
        self,
    ) -> tuple[
        Callable[..., FloebergError],
        tuple[type[FloebergError], str, dict[str, str], bool],
        dict[str, object],
    ]:
        """Pickles the context and the notes too."""
        state: dict[str, object] = {"args": self.args}
        if self.outcome_unknown:
            state["outcome_unknown"] = True
        notes: object = getattr(self, "__notes__", None)
        if notes is not None:
            state["__notes__"] = notes
        return _rebuild, (type(self), self.message, self.context, self.retryable), state


def _rebuild(
    error: type[FloebergError],
    message: str,
    context: dict[str, str],
    retryable: bool,  # noqa: FBT001
) -> FloebergError:
    return error(message, context=context, retryable=retryable)


class NotFoundError(FloebergError, FileNotFoundError):
    """A file, table, snapshot, ref or version does not exist."""

    kind = "not_found"


class NoSuchTableError(NotFoundError):
    """The location has no table, or the catalog has no table of that name."""


class NoSuchViewError(NotFoundError):
    """The location has no view, or the catalog has no view of that name."""


class NoSuchNamespaceError(NotFoundError):
    """The catalog does not have the namespace."""


class AlreadyExistsError(FloebergError, FileExistsError):
    """Something already exists that must not exist."""

    kind = "already_exists"


class TableAlreadyExistsError(AlreadyExistsError):
    """A table or a view of that name, or a table at that location, already exists."""


class ViewAlreadyExistsError(AlreadyExistsError):
    """The catalog already has a view or a table of that name."""


class NamespaceAlreadyExistsError(AlreadyExistsError):
    """The catalog already has a namespace of that name."""


class InvalidInputError(FloebergError, ValueError):
    """An argument, an option or a property is wrong."""

    kind = "invalid_input"


class NamespaceNotEmptyError(InvalidInputError):
    """A namespace that holds tables or namespaces cannot be dropped."""


class InvalidDataError(FloebergError):
    """A file of the table is damaged or breaks the specification."""

    kind = "invalid_data"


class UnsupportedError(FloebergError, NotImplementedError):
    """The table and the request are valid, but this version of Floeberg does not support them."""

    kind = "unsupported"


class NotInstalledError(UnsupportedError, ImportError):
    """The request needs an optional package that is not installed."""


class MissingAttributeError(UnsupportedError, AttributeError):
    """PyIceberg has this attribute, and Floeberg does not. The error says what to write instead."""


class CommitConflictError(FloebergError):
    """Another writer committed first. The commit conflicts with its changes, or ran out of retries."""

    kind = "commit_conflict"


class CommitStateUnknownError(FloebergError):
    """The outcome of a commit is unknown: it may have taken effect."""

    kind = "commit_state_unknown"


class PartialCommitError(CommitStateUnknownError):
    """Some tables have a commit of several tables, and others can never get it. The context has the state of each."""


class PermissionDeniedError(FloebergError, PermissionError):
    """The store refused access."""

    kind = "permission_denied"


class StorageError(FloebergError, OSError):
    """The store failed."""

    kind = "storage"


class LimitExceededError(FloebergError):
    """A limit of memory, decompressed size or depth would be exceeded."""

    kind = "limit_exceeded"


class CancelledError(FloebergError):
    """The caller cancelled the work."""

    kind = "cancelled"


class InternalError(FloebergError, RuntimeError):
    """A bug in Floeberg: please report it."""

    kind = "internal"
