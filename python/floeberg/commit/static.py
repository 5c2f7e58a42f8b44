"""Can a table that was opened without a catalog be written?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from floeberg import _native
from floeberg.commit.filesystem import METADATA, FileSystemTableOperations
from floeberg.commit.operations import TableOperations
from floeberg.commit.settling import settled
from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = ["StaticTableOperations", "operations_of", "settled_in_folder"]


@dataclass(frozen=True)
class StaticTableOperations(TableOperations):
    """A table at a fixed state, which cannot be written: nothing says which state is current.

    Args:
        reason: Why, and what to do.
    """

    reason: str

    @property
    def storage_options(self) -> dict[str, str]:
        """Empty: nothing is written."""
        return {}

    def check_writable(self) -> NoReturn:
        """Raises `UnsupportedError`."""
        raise UnsupportedError(self.reason)

    def load(self, known: OpenedTable | None) -> NoReturn:
        """Raises `UnsupportedError`."""
        del known
        self.check_writable()

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> NoReturn:
        """Raises `UnsupportedError`."""
        del base, attempt
        self.check_writable()


def operations_of(
    table: OpenedTable, *, is_relocated: bool, is_pinned: bool, storage_options: dict[str, str]
) -> TableOperations:
    """The operations of a table that was opened without a catalog. They can write if its folder has versions.

    Args:
        table: The table.
        is_relocated: Whether it was opened with `relocate`.
        is_pinned: Whether it was opened at a chosen snapshot.
        storage_options: Its storage options.
    """
    if is_pinned:
        return StaticTableOperations("the table was opened at a fixed snapshot: open it without one to write")
    if is_relocated:
        return StaticTableOperations(
            "the table was opened with `relocate`: new files would have other prefixes than the old ones. Write "
            "it at its original location, or append its rows to a new table"
        )
    location = table.metadata_location
    if not FileSystemTableOperations.is_version(location):
        return StaticTableOperations(
            f"the metadata file {location.rsplit('/', 1)[-1]!r} belongs to a catalog, which knows the current one: "
            f"load the table from its catalog, or register it by catalog.register_table(identifier, {location!r})"
        )
    folder = location.rpartition("/")[0].removesuffix(f"/{METADATA}")
    if _native.canonical_location(table.location.rstrip("/")) != _native.canonical_location(folder):
        return StaticTableOperations(
            f"the table was moved: its location is {table.location!r}, and it was opened at {folder!r}. Write it "
            "at its original location, or append its rows to a new table"
        )
    return FileSystemTableOperations(folder, storage_options)


def settled_in_folder(table: OpenedTable, storage_options: dict[str, str]) -> OpenedTable:
    """The table of a folder whose current version is reserved by a commit of several tables, as `settled` says.

    Args:
        table: The reserved version.
        storage_options: Its storage options.
    """
    folder = table.metadata_location.rpartition("/")[0].removesuffix(f"/{METADATA}")
    version_of = FileSystemTableOperations.version_of
    return settled(folder, table, lambda each: version_of(each.metadata_location), storage_options)
