"""How is a table loaded and committed?

The contract between commits, which are the same everywhere, and catalogs, which store tables in different ways.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

from floeberg import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.commit.attempt import Attempt
    from floeberg.commit.new_table import NewTable
    from floeberg.metrics.delivery import MetricsSink

__all__ = ["OpenedTable", "ScanPlanner", "TableOperations", "open_metadata", "table_from_metadata"]

OpenedTable: TypeAlias = _native.Table
"""A state of a table: its `metadata_json()`, its `metadata_location` and its `storage_options`."""
ScanPlanner: TypeAlias = "Callable[[str], tuple[list[str], dict[str, str] | None]]"
"""Takes the JSON of a `PlanTableScanRequest`. Returns those of the answers with tasks, and options of their storage or
`None`."""


class TableOperations(ABC):
    """Loads a table and commits to it, like `TableOperations` in Iceberg Java.

    Commits are safe if a subclass keeps these rules:

    1. `load` returns the current table. Until the next commit, every `load` in any process returns the same table. It
       raises `NoSuchTableError` where the table does not exist.
    2. `commit` takes an attempt and its base, the table that the attempt was made on. A base of `None` creates the
       table. It makes the attempt current, atomically, if the base is still current. A server may accept an attempt on
       an older base too, where all its requirements hold. It never accepts an attempt twice.
    3. `commit` returns the new table. A catalog of metadata files writes the metadata of the attempt
       (`attempt.write_metadata`), and returns `attempt.table(location)`. Where a server makes the metadata, its client
       sends the requirements and the updates, and returns `table_from_metadata` of the response.
    4. `CommitConflictError` means that the base is not current any more, and that nothing was changed. With
       `retryable=True` the operations are retried on the table that `load` returns then. Where the table was to be
       created, `TableAlreadyExistsError` means the same.
    5. `CommitStateUnknownError` means that the attempt may have become current: a response was lost, or a request timed
       out. Its context has the attempt's own metadata file as `metadata`, where one was written. A cause that is an
       error of rule 4 is the error where the table then shows that the attempt did not.
    6. Every other `FloebergError` means that nothing was changed, and nothing will be. Where this is not certain, rule
       5 holds.
    7. `commit` removes no file of the attempt. It may remove a metadata file that it wrote itself, and only where this
       file certainly did not become current.
    8. `includes` is called after rule 5 only: is the attempt the current state, or in its history? Commits with
       snapshots are found by their key without it. `False` means no, or not known.
    9. `is_superseded` is called then too: is it certain that the attempt will never become current? Only then may its
       files be removed.
    10. Storage options belong to a table. Workers get the options that `load` and `commit` opened the table with,
        together with its scans and writes. Options that expire name their provider: see `floeberg.storage_options`.
    11. The object can be pickled. It holds names and options, and connections only where it can open them again.
    """

    @property
    @abstractmethod
    def storage_options(self) -> Mapping[str, str]:
        """The storage options for a table that does not exist yet."""

    @abstractmethod
    def load(self, known: OpenedTable | None) -> OpenedTable:
        """Returns the current table, or the `known` object with its caches if it is still current. Rule 1."""

    def load_to_read(self, known: OpenedTable | None) -> tuple[OpenedTable, bool]:
        """Returns the current table as `load` does, and whether it has all snapshots. By default, it has.

        A server may leave out the snapshots that no branch and no tag names. Then `load_whole` is called where others
        are needed.
        """
        return self.load(known), True

    def load_whole(self, opened: OpenedTable) -> OpenedTable:
        """Returns the same state of the table with all snapshots, where `load_to_read` left some out."""
        return opened

    def load_base(self, known: OpenedTable | None) -> OpenedTable:
        """As `load`, for a commit. By default the same. Table operations that know of unfinished commits end them."""
        return self.load(known)

    def part_base(self, base: OpenedTable) -> OpenedTable:
        """The table that an attempt is made on, which is part of a commit of several tables. By default the base."""
        return base

    @abstractmethod
    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Makes an attempt current if its base still is, and returns the new table. Rules 2 to 7."""

    def create(self, new: NewTable) -> OpenedTable | None:
        """Creates an empty table, where a server makes its metadata. By default `None`: a commit creates it."""
        del new
        return None

    def stage(self, new: NewTable) -> NewTable:
        """Settles the location of a new table before files are written for it. By default, it is known."""
        return new

    def includes(self, current: OpenedTable, attempt: Attempt, metadata_location: str) -> bool:
        """Whether an attempt is part of the current table. Rule 8.

        By default, it looks for the attempt's metadata file in the metadata log. Names of metadata files are never
        reused.

        Args:
            current: The current table.
            attempt: The attempt.
            metadata_location: Its own metadata file, from rule 5; empty where none was written.
        """
        del attempt
        log = json.loads(current.metadata_json()).get("metadata-log", ())
        return metadata_location in {current.metadata_location, *(each["metadata-file"] for each in log)}

    def is_superseded(self, current: OpenedTable, attempt: Attempt, base_location: str | None) -> bool:
        """Whether an attempt with an unknown outcome can no longer take effect. Rule 9.

        By default, this is the case when its base is no longer current. A server that checks only requirements may
        still accept it later.

        Args:
            current: The current table, which does not include the attempt.
            attempt: The attempt.
            base_location: The metadata file of its base; `None` where it creates the table.
        """
        del attempt
        return base_location != current.metadata_location

    @property
    def writes_metadata(self) -> bool:
        """Whether `commit` writes the metadata of an attempt as it is. A server makes its own by the updates."""
        return True

    def other_metadata_locations(self) -> list[str]:
        """The metadata files of the other tables of the catalog; none where the catalog does not know them all."""
        return []

    @property
    def metrics(self) -> MetricsSink | None:
        """Where reports of scans and commits go: `Catalog.metrics_sink`. By default `None`: nobody gets them."""
        return None

    def check_writable(self) -> None:
        """Raises `UnsupportedError` where the table cannot be written. The error says what to do."""
        return


def open_metadata(metadata_location: str, *, storage_options: Mapping[str, str]) -> OpenedTable:
    """Opens the metadata file of a catalog. Its location is used as written.

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
    planner: ScanPlanner | None = None,
) -> OpenedTable:
    """Opens metadata that is in memory. No file is read.

    Args:
        metadata_json: The metadata.
        metadata_location: The metadata file, for processes that the table is sent to.
        storage_options: The storage options of the table.
        earlier: An earlier state of the table, whose decoded manifests are taken over.
        planner: What plans scans of the table; by default, Floeberg itself.

    Raises:
        InvalidDataError: The metadata is damaged.
    """
    return _native.Table.from_metadata(
        metadata_json,
        metadata_location,
        storage_options=dict(storage_options),
        earlier=earlier,
        planner=planner,
    )
