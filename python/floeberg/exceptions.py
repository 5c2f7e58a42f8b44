"""The error classes of `floeberg.errors`, under PyIceberg's names.

Examples:
    >>> CommitFailedException.__name__, NoSuchTableError is errors.NoSuchTableError
    ('CommitConflictError', True)
"""

from floeberg import errors
from floeberg.errors import (
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    NotInstalledError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)

__all__ = [
    "CommitFailedException",
    "CommitStateUnknownException",
    "ForbiddenError",
    "NamespaceAlreadyExistsError",
    "NamespaceNotEmptyError",
    "NoSuchIcebergTableError",
    "NoSuchIdentifierError",
    "NoSuchNamespaceError",
    "NoSuchTableError",
    "NoSuchViewError",
    "NotInstalledError",
    "ResolveError",
    "TableAlreadyExistsError",
    "ValidationError",
    "ValidationException",
    "ViewAlreadyExistsError",
]

CommitFailedException = errors.CommitConflictError
CommitStateUnknownException = errors.CommitStateUnknownError
ForbiddenError = errors.PermissionDeniedError
NoSuchIcebergTableError = errors.NoSuchTableError
NoSuchIdentifierError = errors.NotFoundError
ResolveError = errors.InvalidDataError
ValidationError = errors.InvalidInputError
ValidationException = errors.CommitConflictError
"""Another writer committed a conflicting change."""
