"""Which errors are those of an operating system that changes a folder?"""

from __future__ import annotations

import contextlib
import errno
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, PermissionDeniedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["folder_errors"]


@contextlib.contextmanager
def folder_errors(location: str) -> Iterator[None]:
    """Raises errors of the operating system in the block as errors of Floeberg, which name the location."""
    where = {"path": location}
    try:
        yield
    except PermissionError as failure:
        raise PermissionDeniedError(
            f"the folder cannot be changed: {failure.strerror or failure}", context=where
        ) from failure
    except OSError as failure:
        if failure.errno == errno.ENAMETOOLONG:
            raise InvalidInputError("the name is too long for the file system", context=where) from failure
        raise StorageError(
            f"the folder cannot be changed: {failure.strerror or failure}", context=where
        ) from failure
    except ValueError as failure:
        # A name with NUL.
        raise InvalidInputError(f"the folder cannot have this name: {failure}", context=where) from failure
