"""How are files removed that a table does not need?

Each is logged by its path, in the log `floeberg.maintenance`: at `INFO` what was removed, at `WARNING` what was not.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._file_removal import own_folders
from floeberg._secrets import without_secrets
from floeberg.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from floeberg.commit.operations import OpenedTable
    from floeberg.progress.reporting import Reporter

__all__ = ["Removed", "check_neighbours", "check_place", "check_registered_once", "counts_by_role", "remove"]

_AT_ONCE = 256
_COUNTS = {
    "data": "deleted_data_files_count",
    "position deletes": "deleted_position_delete_files_count",
    "equality deletes": "deleted_equality_delete_files_count",
    "manifest": "deleted_manifest_files_count",
    "manifest list": "deleted_manifest_lists_count",
    "statistics": "deleted_statistics_files_count",
    "metadata": "deleted_metadata_files_count",
}

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
            "metadata": without_secrets(table.metadata_location),
            "location": without_secrets(table.location),
        },
    )


def check_neighbours(table: OpenedTable, folder: str, metadata_locations: Iterable[str]) -> None:
    """Raises where another table of the catalog has a folder, or one below or above it.

    Args:
        table: The table whose files are to be removed.
        folder: The folder.
        metadata_locations: The metadata files of the other tables.

    Raises:
        InvalidInputError: One has.
        InvalidDataError: A metadata file of another table cannot be read.
    """
    others = list(metadata_locations)
    if others:
        _native.check_no_other_table(folder, metadata_locations=others, storage_options=table.storage_options)


def check_registered_once(table: OpenedTable, others: Mapping[str, str], instead: str) -> None:
    """Raises where the catalog has a table by another name, too: what one name does not need, the other one may.

    Args:
        table: The table whose files are to be removed.
        others: The metadata files of the other tables of the catalog, and how an error names each.
        instead: What a user can do, for the error.

    Raises:
        InvalidInputError: It has.
        InvalidDataError: A metadata file in the locations of the table, which another name has, cannot be read.
    """
    # Whoever commits to the same table writes metadata files to the same folder.
    for location in _native.files_below(list(others), folders=own_folders(table)) if others else ():
        try:
            other = _native.Table.open_metadata(location, storage_options=dict(table.storage_options))
            table.check_same_table(other)
        except NotFoundError:
            # Its metadata file is gone, or it is another table.
            continue
        raise InvalidInputError(
            f"files of the table are not removed, since {others[location]} of the catalog is the same table, and needs "
            f"them: {instead}",
            context={"other": without_secrets(location)},
        )


def counts_by_role(roles: Mapping[str, str], gone: Iterable[str]) -> dict[str, int]:
    """How many files of each role are gone, by the names that results have for them.

    Args:
        roles: The role of each file.
        gone: The files that are gone.
    """
    counts = Counter(roles[each] for each in gone)
    return {name: counts[role] for role, name in _COUNTS.items()}


def remove(
    files: Sequence[str],
    table: OpenedTable,
    *,
    folder: str | None = None,
    outside: bool = False,
    reporter: Reporter | None = None,
) -> Removed:
    """Removes files of a table, many at a time. Each that goes, or stays, is a line of the log.

    Args:
        files: The files.
        table: The table.
        folder: The only folder of which files are removed; by default, the table's own locations.
        outside: Whether files anywhere else are removed too.
        reporter: What is called with the number of files that are done with.

    Returns:
        What happened to each.
    """
    folders = None if outside else own_folders(table) if folder is None else [folder]
    gone: set[str] = set()
    kept: list[str] = []
    failed: dict[str, str] = {}
    # What was removed before Ctrl-C is logged, too.
    for first in range(0, len(files), _AT_ONCE):
        some = list(files[first : first + _AT_ONCE])
        elsewhere, failures = _native.remove_unneeded_files(
            some, folders=folders, storage_options=table.storage_options
        )
        kept += elsewhere
        failed |= dict(failures)
        gone.update(set(some).difference(elsewhere, failed))
        for file in some:
            _log(file, failed.get(file), is_gone=file in gone)
        if reporter is not None:
            reporter.tell("removing", files=first + len(some), of_files=len(files))
    return Removed(gone, kept, failed)


def _log(file: str, failure: str | None, *, is_gone: bool) -> None:
    shown = without_secrets(file)
    if failure is not None:
        _LOG.warning("did not remove %s: %s", shown, failure)
    elif is_gone:
        _LOG.info("removed %s", shown)
    else:
        _LOG.warning("kept %s, which is outside of the folders of the table", shown)
