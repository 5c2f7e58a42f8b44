"""How is a table committed in its folder, without a catalog?

Its metadata files are `metadata/v<V>.metadata.json`, and the highest `V` is current. A commit creates the next one
atomically, so that one of two writers wins. `metadata/version-hint.text` says where to start to search, and may be
stale. Spec: File System Tables.

A version may be reserved by a commit of several tables: see `reservation`. `settling` says what the table is then.
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
from floeberg.commit.operations import TableOperations, open_metadata, table_from_metadata
from floeberg.commit.reservation import RESERVATION, base_at, created_text
from floeberg.commit.settling import pending, settled, settled_for_commit, version_of_nothing
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
)

if TYPE_CHECKING:
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = ["HINT", "METADATA", "FileSystemTableOperations"]

METADATA: Final = "metadata"
"""The folder of metadata files, within the table's folder."""

HINT: Final = "version-hint.text"
"""The file in it that says where to start to search for the current version."""

_NAME: Final = re.compile(r"v([0-9]+)((?:\.gz)?\.metadata\.json|\.metadata\.json\.gz)")


@dataclass(frozen=True, repr=False)
class FileSystemTableOperations(TableOperations):
    """A table in a folder: Iceberg Java's `HadoopTableOperations`.

    Args:
        folder: The folder, as written.
        options: Its storage options.
    """

    folder: str
    options: dict[str, str]

    @property
    def storage_options(self) -> dict[str, str]:
        """Its storage options."""
        return self.options

    @staticmethod
    def is_version(metadata_location: str) -> bool:
        """Whether a metadata file has such a name."""
        return _number(metadata_location) > 0

    def load(self, known: OpenedTable | None) -> OpenedTable:
        """Returns the current table, or the `known` object if it is still current. Raises `NoSuchTableError`."""
        opened = open_metadata(self.folder, storage_options=self.storage_options)
        current = settled(self.folder, opened, _version, self.storage_options)
        same = (
            known is not None
            and RESERVATION not in known.properties
            and current.metadata_location == known.metadata_location
            and current.identity == known.identity
        )
        # The known object has a cache of manifests.
        return known if known is not None and same else current

    def load_base(self, known: OpenedTable | None) -> OpenedTable:
        """The current table, once no commit of several tables has reserved its version."""
        return settled_for_commit(lambda: self.load(known), _version, self.storage_options)

    def part_base(self, base: OpenedTable) -> OpenedTable:
        """The version that a commit of several tables reserves. It is not written yet."""
        try:
            suffix = suffix_of(base.properties)
        except InvalidInputError:
            # The commit may repair the property.
            suffix = suffix_of({})
        return base_at(base, self._location(_version(base) + 1, suffix))

    def next_location(self, base: OpenedTable, attempt: Attempt) -> str:
        """The metadata file of the version after a base."""
        return self._location(_version(base) + 1, suffix_of(_followed(base, attempt)))

    def new_location(self, attempt: Attempt) -> str:
        """The metadata file of a version that creates the table.

        Raises:
            CommitConflictError: The table exists.
        """
        last = self.last_version_of_nothing()
        if last is None:
            raise self._conflict(1)
        return self._location(last + 1, suffix_of(attempt.properties))

    def next_to(self, location: str) -> str:
        """The metadata file of the version after another one, with the same suffix."""
        suffix = location.rpartition("/")[2].partition(".")[2]
        return self._location(_number(location) + 1, f".{suffix}")

    @staticmethod
    def version_of(location: str) -> int:
        """The version of a metadata file; 0 for another name."""
        return _number(location)

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Writes the next version."""
        _check(base, attempt)
        if base is not None:
            if pending(base, _version(base)) is not None:
                raise self._reserved(_version(base))
            return self._commit_version(base, attempt, _version(base) + 1)
        try:
            return self._commit_version(None, attempt, 1)
        except CommitConflictError as conflict:
            if not conflict.retryable or (last := self.last_version_of_nothing()) is None:
                raise
            return self._commit_version(None, attempt, last + 1)

    def _commit_version(self, base: OpenedTable | None, attempt: Attempt, version: int) -> OpenedTable:
        # Every writer with the same base must choose the same name. The first version has no base.
        suffix = suffix_of(attempt.properties if base is None else _followed(base, attempt))
        location = self._location(version, suffix)
        if self._is_there_as_other(version, suffix):
            raise self._conflict(version)
        if not write_metadata_file(attempt, location, self.storage_options):
            raise self._conflict(version)
        if not self._stands(base, attempt, version, suffix):
            raise self._conflict(version)
        # The version exists. Readers do without a correct hint.
        with suppress(FloebergError):
            self._write_hint(version)
        if base is not None:
            remove_old_metadata(base, attempt, location, self.storage_options)
        return made_table(attempt, location)

    def last_version_of_nothing(self) -> int | None:
        """The last version in the folder of a table that does not exist; `None` where it exists.

        Commits of several tables that are given up may leave versions of a table that they would have created.
        """
        return version_of_nothing(self.folder, _version, self.storage_options)

    def check(self, base: OpenedTable | None, attempt: Attempt) -> None:
        """Raises `InvalidInputError` where an attempt would move the table or its metadata."""
        _check(base, attempt)

    def stands(self, base: OpenedTable, before: str) -> bool:
        """Whether the base of a reserved version still exists. Otherwise the version is removed again.

        Args:
            base: The reserved version.
            before: The metadata file before it.
        """
        there = self._exists(before)
        if not there:
            _native.remove_files([base.metadata_location], storage_options=self.storage_options)
        return there

    def is_there_as_other(self, location: str) -> bool:
        """Whether the version of a metadata file exists with another suffix."""
        suffix = location.rpartition("/")[2].partition(".")[2]
        return self._is_there_as_other(_number(location), f".{suffix}")

    def write_hint(self, table: OpenedTable) -> None:
        """Makes `version-hint.text` lead to a table that is current.

        Raises:
            StorageError: The store failed.
        """
        self._write_hint(_version(table))

    def _write_hint(self, version: int) -> None:
        _native.put_file(
            f"{self.folder}/{METADATA}/{HINT}",
            str(version).encode(),
            storage_options=self.storage_options,
        )

    def _stands(self, base: OpenedTable | None, attempt: Attempt, version: int, suffix: str) -> bool:
        """Whether the base of a new version still exists, or a first version is the only one. Else it is removed again.

        A base is missing where the table was dropped, or moved on and removed old versions. Two writers that create a
        table may give its first version different suffixes, and then neither sees the other before. Whoever drops a
        table removes its folder, with files of a commit that creates the table again.
        """
        location = self._location(version, suffix)
        lost: NotFoundError | None = None
        try:
            if base is None:
                stands = not self._is_there_as_other(version, suffix)
                lost = _lost_file(attempt, location) if stands else None
            else:
                stands = self._exists(base.metadata_location)
            if lost is not None or not stands:
                _native.remove_files([location], storage_options=self.storage_options)
        except FloebergError as failure:
            raise CommitStateUnknownError(
                f"a version was written, and the check of its base failed: {failure.message}",
                context={"metadata": location} | failure.context,
            ) from failure
        if lost is not None:
            raise CommitConflictError(
                "another writer created and dropped the table meanwhile, and files of this commit went with it: write "
                "the rows again",
                context={"path": self.folder} | lost.context,
            ) from lost
        return stands

    def _is_there_as_other(self, version: int, suffix: str) -> bool:
        """Whether the version exists with another suffix."""
        return any(self._exists(self._location(version, each)) for each in SUFFIXES if each != suffix)

    def includes(self, current: OpenedTable, attempt: Attempt, metadata_location: str) -> bool:
        """Whether the attempt is the current version or an earlier one. Attempts on one base share a name."""
        if not metadata_location or _version(current) < _number(metadata_location):
            return False
        try:
            return is_of(attempt, metadata_location, self.storage_options) or self._creates(
                attempt, metadata_location
            )
        except NoSuchTableError:
            return False

    def _creates(self, attempt: Attempt, location: str) -> bool:
        """Whether a metadata file is that of a table which the attempt creates, above the version that it reserved."""
        written = open_metadata(location, storage_options=self.storage_options)
        log = json.loads(written.metadata_json()).get("metadata-log", ())
        if len(log) != 1:
            return False
        text = created_text(attempt.metadata_json, log[0]["metadata-file"])
        wanted = table_from_metadata(text, location, storage_options=self.storage_options)
        return written.metadata_json() == wanted.metadata_json()

    def is_superseded(self, current: OpenedTable, attempt: Attempt, base_location: str | None) -> bool:
        """Whether the base is no longer current, and no commit of several tables is undecided."""
        return RESERVATION not in current.properties and super().is_superseded(
            current, attempt, base_location
        )

    def remove(self) -> None:
        """Removes all versions, the current one last. Otherwise an older one would become current."""
        names = [
            name
            for name, is_folder in _native.list_folder(
                f"{self.folder}/{METADATA}", storage_options=self.storage_options
            )
            if not is_folder and _NAME.fullmatch(name)
        ]
        names.sort(key=_number)
        with suppress(FloebergError):
            # The hint does not matter: versions do.
            _native.remove_files([f"{self.folder}/{METADATA}/{HINT}"], storage_options=self.storage_options)
        places = [f"{self.folder}/{METADATA}/{name}" for name in names]
        _native.remove_files(places, storage_options=self.storage_options)

    def _location(self, version: int, suffix: str) -> str:
        return f"{self.folder}/{METADATA}/v{version}{suffix}"

    def _exists(self, location: str) -> bool:
        return _native.file_exists(location, storage_options=self.storage_options)

    def _reserved(self, version: int) -> CommitConflictError:
        return CommitConflictError(
            f"a commit of several tables has reserved version {version} of the table, and was not decided",
            context={"path": self.folder},
            retryable=True,
        )

    def _conflict(self, version: int) -> CommitConflictError:
        return CommitConflictError(
            f"another writer made version {version} of the table",
            context={"path": self.folder},
            retryable=True,
        )


def _followed(base: OpenedTable, attempt: Attempt) -> dict[str, str]:
    """The properties for the name of the next version: those of the base, unless the commit repairs them."""
    try:
        suffix_of(base.properties)
    except InvalidInputError:
        suffix_of(attempt.properties)
        return {}
    return base.properties


def _lost_file(attempt: Attempt, location: str) -> NotFoundError | None:
    """The error for a file of an attempt that is not there any more; `None` where all are."""
    try:
        attempt.check_files(location)
    except NotFoundError as error:
        return error
    return None


def _check(base: OpenedTable | None, attempt: Attempt) -> None:
    """Raises where an attempt would move the table or its metadata."""
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
    # Readers look for the name of a version: `v02` is none.
    return 0 if found is None or found[1].startswith("0") else int(found[1])
