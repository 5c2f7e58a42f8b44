"""How does a new metadata file become the stored one, and what is known where this fails?

The file is written before. It is removed only where the catalog certainly has another location.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import CommitStateUnknownError, FloebergError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["store_location"]


def store_location(
    location: str,
    *,
    store: Callable[[], None],
    stored: Callable[[], str | None],
    storage_options: Callable[[], Mapping[str, str]],
) -> None:
    """Stores the location of a metadata file that was just written.

    Args:
        location: The location.
        store: Stores it, if the base is still current.
        stored: Loads the stored location.
        storage_options: The options to remove the file with, should it not become current.

    Raises:
        CommitStateUnknownError: The outcome is unknown. The context has the location as `metadata`.
        Exception: That of `store`. Nothing was changed.
    """
    try:
        store()
    except CommitStateUnknownError as failure:
        raise CommitStateUnknownError(
            failure.message, context=failure.context | {"metadata": location}
        ) from failure
    except Exception as failure:
        # The catalog may be wrong that nothing was changed: the file is removed only where it has another location.
        if _kept(stored, location, failure) != location:
            # After any other exception a request may still arrive.
            if isinstance(failure, FloebergError):
                with suppress(FloebergError):
                    _native.remove_files([location], storage_options=dict(storage_options()))
            raise


def _kept(stored: Callable[[], str | None], location: str, failure: Exception) -> str | None:
    """The stored location after a failure. Raises `CommitStateUnknownError` where it cannot be loaded."""
    try:
        return stored()
    except Exception as unknown:
        raise CommitStateUnknownError(
            f"the catalog failed, and its current metadata file is unknown: {failure}",
            context={"metadata": location},
        ) from unknown
