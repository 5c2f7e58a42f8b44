"""Where is a new table made, and who commits to it?

In: what a user named: a folder, or a name in a catalog. Out: the operations of the new table, and its location.

Invariant: the folder of a new table beside its source is not in the source's folder, and the reverse.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.catalog import load_catalog
from floeberg.catalog.names import checked_identifier
from floeberg.commit.filesystem import FileSystemTableOperations
from floeberg.errors import AlreadyExistsError, InvalidInputError
from floeberg.table import Table
from floeberg.takeover.listing import has_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog import Catalog
    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["NewPlace", "check_beside", "new_folder", "new_in_catalog"]


@dataclass(frozen=True)
class NewPlace:
    """Where a new table is made.

    Args:
        operations: Who commits to it.
        location: Its folder.
        catalog: Its catalog, if it has one.
        levels: Its name there.
    """

    operations: TableOperations
    location: str
    catalog: Catalog | None = None
    levels: tuple[str, ...] = ()

    def opened(self, made: OpenedTable) -> Table:
        """The table, once it is made."""
        if self.catalog is not None:
            return self.catalog.load_table(self.levels)
        return Table(made, operations=self.operations)


def new_in_catalog(catalog: Catalog | str, name: str, identifier: str, location: str | None) -> NewPlace:
    """A new table of a catalog.

    Raises:
        TableAlreadyExistsError: A table or a view of that name exists.
        NoSuchNamespaceError: The namespace does not exist.
        InvalidInputError: The catalog cannot have a table at the location.
    """
    known = load_catalog(catalog) if isinstance(catalog, str) else catalog
    operations, place = known.new_table(name, identifier, location)
    return NewPlace(operations, place, known, checked_identifier(name, identifier))


def new_folder(location: str, options: Mapping[str, str], *, is_empty: bool) -> NewPlace:
    """A new table in a folder.

    Raises:
        AlreadyExistsError: The folder has files, and should have none.
    """
    place = _native.location_from_user(location)
    place = place.rstrip("/") or place
    if is_empty and has_files(place, options):
        raise AlreadyExistsError(
            "the folder of the new table has files: give a folder that does not exist",
            context={"path": place},
        )
    return NewPlace(FileSystemTableOperations(place, dict(options)), place)


def check_beside(source: str, target: str) -> None:
    """Checks that two folders are not in each other.

    Raises:
        InvalidInputError: They are.
    """
    one, other = (_plain(each) for each in (source, target))
    if one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/"):
        raise InvalidInputError(
            "the folder of the new table and that of the source are one, or one is in the other, so their files would "
            "mix: give another folder, or make the table in place with migrate_table",
            context={"source": source, "target": target},
        )


def _plain(location: str) -> str:
    local = _native.local_path(location)
    return _native.canonical_location(location.rstrip("/")) if local is None else _real(local)


def _real(path: str) -> str:
    import os  # noqa: PLC0415 - local paths only

    return posixpath.normpath(os.path.realpath(path))
