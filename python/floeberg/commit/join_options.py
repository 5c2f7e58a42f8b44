"""Which options do operations have that join a source to a table?"""

from __future__ import annotations

from typing import Literal

from floeberg.errors import InvalidInputError

__all__ = ["NullKeys", "OnConflict", "checked_null_keys"]

NullKeys = Literal["error", "equal"]
"""What a null in a key of a source is: an error, or equal to null."""

OnConflict = Literal["retry", "raise"]
"""What is done after a conflict: rows are looked for again on the newer table, or it is raised."""


def checked_null_keys(null_keys: NullKeys) -> NullKeys:
    """Returns what a null in a key means.

    Raises:
        InvalidInputError: It is another word.
    """
    if null_keys not in ("error", "equal"):
        raise InvalidInputError(f"null_keys: expected 'error' or 'equal', found {null_keys!r}")
    return null_keys
