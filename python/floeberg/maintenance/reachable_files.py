"""How are the files of a table removed that was dropped?

All files are found before the first one is removed. What names other files goes after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options, checked_path
from floeberg._keywords import says_keywords
from floeberg._secrets import without_secrets
from floeberg._table_properties import flag_of
from floeberg.commit.reservation import staged_for
from floeberg.errors import InvalidInputError
from floeberg.maintenance.removal import Removed, check_neighbours, check_place, counts_by_role, remove
from floeberg.maintenance.results.removing import DeleteReachableFilesResult

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["delete_reachable_files"]

_NAMES_NO_OTHERS = {"data", "position deletes", "equality deletes", "statistics"}


class _Catalog(Protocol):
    """What is asked of a catalog, which is in a room above."""

    def do_list_metadata_locations(self) -> Mapping[tuple[str, ...], str]:
        """The metadata files of all tables."""
        ...


@says_keywords
def delete_reachable_files(
    metadata_location: str | os.PathLike[str],
    *,
    storage_options: Mapping[str, str] | None = None,
    catalog: _Catalog | None = None,
    dry_run: bool = False,
) -> DeleteReachableFilesResult:
    """Removes all files of a table that was dropped: those that its metadata files reach, and these.

    Only call it for a table that no catalog has any more. Data files, delete files and statistics files go first. Where
    the store does not remove one of them, what names them stays, so that the call can be repeated. Files outside of the
    table's own locations are kept, and named in the result.

    Args:
        metadata_location: The last metadata file of the table. The metadata files of its log, and the snapshots that
            they alone have, are looked at too.
        storage_options: Options of the storage.
        catalog: The catalog that had the table. Where another table of it has the location, or one below or above it,
            nothing is removed. SQL and memory catalogs know the locations; others give no answer.
        dry_run: Whether to say only what would be removed.

    Returns:
        What was removed.

    Raises:
        InvalidInputError: The property `gc.enabled` is `false`, since other tables may use the same files; the
            metadata file is outside of the table's own locations: it was copied, moved or linked; the table is in a
            file system and has a later version, or a commit of several tables has reserved it; or a table of the
            catalog has the location.
        NotFoundError: The metadata file, or a manifest that it reaches, is missing. Nothing was removed.
        InvalidDataError: A metadata file or a manifest is damaged. Nothing was removed.

    Examples:
        >>> lake = fb.load_catalog("dropped", type="sql", uri="sqlite://", warehouse=str(folder))
        >>> lake.create_namespace("db")
        >>> visits = lake.create_table("db.visits", orders.schema())
        >>> _ = visits.append(pa.table({"id": [1, 2]}))
        >>> lake.drop_table("db.visits")
        >>> done = fb.maintenance.delete_reachable_files(visits.metadata_location)
        >>> done.deleted_data_files_count, done.deleted_metadata_files_count
        (1, 2)
    """
    checked_bool("dry_run", dry_run)
    location = _native.location_from_user(checked_path("metadata_location", metadata_location))
    options = checked_options("storage_options", storage_options)
    table = _native.Table.open_metadata(location, storage_options=options)
    if not flag_of(table.properties, "gc.enabled"):
        raise InvalidInputError(
            "files of the table are not removed, since the property gc.enabled is false: other tables may use the same "
            "files"
        )
    check_place(table)
    if staged_for(table) is not None:
        raise InvalidInputError(
            "files of the table are not removed, since a commit of several tables has reserved the version, and is not "
            "decided",
            context={"metadata": without_secrets(table.metadata_location)},
        )
    if catalog is not None:
        check_neighbours(table, table.location, catalog.do_list_metadata_locations().values())
    kinds = {location: kind for kind, location in _native.files_of_dropped_table(table)}
    if dry_run:
        return _result(kinds, Removed(set(kinds), (), {}), dry_run=True)
    leaves = [each for each, kind in kinds.items() if kind in _NAMES_NO_OTHERS]
    removed = remove(leaves, table)
    if not removed.failed:
        others = remove([each for each, kind in kinds.items() if kind not in _NAMES_NO_OTHERS], table)
        removed = Removed(removed.gone | others.gone, [*removed.kept, *others.kept], others.failed)
    return _result(kinds, removed, dry_run=False)


def _result(kinds: Mapping[str, str], removed: Removed, *, dry_run: bool) -> DeleteReachableFilesResult:
    gone = [each for each in kinds if each in removed.gone]
    return DeleteReachableFilesResult(
        deleted_files=tuple(gone),
        kept_files=removed.kept,
        failed_files=removed.failed,
        dry_run=dry_run,
        **counts_by_role(kinds, gone),
    )
