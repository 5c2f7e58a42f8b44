"""What keeps a table that was opened without a catalog?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from floeberg import _native
from floeberg.commit.filesystem import METADATA, FileSystemTableOperations
from floeberg.commit.operations import TableOperations
from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = ["StaticTableOperations", "operations_of"]


@dataclass(frozen=True)
class StaticTableOperations(TableOperations):
    """A table that stays as it was opened, and cannot be written: nobody could say what is current.

    Args:
        reason: Why, and what to do.
    """

    reason: str

    @property
    def storage_options(self) -> dict[str, str]:
        """Nothing is written."""
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
    """What keeps a table that was opened without a catalog: its folder, where the versions are in files.

    Args:
        table: The table.
        is_relocated: Was it opened with other places for those that it names?
        is_pinned: Was it opened at one of its snapshots?
        storage_options: The options of its store.
    """
    if is_pinned:
        return StaticTableOperations(
            "the table was opened at one of its snapshots, where it stays: open it without one to write"
        )
    if is_relocated:
        return StaticTableOperations(
            "the table was moved, and opened with `relocate`: new files would name places that the others do not. "
            "Write it where it was made, or read it and append its rows to a table that is made here"
        )
    location = table.metadata_location
    if not FileSystemTableOperations.is_version(location):
        return StaticTableOperations(
            f"a catalog says which metadata file of the table is current, and {location.rsplit('/', 1)[-1]!r} does not "
            "say which: load the table from its catalog, or take it into one with "
            f"catalog.register_table(identifier, {location!r})"
        )
    folder = location.rpartition("/")[0].removesuffix(f"/{METADATA}")
    if _native.canonical_location(table.location.rstrip("/")) != _native.canonical_location(folder):
        return StaticTableOperations(
            f"the table says that it is at {table.location!r}, and was opened at {folder!r}: it was moved. Write it "
            "where it was made, or read it and append its rows to a table that is made here"
        )
    return FileSystemTableOperations(folder, storage_options)
