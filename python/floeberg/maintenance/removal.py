"""How are files removed that a table does not need?

Each is logged by its path, in the log `floeberg.maintenance`: at `INFO` what was removed, at `WARNING` what was not.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._file_removal import own_folders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.commit.operations import OpenedTable

__all__ = ["Removed", "remove"]

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


def remove(files: Sequence[str], table: OpenedTable, *, folder: str | None = None) -> Removed:
    """Removes files of a table.

    Args:
        files: The files.
        table: The table.
        folder: The only folder of which files are removed; by default, the table's own locations.

    Returns:
        What happened to each.
    """
    kept, failures = _native.remove_unneeded_files(
        list(files),
        folders=own_folders(table) if folder is None else [folder],
        storage_options=table.storage_options,
    )
    failed = dict(failures)
    gone = set(files).difference(kept, failed)
    for file in files:
        shown = _native.without_passwords(file)
        if file in failed:
            _LOG.warning("did not remove %s: %s", shown, failed[file])
        elif file in gone:
            _LOG.info("removed %s", shown)
        else:
            _LOG.warning("kept %s, which is outside of the folders of the table", shown)
    return Removed(gone, kept, failed)
