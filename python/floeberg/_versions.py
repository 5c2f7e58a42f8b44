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
from floeberg._removals import own_folders, tell_of_left
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

_NAME: Final = re.compile(r"v([0-9]+)((?:\.gz)?\.metadata\.json|\.metadata\.json\.gz)")
_HINT: Final = "version-hint.text"
_PLAIN: Final = ".metadata.json"
_GZIP: Final = ".gz.metadata.json"
_OLD_GZIP: Final = ".metadata.json.gz"
_SUFFIXES: Final = (_PLAIN, _GZIP, _OLD_GZIP)


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
        # Every writer of one base gives the next version one name. The first version has no base.
        suffix = suffix_of(attempt.table("").properties if base is None else _followed(base, attempt))
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
        return location

    def _stands(self, base: _native.Table | None, version: int, suffix: str) -> bool:
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
                f"a version was written, and whether it follows the one before is not known: {failure.message}",
                context={"metadata": location} | failure.context,
            ) from failure
        return stands

    def _is_there_as_other(self, version: int, suffix: str) -> bool:
        """Is there a version under another name than this?"""
        return any(self._exists(self._location(version, each)) for each in _SUFFIXES if each != suffix)

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


def _followed(base: _native.Table, attempt: Attempt) -> dict[str, str]:
    """The properties that say how the version after a base is stored: the base's, unless a commit mends those."""
    try:
        suffix_of(base.properties)
    except InvalidInputError:
        suffix_of(attempt.table("").properties)
        return {}
    return base.properties


def remove_old_metadata(
    base: _native.Table, attempt: Attempt, location: str, storage_options: dict[str, str]
) -> None:
    """Removes the metadata files that a commit dropped from the log, where the table's properties ask for it.

    The log of a table that others made may name any file: only metadata files below the table's own locations go, and
    none that has the name of one that is still needed. What cannot be removed stays: the commit is made.

    Args:
        base: The table before the commit.
        attempt: The commit.
        location: The metadata file that is current now.
        storage_options: The options of the table's store.
    """
    after = attempt.table(location)
    if after.properties.get("write.metadata.delete-after-commit.enabled", "false").lower() != "true":
        return
    log = json.loads(attempt.metadata_json).get("metadata-log", ())
    kept = {_file_name(each) for each in (location, base.metadata_location, *map(_logged, log))}
    before = map(_logged, json.loads(base.metadata_json()).get("metadata-log", ()))
    old = [each for each in before if _file_name(each) not in kept and each.endswith(_SUFFIXES)]
    with suppress(FloebergError):
        folders = own_folders(base)
        tell_of_left(_native.remove_files_below(old, folders=folders, storage_options=storage_options), base)


def _logged(entry: dict[str, str]) -> str:
    return entry["metadata-file"]


def _file_name(location: str) -> str:
    return location.rsplit("/", 1)[-1]


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
