"""How are files removed that a table does not need?

Each is logged by its path, in the log `floeberg.maintenance`: at `INFO` what was removed, at `WARNING` what was not.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._file_removal import own_folders
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.commit.operations import OpenedTable

__all__ = ["Removed", "check_place", "remove"]

_AT_ONCE = 256

_LOG = logging.getLogger("floeberg.maintenance")


class Removed:
    """Files by what happened to them.

    Attributes:
        gone: Those that were removed.
        kept: Those that are elsewhere.
        failed: Those that the store did not remove, and why.
    """

    def __init__(self, gone: set[str], kept: Sequence[str], failed: dict[str, str]) -> None:
        """Takes each file once."""
        self.gone = gone
        self.kept = tuple(kept)
        self.failed = failed


def check_place(table: OpenedTable) -> None:
    """Raises where files that the table names may be those of another one: it was copied, moved or linked.

    Raises:
        InvalidInputError: The metadata file is not below the locations of the table, links followed.
    """
    if _native.files_below([table.metadata_location], folders=own_folders(table)):
        return
    raise InvalidInputError(
        "the metadata file is outside of the locations of the table: it was copied, moved or linked, and its files may "
        "be those of another table",
        context={
            "metadata": _native.without_passwords(table.metadata_location),
            "location": _native.without_passwords(table.location),
        },
    )


def remove(files: Sequence[str], table: OpenedTable, *, folder: str | None = None) -> Removed:
    """Removes files of a table.

    Args:
        files: The files.
        table: The table.
        folder: The only folder of which files are removed; by default, the table's own locations.

    Returns:
        What happened to each.
    """
    folders = own_folders(table) if folder is None else [folder]
    gone: set[str] = set()
    kept: list[str] = []
    failed: dict[str, str] = {}
    # What was removed before Ctrl-C is logged, too.
    for first in range(0, len(files), _AT_ONCE):
        some = list(files[first : first + _AT_ONCE])
        outside, failures = _native.remove_unneeded_files(
            some, folders=folders, storage_options=table.storage_options
        )
        kept += outside
        failed |= dict(failures)
        gone.update(set(some).difference(outside, failed))
        for file in some:
            _log(file, failed.get(file), is_gone=file in gone)
    return Removed(gone, kept, failed)


def _log(file: str, failure: str | None, *, is_gone: bool) -> None:
    shown = _native.without_passwords(file)
    if failure is not None:
        _LOG.warning("did not remove %s: %s", shown, failure)
    elif is_gone:
        _LOG.info("removed %s", shown)
    else:
        _LOG.warning("kept %s, which is outside of the folders of the table", shown)
