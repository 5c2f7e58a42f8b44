"""How is a view opened by its location?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_options, checked_path, checked_paths
from floeberg._keywords import says_keywords
from floeberg.view.view import View

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["open_view"]


@says_keywords
def open_view(
    location: str | os.PathLike[str],
    *,
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> View:
    """Opens a view by its location, without a catalog.

    Args:
        location: The directory of a view, or one of its metadata files; a path or a URI. Relative paths become
            absolute.
        relocate: For a view that was moved: its current prefixes, by the prefixes that were written.
        storage_options: Options of the storage. Reprs and errors do not show them.

    Returns:
        The view.

    Raises:
        NoSuchViewError: The location has no view.
        InvalidDataError: The metadata is damaged. The error names the file.
        UnsupportedError: It is a table, or the format version or the scheme of the location is not supported.

    Examples:
        >>> view = open_view(view_location)
        >>> view.sql_for("spark").sql
        'SELECT id, count(*) FROM jdbc.db.view_base GROUP BY id'
    """
    return View(
        _native.View.open(
            checked_path("location", location),
            relocate=checked_paths("relocate", relocate),
            storage_options=checked_options("storage_options", storage_options),
        )
    )
