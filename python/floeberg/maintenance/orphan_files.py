"""How are files removed that are in the folders of a table, and that nothing names?

The folder is listed first, and the table is read after that: what was committed meanwhile is named. Ages are by the
clock of the store.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options, checked_path
from floeberg._table_properties import flag_of
from floeberg._timestamps import milliseconds
from floeberg.commit.reservation import staged_for
from floeberg.commit.staging import files_under_way
from floeberg.errors import InvalidInputError
from floeberg.maintenance.removal import check_neighbours, check_place, remove
from floeberg.maintenance.results.removing import RemoveOrphanFilesResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg._timestamps import Moment
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.maintenance.workers import Listing, Workers
    from floeberg.progress.reporting import Reporter

__all__ = ["PrefixMismatchMode", "remove_orphan_files"]

PrefixMismatchMode = Literal["error", "ignore", "delete"]
"""What is done with a file whose path the table names with another scheme or authority."""

_DAY = 24 * 60 * 60 * 1000
_SAME = 5 * 60 * 1000
"""By how much two clocks may differ."""

_LOG = logging.getLogger("floeberg.maintenance")


def remove_orphan_files(  # noqa: PLR0913 - keywords
    operations: TableOperations,
    known: OpenedTable,
    *,
    older_than: Moment | None,
    location: str | None,
    dry_run: bool,
    allow_recent: bool,
    file_list: Mapping[str, Moment] | None,
    prefix_mismatch_mode: PrefixMismatchMode,
    equal_schemes: Mapping[str, str] | None,
    equal_authorities: Mapping[str, str] | None,
    workers: Workers | None = None,
    reporter: Reporter | None = None,
) -> RemoveOrphanFilesResult:
    """See `TableMaintenance.remove_orphan_files`."""
    checked_bool("dry_run", dry_run)
    if prefix_mismatch_mode not in get_args(PrefixMismatchMode):
        raise InvalidInputError(
            f"prefix_mismatch_mode: expected 'error', 'ignore' or 'delete', found {prefix_mismatch_mode!r}"
        )
    checked_bool("allow_recent", allow_recent)
    wanted = None if older_than is None else milliseconds(older_than, "older_than")
    if not flag_of(known.properties, "gc.enabled"):
        raise InvalidInputError(
            "orphan files are not removed, since the property gc.enabled is false: other tables may use the same files"
        )
    # The table's own location is used as it is written.
    folder = (
        known.location if location is None else _native.location_from_user(checked_path("location", location))
    )
    equal = {
        "equal_schemes": _by_name("equal_schemes", equal_schemes),
        "equal_authorities": _by_name("equal_authorities", equal_authorities),
    }
    files = _listed(file_list)
    if reporter is not None:
        reporter.tell("planning")
    listed: Listing
    if workers is None or files is not None:
        listed = _Listed(
            _native.ListedFiles.of_folder(folder, files, storage_options=known.storage_options), equal
        )
    else:
        listed = workers.listing(folder, storage_options=known.storage_options, **equal)

    limit = _limit(wanted, _now(known, listed, dry_run=dry_run), allow_recent=allow_recent)

    def found(table: OpenedTable) -> list[tuple[str, int]]:
        known.check_same_table(table)
        check_place(table)
        orphans = listed.orphans(table, older_than_ms=limit, prefix_mismatch=prefix_mismatch_mode)
        if (staged := staged_for(table)) is not None:
            # A commit of several tables is about to be decided, and then its files are the table's.
            others = set(listed.orphans(staged, older_than_ms=limit, prefix_mismatch=prefix_mismatch_mode))
            orphans = [each for each in orphans if each in others and each[0] != staged.metadata_location]
        check_neighbours(table, folder, operations.other_metadata_locations())
        _check_not_under_way(orphans)
        return orphans

    table = operations.load(None)
    sizes = dict(found(table))
    if dry_run:
        return RemoveOrphanFilesResult(tuple(sizes), sum(sizes.values()), dry_run=True)
    # Comparing takes a while, in which an old file may have been added.
    while (now := operations.load(None)).metadata_location != table.metadata_location:
        table = now
        sizes = dict(found(table))
    removed = remove(list(sizes), table, folder=folder, reporter=reporter)
    gone = [each for each in sizes if each in removed.gone]
    return RemoveOrphanFilesResult(
        tuple(gone), sum(sizes[each] for each in gone), failed_files=removed.failed
    )


@dataclass(frozen=True)
class _Listed:
    """A list of this process: see `Listing`."""

    files: _native.ListedFiles
    equal: Mapping[str, dict[str, str]]

    @property
    def newest_ms(self) -> int | None:
        return self.files.newest_ms

    def orphans(
        self, table: OpenedTable, *, older_than_ms: int, prefix_mismatch: str
    ) -> list[tuple[str, int]]:
        return self.files.orphans(
            table,
            older_than_ms=older_than_ms,
            equal_schemes=self.equal["equal_schemes"],
            equal_authorities=self.equal["equal_authorities"],
            prefix_mismatch=prefix_mismatch,
        )


def _now(table: OpenedTable, listed: Listing, *, dry_run: bool) -> int:
    """The time by the clock of the store, which gives files their times: by this machine's, files may seem old.

    A dry run writes nothing: it takes the time of the newest file where that is later.
    """
    here = time.time_ns() // 1_000_000
    if dry_run:
        there = max(here, here if listed.newest_ms is None else listed.newest_ms)
    else:
        there = _native.store_time_ms(
            table.metadata_location.rsplit("/", 1)[0], storage_options=table.storage_options
        )
    if abs(there - here) <= _SAME:
        return here
    _LOG.warning(
        "the clock of the store and that of this machine differ by %d seconds: the store's counts",
        (there - here) // 1000,
    )
    return there


def _limit(wanted: int | None, now: int, *, allow_recent: bool) -> int:
    limit = now - 3 * _DAY if wanted is None else wanted
    if limit > now - _DAY and not allow_recent:
        raise InvalidInputError(
            "older_than: files of the last 24 hours may belong to writes that are not committed yet. "
            "Where nobody writes, say allow_recent=True"
        )
    return limit


def _check_not_under_way(orphans: list[tuple[str, int]]) -> None:
    """Checks that no open transaction of this process wrote one of the files.

    Raises:
        InvalidInputError: One did: its commit would name a file that is gone.
    """
    written = files_under_way()
    if not written:
        return
    found = [location for location, _ in orphans if _native.canonical_location(location) in written]
    if found:
        raise InvalidInputError(
            f"{len(found)} of the files belong to a transaction of this process that is still open: end its block "
            "first, or remove orphan files that are older (older_than)",
            context={"path": found[0]},
        )


def _listed(file_list: Mapping[str, Moment] | None) -> list[tuple[str, int]] | None:
    if file_list is None:
        return None
    if not hasattr(file_list, "items"):
        raise InvalidInputError(
            "file_list: expected a mapping from files to the times when they were written, found an object of type "
            f"{type(file_list).__name__}"
        )
    return [
        (checked_path("file_list", each), milliseconds(written, "file_list"))
        for each, written in file_list.items()
    ]


def _by_name(name: str, same: Mapping[str, str] | None) -> dict[str, str]:
    """Each name to the one that it stands for. As with Spark, a key may have several, with commas."""
    given = checked_options(name, same)
    return {each.strip(): value for key, value in given.items() for each in key.split(",")}
