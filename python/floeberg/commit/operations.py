"""What keeps a table?

The contract between commits, which are the same everywhere, and catalogs, of which each keeps tables in its own way.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

from floeberg import _native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.attempt import Attempt

__all__ = ["OpenedTable", "TableOperations", "open_metadata", "table_from_metadata"]

OpenedTable: TypeAlias = _native.Table
"""A table at one moment: its metadata (`metadata_json()`), their `metadata_location`, its `storage_options`."""


class TableOperations(ABC):
    """What keeps a table, and where: Iceberg Java's class of the same name.

    Who derives from this keeps these rules, and every commit is then safe:

    1. `load` gives the table as it is now: what every later `load`, of whatever process, gives too until a commit.
       `NoSuchTableError` says that there is none.
    2. `commit` takes an attempt and the table that it was made on, its base; with `None` there is to be no table yet.
       It makes the attempt current if the base still is, in one step that nobody sees half of. A server may take an
       attempt on an older base too, where all its requirements hold. It never takes one twice.
    3. It gives back the table that it made. Who keeps metadata files writes the attempt's (`attempt.write_metadata`),
       and gives `attempt.table(location)`. Who has a server that makes the metadata sends the requirements and the
       updates, and gives `table_from_metadata` of the answer.
    4. `CommitConflictError` says that the base is no longer current, and that nothing was changed. With
       `retryable=True` the operations are tried again on the table that `load` gives then. `TableAlreadyExistsError`
       says it where there was to be no table.
    5. `CommitStateUnknownError` says that it is not known whether the attempt became current: an answer was lost, a
       time ran out. Its context has the attempt's own metadata file as `metadata`, where one was written.
    6. Every other `FloebergError` says that nothing was changed and that nothing will be. Where this is not certain,
       rule 5 holds.
    7. Nothing that the attempt wrote is removed here. A metadata file that `commit` wrote itself is removed only where
       it is known that it did not become current.
    8. `includes` is asked after rule 5 alone: is the attempt current, or part of the history of what is? Commits with
       snapshots are found by their key without it. `False` where that cannot be told.
    9. `is_superseded` is asked then too: is it certain that the attempt will not become current any more? Only then
       may its files be removed.
    10. The options of stores are a table's own: those that `load` and `commit` open it with reach its files, and go to
        workers with its scans and writes. Options that end name their provider: see `floeberg.storage_options`.
    11. It crosses to other processes: it holds names and options, and no connection that cannot be made again.
    """

    @property
    @abstractmethod
    def storage_options(self) -> Mapping[str, str]:
        """The options that the files of a table are reached by that is not there yet."""

    @abstractmethod
    def load(self, known: OpenedTable | None) -> OpenedTable:
        """The table as it is now: the known one, with what it has read, where that is current. Rule 1."""

    @abstractmethod
    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Makes an attempt current if its base still is, and gives the table that this made. Rules 2 to 7."""

    def includes(self, current: OpenedTable, attempt: Attempt, metadata_location: str) -> bool:
        """Is an attempt part of the current table? Rule 8.

        Here it is, where the metadata log has its metadata file: names of metadata files are used once.

        Args:
            current: The table as it is now.
            attempt: The attempt.
            metadata_location: Its own metadata file, which rule 5 told; empty where there is none.
        """
        del attempt
        log = json.loads(current.metadata_json()).get("metadata-log", ())
        return metadata_location in {current.metadata_location, *(each["metadata-file"] for each in log)}

    def is_superseded(self, current: OpenedTable, attempt: Attempt, base_location: str | None) -> bool:
        """Can an attempt of unknown outcome take effect no more? Rule 9.

        Here so, where its base is no longer current. A server that looks at requirements alone may take it later on.

        Args:
            current: The table as it is now, which does not include the attempt.
            attempt: The attempt.
            base_location: The metadata file of its base; `None` where there was to be no table.
        """
        del attempt
        return base_location != current.metadata_location

    def check_writable(self) -> None:
        """Raises `UnsupportedError`, saying what to do, where the table cannot be written."""
        return


def open_metadata(metadata_location: str, *, storage_options: Mapping[str, str]) -> OpenedTable:
    """Opens the metadata file that a catalog names. Its location is taken as it was written.

    Raises:
        NoSuchTableError: The file does not exist.
        InvalidDataError: The metadata is damaged.
    """
    return _native.Table.open_metadata(metadata_location, storage_options=dict(storage_options))


def table_from_metadata(
    metadata_json: str,
    metadata_location: str,
    *,
    storage_options: Mapping[str, str],
    earlier: OpenedTable | None = None,
) -> OpenedTable:
    """Opens metadata that a catalog has at hand. Nothing is read.

    Args:
        metadata_json: The metadata.
        metadata_location: The file that they are in, for processes that the table is sent to.
        storage_options: The options that the table's files are reached by.
        earlier: The table at an earlier moment, whose manifests need not be read again.

    Raises:
        InvalidDataError: The metadata is damaged.
    """
    return _native.Table.from_metadata(
        metadata_json, metadata_location, storage_options=dict(storage_options), earlier=earlier
    )
