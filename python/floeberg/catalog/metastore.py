"""How does a catalog commit that stores the locations of metadata files?

Each commit writes a new metadata file, `<V>-<uuid>.metadata.json`, and then swaps the stored location for it, if that
is still the location of its base. Spec: Metastore Tables.
"""

from __future__ import annotations

import re
import uuid
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.catalog.base import Catalog
from floeberg.catalog.names import dotted
from floeberg.catalog.pointer import remove_locations, store_location, store_locations
from floeberg.commit.metadata_file import made_table, remove_old_metadata, suffix_of
from floeberg.commit.operations import TableOperations, open_metadata
from floeberg.errors import FloebergError, NoSuchTableError
from floeberg.view import ViewOperations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.catalog.names import Identifier
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.several import TableCommit
    from floeberg.metrics.delivery import MetricsSink
    from floeberg.view import OpenedView, ViewAttempt

__all__ = ["MetadataSwap", "MetastoreCatalog", "MetastoreTableOperations", "MetastoreViewOperations"]


@dataclass(frozen=True)
class MetadataSwap:
    """A new metadata file of a table, in a commit of several tables.

    Args:
        identifier: The table.
        before: The stored location; `None` where the table is to be registered.
        after: The new one.
    """

    identifier: Identifier
    before: str | None
    after: str


class MetastoreCatalog(Catalog):
    """A catalog that stores the location of each table's metadata file.

    Dropping a table keeps its files, and `register_table` adds it again. `purge_table` removes them.

    A catalog of your own stores locations and namespaces. It implements the methods that begin with `do_`. Those that
    are about views may be left out: then it keeps no views.
    """

    @abstractmethod
    def do_load_metadata_location(self, identifier: Identifier) -> str | None:
        """The location of a table's metadata file; `None` where the table does not exist."""

    @abstractmethod
    def do_swap_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        """Stores a new location, atomically, if the stored one is still `before`.

        Raises:
            CommitConflictError: The stored location has changed, or the table was dropped (`self.commit_conflict`).
                Nothing was changed.
            CommitStateUnknownError: The stored location is unknown. Raise it where a response was lost. Any other
                exception means a failed commit, unless the catalog has the new location afterwards.
        """

    def do_swap_metadata_locations(self, swaps: Sequence[MetadataSwap]) -> None:
        """As `do_swap_metadata_location`, for several tables: all or none. Without it there are no such commits.

        Args:
            swaps: The tables, each once. A `before` of `None` registers the table.

        Raises:
            CommitConflictError: The location of a table has changed (`self.commit_conflict`). Nothing was changed.
            TableAlreadyExistsError: A table to register, or a view of its name, exists. Nothing was changed.
            CommitStateUnknownError: Whether the locations were stored is unknown.
        """
        del swaps
        raise self.no_transactions()

    def check_transactions(self) -> None:
        """Raises `UnsupportedError` where the catalog does not implement `do_swap_metadata_locations`."""
        if type(self).do_swap_metadata_locations is MetastoreCatalog.do_swap_metadata_locations:
            raise self.no_transactions()

    def do_commit_all(self, commits: Sequence[TableCommit]) -> list[OpenedTable]:
        """Writes the metadata files of all attempts, and swaps the stored locations for them at once."""
        return _commit_locations(self, commits)

    def do_replace_registered_table(self, identifier: Identifier, metadata_location: str) -> None:
        """Stores another metadata file for an existing table, if no other writer commits meanwhile."""
        before = self.do_load_metadata_location(identifier)
        if before is None:
            raise self.no_such_table(identifier)
        self.do_swap_metadata_location(identifier, before, metadata_location)

    def do_load_view_metadata_location(self, identifier: Identifier) -> str | None:
        """The location of a view's metadata file; `None` where the view does not exist."""
        del identifier
        raise self.no_views()

    def do_swap_view_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        """As `do_swap_metadata_location`, for a view. Raises `self.view_conflict`."""
        del identifier, before, after
        raise self.no_views()

    def do_load_storage_options(self, identifier: Identifier) -> dict[str, str]:
        """The storage options of a table or a view: those of the catalog, unless it vends others for each table."""
        del identifier
        return self.storage_options

    def do_table_exists(self, identifier: Identifier) -> bool:
        """Whether a table exists."""
        return self.do_load_metadata_location(identifier) is not None

    def table_operations(self, identifier: Identifier) -> MetastoreTableOperations:
        """The operations of a table."""
        return MetastoreTableOperations(self, identifier)

    def do_view_exists(self, identifier: Identifier) -> bool:
        """Whether a view exists."""
        return self.do_load_view_metadata_location(identifier) is not None

    def view_operations(self, identifier: Identifier) -> MetastoreViewOperations:
        """The operations of a view."""
        return MetastoreViewOperations(self, identifier)


def _commit_locations(catalog: MetastoreCatalog, commits: Sequence[TableCommit]) -> list[OpenedTable]:
    """Commits to several tables of a catalog of metadata files."""
    options = [partial(_options_of, catalog, each) for each in commits]
    try:
        for each in commits:
            each.metadata_location = _new_location(each.base, each.attempt)
            # The name is unique, so the store need not check for an existing file.
            each.attempt.write_metadata(each.metadata_location, if_absent=False)
    except FloebergError:
        written = [(each.metadata_location, of_one) for each, of_one in zip(commits, options, strict=True)]
        written = [one for one in written if one[0]]
        remove_locations([one[0] for one in written], [one[1] for one in written])
        raise
    swaps = [
        MetadataSwap(
            each.identifier,
            None if each.base is None else each.base.metadata_location,
            each.metadata_location,
        )
        for each in commits
    ]
    store_locations(
        [each.metadata_location for each in commits],
        store=lambda: catalog.do_swap_metadata_locations(swaps),
        stored=lambda: [catalog.do_load_metadata_location(each.identifier) for each in commits],
        storage_options=options,
    )
    for each in commits:
        if each.base is not None:
            remove_old_metadata(each.base, each.attempt, each.metadata_location, each.base.storage_options)
    return [made_table(each.attempt, each.metadata_location) for each in commits]


def _options_of(catalog: MetastoreCatalog, commit: TableCommit) -> Mapping[str, str]:
    """The storage options of a table."""
    if commit.base is None:
        return catalog.do_load_storage_options(commit.identifier)
    return commit.base.storage_options


@dataclass(frozen=True)
class MetastoreTableOperations(TableOperations):
    """A table whose metadata file is stored in a catalog.

    Args:
        catalog: The catalog.
        identifier: The table in it.
    """

    catalog: MetastoreCatalog
    identifier: Identifier

    @property
    def metrics(self) -> MetricsSink | None:
        """Where reports go: to the reporter of the catalog."""
        return self.catalog.metrics_sink(self.identifier)

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options of this table, from the catalog."""
        return self.catalog.do_load_storage_options(self.identifier)

    def load(self, known: OpenedTable | None) -> OpenedTable:
        """Opens the metadata file at the stored location."""
        location = self._location()
        if known is not None and known.metadata_location == location:
            return known
        try:
            return self._open(location)
        except NoSuchTableError as error:
            # Another writer may have committed and removed old metadata meanwhile.
            again = self._location()
            if again == location:
                raise self._without_metadata(location) from error
            return self._open(again)

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Writes a new metadata file, and swaps the stored location for it."""
        location = _new_location(base, attempt)
        # The name is unique, so the store need not check for an existing file.
        attempt.write_metadata(location, if_absent=False)

        def store() -> None:
            if base is None:
                self.catalog.do_register_table(self.identifier, location)
            else:
                self.catalog.do_swap_metadata_location(self.identifier, base.metadata_location, location)

        store_location(
            location,
            store=store,
            stored=lambda: self.catalog.do_load_metadata_location(self.identifier),
            storage_options=lambda: self.storage_options if base is None else base.storage_options,
        )
        if base is not None:
            remove_old_metadata(base, attempt, location, base.storage_options)
        return made_table(attempt, location)

    def other_metadata_locations(self) -> list[str]:
        """Those of the catalog, but for this table's."""
        known = self.catalog.do_list_metadata_locations()
        return [location for identifier, location in known.items() if identifier != self.identifier]

    def _location(self) -> str:
        location = self.catalog.do_load_metadata_location(self.identifier)
        if location is None:
            raise self.catalog.no_such_table(self.identifier)
        return location

    def _without_metadata(self, location: str) -> NoSuchTableError:
        return NoSuchTableError(
            f"the catalog {self.catalog.name!r} has the table {dotted(self.identifier)!r}, and its metadata file is "
            "gone: something else removed it, such as a purge of the same table by another name. Restore the file, or "
            "remove the name by drop_table",
            context={"path": location},
        )

    def _open(self, location: str) -> OpenedTable:
        return open_metadata(location, storage_options=self.storage_options)


@dataclass(frozen=True)
class MetastoreViewOperations(ViewOperations):
    """A view whose metadata file is stored in a catalog.

    Args:
        catalog: The catalog.
        identifier: The view in it.
    """

    catalog: MetastoreCatalog
    identifier: Identifier

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options of this view, from the catalog."""
        return self.catalog.do_load_storage_options(self.identifier)

    def load(self, known: OpenedView | None) -> OpenedView:
        """Opens the metadata file at the stored location."""
        location = self.catalog.do_load_view_metadata_location(self.identifier)
        if location is None:
            raise self.catalog.no_such_view(self.identifier)
        if known is not None and known.metadata_location == location:
            return known
        return _native.View.open_metadata(location, storage_options=self.storage_options)

    def commit(self, base: OpenedView | None, attempt: ViewAttempt) -> OpenedView:
        """Writes a new metadata file, and swaps the stored location for it."""
        location = attempt.new_metadata_location()
        attempt.write_metadata(location)

        def store() -> None:
            if base is None:
                self.catalog.do_register_view(self.identifier, location)
            else:
                self.catalog.do_swap_view_metadata_location(self.identifier, base.metadata_location, location)

        store_location(
            location,
            store=store,
            stored=lambda: self.catalog.do_load_view_metadata_location(self.identifier),
            storage_options=lambda: self.storage_options if base is None else base.storage_options,
        )
        return attempt.view(location)


def _new_location(base: OpenedTable | None, attempt: Attempt) -> str:
    """The metadata file of an attempt: `<V>-<uuid>.metadata.json`, `V` one more than the base's."""
    found = None if base is None else re.match(r"v?(\d+)", base.metadata_location.rsplit("/", 1)[-1])
    version = int(found[1]) + 1 if found is not None else 0
    suffix = suffix_of(attempt.properties)
    return f"{attempt.metadata_folder}/{version:05d}-{uuid.uuid4()}{suffix}"
