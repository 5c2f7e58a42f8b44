"""How is the metadata file of an attempt written, and which old ones are removed?"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg._file_removal import log_kept_files, own_folders
from floeberg._table_properties import flag_of, word_of
from floeberg.commit.operations import open_metadata
from floeberg.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    FloebergError,
    NoSuchTableError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = [
    "GZIP_SUFFIXES",
    "SUFFIXES",
    "is_of",
    "made_table",
    "remove_old_metadata",
    "suffix_of",
    "write_metadata_file",
]

_PLAIN: Final = ".metadata.json"
_GZIP: Final = ".gz.metadata.json"
_OLD_GZIP: Final = ".metadata.json.gz"
SUFFIXES: Final = (_PLAIN, _GZIP, _OLD_GZIP)
"""The suffixes of metadata files."""
GZIP_SUFFIXES: Final = (_GZIP, _OLD_GZIP)
"""Those of compressed ones."""


def write_metadata_file(attempt: Attempt, location: str, storage_options: Mapping[str, str]) -> bool:
    """Writes the metadata of an attempt, if no file exists at the location.

    Returns:
        Whether it was written; `False` where another writer has a file there.

    Raises:
        CommitStateUnknownError: It may have been written.
        FloebergError: With any other error it was not written.
    """
    try:
        attempt.write_metadata(location, if_absent=True)
    except FloebergError as failure:
        # A store may have lost its answer to a first request, and found its own file at a second one.
        if not (failure.outcome_unknown or isinstance(failure, AlreadyExistsError)):
            raise
        try:
            found = is_of(attempt, location, storage_options)
        except NoSuchTableError:
            found = None
        except FloebergError:
            raise _unknown(location, failure) from failure
        if found is None:
            # It may yet come.
            raise _unknown(location, failure) from failure
        return found
    return True


def is_of(attempt: Attempt, location: str, storage_options: Mapping[str, str]) -> bool:
    """Whether a metadata file is that of an attempt. Raises `NoSuchTableError`."""
    written = open_metadata(location, storage_options=storage_options)
    return written.metadata_json() == attempt.table(location).metadata_json()


def made_table(attempt: Attempt, location: str) -> OpenedTable:
    """The table of an attempt that became current.

    Raises:
        CommitStateUnknownError: It cannot be opened. The caller loads the current table again.
    """
    try:
        return attempt.table(location)
    except FloebergError as failure:
        raise _unknown(location, failure) from failure


def suffix_of(properties: dict[str, str]) -> str:
    """The suffix of metadata files, by the table's property `write.metadata.compression-codec`.

    Raises:
        InvalidInputError: The codec is neither `none` nor `gzip`.
    """
    return _GZIP if word_of(properties, "write.metadata.compression-codec") == "gzip" else _PLAIN


def remove_old_metadata(
    base: OpenedTable,
    attempt: Attempt,
    location: str,
    storage_options: Mapping[str, str],
    *,
    before: OpenedTable | None = None,
) -> None:
    """Removes the metadata files that a commit dropped from the log, if the table's properties ask for it.

    A metadata log may name any file. So only metadata files below the table's own locations are removed, and only if
    nothing needs them any more. A file that cannot be removed stays: the commit is done.

    Args:
        base: The table before the commit.
        attempt: The commit.
        location: The metadata file that is current now.
        storage_options: The table's storage options.
        before: The table before its base, where the commit made both versions.
    """
    with suppress(FloebergError):
        if flag_of(attempt.properties, "write.metadata.delete-after-commit.enabled"):
            earlier = [] if before is None else [*_log_of(before), before.metadata_location]
            _remove_old(base, attempt, location, storage_options, earlier)


def _remove_old(
    base: OpenedTable,
    attempt: Attempt,
    location: str,
    storage_options: Mapping[str, str],
    earlier: Sequence[str],
) -> None:
    log = json.loads(attempt.metadata_json).get("metadata-log", ())
    kept = {_file_name(each) for each in (location, base.metadata_location, *map(_logged, log))}
    before = dict.fromkeys([*_log_of(base), *earlier])
    old = [each for each in before if _file_name(each) not in kept and each.endswith(SUFFIXES)]
    folders = own_folders(base)
    log_kept_files(
        _native.remove_files_below(old, folders=folders, storage_options=dict(storage_options)), base
    )


def _log_of(table: OpenedTable) -> list[str]:
    return [_logged(each) for each in json.loads(table.metadata_json()).get("metadata-log", ())]


def _logged(entry: dict[str, str]) -> str:
    return entry["metadata-file"]


def _file_name(location: str) -> str:
    return location.rsplit("/", 1)[-1]


def _unknown(location: str, failure: FloebergError) -> CommitStateUnknownError:
    return CommitStateUnknownError(
        f"whether the metadata file became part of the table is not known: {failure.message}",
        context={"metadata": location} | failure.context,
    )
