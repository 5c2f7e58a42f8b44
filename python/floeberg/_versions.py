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
from floeberg.commits import is_of, write_metadata_file
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    NoSuchTableError,
)

if TYPE_CHECKING:
    from floeberg.commits import Attempt

__all__ = ["METADATA", "Versions", "remove_old_metadata", "suffix_of"]

METADATA: Final = "metadata"
"""The folder of the versions, in that of the table."""

_NAME: Final = re.compile(r"v(\d+)((?:\.gz)?\.metadata\.json|\.metadata\.json\.gz)")
_HINT: Final = "version-hint.text"
_PLAIN: Final = ".metadata.json"
_GZIP: Final = ".gz.metadata.json"
_OLD_GZIP: Final = ".metadata.json.gz"


@dataclass(frozen=True, repr=False)
class Versions:
    """A table in a folder.

    Args:
        folder: The folder, as the table writes it.
        storage_options: The options of its store.
    """

    folder: str
    storage_options: dict[str, str]

    @staticmethod
    def is_version(metadata_location: str) -> bool:
        """Is a metadata file named as this does?"""
        return _number(metadata_location) > 0

    def check(self) -> None:
        """It can be written."""

    def load(self, known: _native.Table | None) -> _native.Table:
        """The table as it is now, the known one where that is current. Raises `NoSuchTableError`."""
        current = _native.Table.open_metadata(self.folder, storage_options=self.storage_options)
        same = (
            known is not None
            and current.metadata_location == known.metadata_location
            and current.identity == known.identity
        )
        # The one that is known has manifests in its cache.
        return known if known is not None and same else current

    def commit(self, base: _native.Table | None, attempt: Attempt) -> str:
        """Writes the next version. See `floeberg.commits.Home`."""
        _check(base, attempt)
        version = 1 if base is None else _version(base) + 1
        # Every writer of one base gives the next version one name. The first version has no base, and is plain.
        suffix = _PLAIN if base is None else suffix_of(base.properties)
        location = self._location(version, suffix)
        for other in {_PLAIN, _GZIP, _OLD_GZIP} - {suffix}:
            if self._exists(self._location(version, other)):
                raise self._conflict(version)
        if not write_metadata_file(attempt, location, self.storage_options):
            raise self._conflict(version)
        if base is not None and not self._follows(base, location):
            raise self._conflict(version)
        # The version is there. What fails from here on is made up for by whoever reads.
        with suppress(FloebergError):
            _native.put_file(
                f"{self.folder}/{METADATA}/{_HINT}",
                str(version).encode(),
                storage_options=self.storage_options,
            )
        if base is not None:
            remove_old_metadata(base, attempt, self.storage_options)
        return location

    def _follows(self, base: _native.Table, location: str) -> bool:
        """Is the base of a new version still there? Else the new one is taken back.

        What follows nothing was written to a table that was dropped, or that went on long ago and removed old versions.
        """
        try:
            if self._exists(base.metadata_location):
                return True
            _native.remove_files([location], storage_options=self.storage_options)
        except FloebergError as failure:
            raise CommitStateUnknownError(
                f"a version was written, and whether it follows the one before is not known: {failure.message}",
                context={"metadata": location} | failure.context,
            ) from failure
        return False

    def holds(self, current: _native.Table, attempt: Attempt, location: str) -> bool:
        """Is the attempt the current version, or one before it?"""
        if not location or _version(current) < _number(location):
            return False
        try:
            return is_of(attempt, location, self.storage_options)
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
        places = [f"{self.folder}/{METADATA}/{name}" for name in (_HINT, *names)]
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


def suffix_of(properties: dict[str, str]) -> str:
    """What the names of metadata files end with, by the table's property `write.metadata.compression-codec`.

    Raises:
        InvalidInputError: The codec is none of the specification.
    """
    codec = properties.get("write.metadata.compression-codec", "none")
    if codec.lower() not in ("none", "gzip"):
        raise InvalidInputError(
            f"the table's property 'write.metadata.compression-codec' is {codec!r}: expected 'none' or 'gzip'"
        )
    return _GZIP if codec.lower() == "gzip" else _PLAIN


def remove_old_metadata(base: _native.Table, attempt: Attempt, storage_options: dict[str, str]) -> None:
    """Removes the metadata files that a commit dropped from the log, where the table's properties ask for it.

    What cannot be removed stays: the commit is made.
    """
    if base.properties.get("write.metadata.delete-after-commit.enabled", "false").lower() != "true":
        return
    kept = {each["metadata-file"] for each in json.loads(attempt.metadata_json).get("metadata-log", ())}
    before = json.loads(base.metadata_json()).get("metadata-log", ())
    old = [each["metadata-file"] for each in before if each["metadata-file"] not in kept]
    with suppress(FloebergError):
        _native.remove_files(old, storage_options=storage_options)


def _check(base: _native.Table | None, attempt: Attempt) -> None:
    """Can the table stay where it is?"""
    for update in json.loads(attempt.updates_json):
        if "write.metadata.path" in update.get("updates", {}):
            raise InvalidInputError(
                "a table in a folder keeps its metadata there: the property 'write.metadata.path' cannot be set"
            )
        if update["action"] == "set-location" and base is not None:
            raise InvalidInputError("a table in a folder stays there: its location cannot be set")


def _version(table: _native.Table) -> int:
    return _number(table.metadata_location)


def _number(location: str) -> int:
    found = _NAME.fullmatch(location.rsplit("/", 1)[-1])
    return 0 if found is None else int(found[1])
