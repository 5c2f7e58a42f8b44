"""How does a new metadata file become the stored one, and what is known where this fails?

The file is written before. It is removed only where the catalog certainly has another location.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import CommitStateUnknownError, FloebergError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["remove_locations", "store_location", "store_locations"]


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
    store_locations([location], store=store, stored=lambda: [stored()], storage_options=[storage_options])


def store_locations(
    locations: Sequence[str],
    *,
    store: Callable[[], None],
    stored: Callable[[], list[str | None]],
    storage_options: Sequence[Callable[[], Mapping[str, str]]],
) -> None:
    """Stores the locations of metadata files that were just written, all or none.

    Args:
        locations: The locations.
        store: Stores them, if all bases are still current.
        stored: Loads the stored locations.
        storage_options: For each file, the options to remove it with, should it not become current.

    Raises:
        CommitStateUnknownError: The outcome is unknown. The context has the first location as `metadata`.
        Exception: That of `store`. Nothing was changed.
    """
    try:
        store()
    except CommitStateUnknownError as failure:
        raise CommitStateUnknownError(
            failure.message, context=failure.context | {"metadata": locations[0]}
        ) from failure
    except Exception as failure:
        # The catalog may be wrong that nothing was changed: files are removed only where it has other locations.
        kept = _kept(stored, locations[0], failure)
        are_kept = [one == other for one, other in zip(kept, locations, strict=True)]
        if all(are_kept):
            return
        if any(are_kept):
            raise CommitStateUnknownError(
                f"the catalog failed, and has some of the new metadata files: {failure}",
                context={"metadata": locations[0]},
            ) from failure
        # After any other exception a request may still arrive.
        if isinstance(failure, FloebergError):
            remove_locations(locations, storage_options)
        raise


def remove_locations(
    locations: Sequence[str], storage_options: Sequence[Callable[[], Mapping[str, str]]]
) -> None:
    """Removes metadata files that did not become current. A file that stays harms nobody."""
    for location, options in zip(locations, storage_options, strict=True):
        with suppress(FloebergError):
            _native.remove_files([location], storage_options=dict(options()))


def _kept(stored: Callable[[], list[str | None]], location: str, failure: Exception) -> list[str | None]:
    """The stored locations after a failure. Raises `CommitStateUnknownError` where they cannot be loaded."""
    try:
        return stored()
    except Exception as unknown:
        raise CommitStateUnknownError(
            f"the catalog failed, and its current metadata file is unknown: {failure}",
            context={"metadata": location},
        ) from unknown
