"""Why is no table at a location, and what may be meant?

In: a location, and the error of who looked for a table. Out: the error for the user.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.errors import FloebergError, NoSuchTableError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["missing_table"]

_NAME: Final = re.compile(r"[^\W\d][\w-]*(\.[^\W\d][\w-]*)+")
"""What is written as the name of a table in a catalog."""


def missing_table(
    error: NoSuchTableError, location: str, storage_options: Mapping[str, str], *, is_either: bool
) -> NoSuchTableError:
    """The error of a location without a table.

    Args:
        error: What was looked for.
        location: The location, as the user wrote it.
        storage_options: The options of the storage.
        is_either: Whether a Lance table was looked for as well.
    """
    looked = f"{error.message}; and for a Lance table, _versions/*.manifest" if is_either else error.message
    meant = _meant(location, storage_options)
    message = looked if meant is None else f"{looked}. {meant}"
    return NoSuchTableError(message, context=error.context, retryable=error.retryable)


def _meant(location: str, storage_options: Mapping[str, str]) -> str | None:
    """What the user may have meant, and what to do then; `None` if nothing says it."""
    found: list[tuple[str, bool]] = []
    with suppress(FloebergError):
        place = _native.location_from_user(location)
        found = _native.list_folder(place, storage_options=dict(storage_options))
    folders = {name for name, is_folder in found if is_folder}
    if "_delta_log" in folders:
        return (
            "It is a Delta table: make a table of its files beside it with fb.snapshot_table, or in place with "
            "fb.migrate_table"
        )
    if ".hoodie" in folders:
        return "It is a Hudi table, which Floeberg does not read: read its rows with Spark, and append them to a table"
    if any(name.endswith(".parquet") for name, is_folder in found if not is_folder):
        return (
            "It has Parquet files, which are no table by themselves: make a table of them with fb.snapshot_table, or "
            "add them to a table with table.add_files"
        )
    if not found and _NAME.fullmatch(location) and not location.endswith((".json", ".lance")):
        return (
            f"If {location!r} is the name of a table in a catalog: load_catalog(...).load_table({location!r})"
        )
    return None
