"""What keeps a table: a catalog, its own folder, or nobody who could write it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from floeberg import _native
from floeberg._versions import METADATA, Versions
from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from floeberg.catalog.base import Catalog
    from floeberg.catalog.names import Identifier
    from floeberg.commits import Attempt, Home

__all__ = ["CatalogHome", "ReadOnly", "home_of"]


@dataclass(frozen=True, repr=False)
class CatalogHome:
    """A catalog as what keeps a table: see `floeberg.commits.Home`.

    Args:
        catalog: The catalog.
        identifier: The table in it.
    """

    catalog: Catalog
    identifier: Identifier

    @property
    def storage_options(self) -> dict[str, str]:
        """The options that the table's files are reached by."""
        return self.catalog.storage_options

    def check(self) -> None:
        """It can be written."""

    def load(self, known: _native.Table | None) -> _native.Table:
        """The table as it is now."""
        return self.catalog._load(self.identifier, known)  # noqa: SLF001 - one subject in two classes

    def commit(self, base: _native.Table | None, attempt: Attempt) -> str:
        """Makes an attempt current if its base still is."""
        return self.catalog._commit(self.identifier, base, attempt)  # noqa: SLF001

    def holds(self, current: _native.Table, attempt: Attempt, location: str) -> bool:
        """Is an attempt current or part of the history?"""
        return self.catalog._holds(self.identifier, current, attempt, location)  # noqa: SLF001


@dataclass(frozen=True)
class ReadOnly:
    """Where a table cannot be written, and why.

    Args:
        reason: Why, and what to do.
    """

    reason: str

    @property
    def storage_options(self) -> dict[str, str]:
        """None: nothing is written."""
        return {}

    def check(self) -> NoReturn:
        """Raises `UnsupportedError`."""
        raise UnsupportedError(self.reason)

    def load(self, known: _native.Table | None) -> NoReturn:
        """Raises `UnsupportedError`."""
        del known
        self.check()

    def commit(self, base: _native.Table | None, attempt: Attempt) -> NoReturn:
        """Raises `UnsupportedError`."""
        del base, attempt
        self.check()

    def holds(self, current: _native.Table, attempt: Attempt, location: str) -> bool:
        """Nothing."""
        del current, attempt, location
        return False


def home_of(
    table: _native.Table, *, is_relocated: bool, is_pinned: bool, storage_options: dict[str, str]
) -> Home:
    """What keeps a table that was opened without a catalog: its folder, where the versions are in files.

    Args:
        table: The table.
        is_relocated: Was it opened with other places for those that it names?
        is_pinned: Was it opened at one of its snapshots?
        storage_options: The options of its store.
    """
    if is_pinned:
        return ReadOnly(
            "the table was opened at one of its snapshots, where it stays: open it without one to write"
        )
    if is_relocated:
        return ReadOnly(
            "the table was moved, and opened with `relocate`: new files would name places that the others do not. "
            "Write it where it was made, or read it and append its rows to a table that is made here"
        )
    location = table.metadata_location
    if not Versions.is_version(location):
        return ReadOnly(
            f"a catalog says which metadata file of the table is current, and {location.rsplit('/', 1)[-1]!r} does not "
            "say which: load the table from its catalog, or take it into one with "
            f"catalog.register_table(identifier, {location!r})"
        )
    folder = location.rpartition("/")[0].removesuffix(f"/{METADATA}")
    if _native.place(table.location.rstrip("/")) != _native.place(folder):
        return ReadOnly(
            f"the table says that it is at {table.location!r}, and was opened at {folder!r}: it was moved. Write it "
            "where it was made, or read it and append its rows to a table that is made here"
        )
    return Versions(folder, storage_options)
