"""How does a table live in a folder that no catalog knows?

Its metadata files are `metadata/v<V>.metadata.json`, and the highest `V` is the current one. A commit writes the next,
where there is none, in one step: of two writers one wins. `metadata/version-hint.text` says where to begin to look, and
may be stale. Spec: File System Tables.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.commit.metadata_file import (
    SUFFIXES,
    is_of,
    made_table,
    remove_old_metadata,
    suffix_of,
    write_metadata_file,
)
from floeberg.commit.operations import TableOperations, open_metadata
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    NoSuchTableError,
)

if TYPE_CHECKING:
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = ["METADATA", "FileSystemTableOperations"]

METADATA: Final = "metadata"
"""The folder of the versions, in that of the table."""

_NAME: Final = re.compile(r"v([0-9]+)((?:\.gz)?\.metadata\.json|\.metadata\.json\.gz)")
_HINT: Final = "version-hint.text"


@dataclass(frozen=True, repr=False)
class FileSystemTableOperations(TableOperations):
    """A table in a folder: Iceberg Java's `HadoopTableOperations`.

    Args:
        folder: The folder, as the table writes it.
        options: The options of its store.
    """

    folder: str
    options: dict[str, str]

    @property
    def storage_options(self) -> dict[str, str]:
        """The options of its store."""
        return self.options

    @staticmethod
    def is_version(metadata_location: str) -> bool:
        """Is a metadata file named as this does?"""
        return _number(metadata_location) > 0

    def load(self, known: OpenedTable | None) -> OpenedTable:
        """The table as it is now, the known one where that is current. Raises `NoSuchTableError`."""
        current = open_metadata(self.folder, storage_options=self.storage_options)
        same = (
            known is not None
            and current.metadata_location == known.metadata_location
            and current.identity == known.identity
        )
        # The one that is known has manifests in its cache.
        return known if known is not None and same else current

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Writes the next version."""
        _check(base, attempt)
        version = 1 if base is None else _version(base) + 1
        # Every writer of one base gives the next version one name. The first version has no base.
        suffix = suffix_of(attempt.properties if base is None else _followed(base, attempt))
        location = self._location(version, suffix)
        if self._is_there_as_other(version, suffix):
            raise self._conflict(version)
        if not write_metadata_file(attempt, location, self.storage_options):
            raise self._conflict(version)
        if not self._stands(base, version, suffix):
            raise self._conflict(version)
        # The version is there. What fails from here on is made up for by whoever reads.
        with suppress(FloebergError):
            _native.put_file(
                f"{self.folder}/{METADATA}/{_HINT}",
                str(version).encode(),
                storage_options=self.storage_options,
            )
        if base is not None:
            remove_old_metadata(base, attempt, location, self.storage_options)
        return made_table(attempt, location)

    def _stands(self, base: OpenedTable | None, version: int, suffix: str) -> bool:
        """Is the base of a new version still there, and a first version the only one? Else the new one is taken back.

        What follows nothing was written to a table that was dropped, or that went on long ago and removed old versions.
        Two that make a table may name its first version by other suffixes, and neither then sees the other before.
        """
        location = self._location(version, suffix)
        try:
            if base is None:
                stands = not self._is_there_as_other(version, suffix)
            else:
                stands = self._exists(base.metadata_location)
            if not stands:
                _native.remove_files([location], storage_options=self.storage_options)
        except FloebergError as failure:
            raise CommitStateUnknownError(
                f"a version was written, and the check of its base failed: {failure.message}",
                context={"metadata": location} | failure.context,
            ) from failure
        return stands

    def _is_there_as_other(self, version: int, suffix: str) -> bool:
        """Is there a version under another name than this?"""
        return any(self._exists(self._location(version, each)) for each in SUFFIXES if each != suffix)

    def includes(self, current: OpenedTable, attempt: Attempt, metadata_location: str) -> bool:
        """Is the attempt the current version, or one before it? Every attempt on one base has the same name."""
        if not metadata_location or _version(current) < _number(metadata_location):
            return False
        try:
            return is_of(attempt, metadata_location, self.storage_options)
        except NoSuchTableError:
            return False

    def remove(self) -> None:
        """Removes the versions, so that there is no table: the current one last, or an older one would become it."""
        names = [
            name
            for name, is_folder in _native.list_folder(
                f"{self.folder}/{METADATA}", storage_options=self.storage_options
            )
            if not is_folder and _NAME.fullmatch(name)
        ]
        names.sort(key=_number)
        with suppress(FloebergError):
            # Whatever stands in the place of the hint: what counts are the versions.
            _native.remove_files([f"{self.folder}/{METADATA}/{_HINT}"], storage_options=self.storage_options)
        places = [f"{self.folder}/{METADATA}/{name}" for name in names]
        _native.remove_files(places, storage_options=self.storage_options)

    def _location(self, version: int, suffix: str) -> str:
        return f"{self.folder}/{METADATA}/v{version}{suffix}"

    def _exists(self, location: str) -> bool:
        return _native.file_exists(location, storage_options=self.storage_options)

    def _conflict(self, version: int) -> CommitConflictError:
        return CommitConflictError(
            f"another writer made version {version} of the table",
            context={"path": self.folder},
            retryable=True,
        )


def _followed(base: OpenedTable, attempt: Attempt) -> dict[str, str]:
    """The properties that say how the version after a base is stored: the base's, unless a commit mends those."""
    try:
        suffix_of(base.properties)
    except InvalidInputError:
        suffix_of(attempt.properties)
        return {}
    return base.properties


def _check(base: OpenedTable | None, attempt: Attempt) -> None:
    """Can the table stay where it is?"""
    for update in json.loads(attempt.updates_json):
        if "write.metadata.path" in update.get("updates", {}):
            raise InvalidInputError(
                "the property 'write.metadata.path' cannot be set: a table without a catalog keeps its metadata in its "
                "folder"
            )
        if update["action"] == "set-location" and base is not None:
            raise InvalidInputError(
                "the location cannot be set: a table without a catalog stays in its folder"
            )


def _version(table: OpenedTable) -> int:
    return _number(table.metadata_location)


def _number(location: str) -> int:
    found = _NAME.fullmatch(location.rsplit("/", 1)[-1])
    return 0 if found is None else int(found[1])
