"""How are the files of a dropped table removed?

Files are removed from the leaves to the root, so that an interrupted purge can be repeated. Files outside of the
table's own locations may belong to others, and are kept unless you ask for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from floeberg._file_removal import log_kept_files
from floeberg._secrets import without_secrets
from floeberg._table_properties import flag_of
from floeberg.errors import StorageError
from floeberg.maintenance.removal import remove
from floeberg.table.inspect import InspectTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from floeberg.commit.operations import OpenedTable
    from floeberg.table.inspect import MetadataTable

__all__ = ["remove_files_of"]


def remove_files_of(table: OpenedTable, *, outside: bool) -> list[str]:
    """Removes the files that the metadata of a table names, and the metadata files last.

    Args:
        table: The table.
        outside: Whether files outside of the table's own locations are removed too.

    Returns:
        The files that were kept since they are outside.

    Raises:
        InvalidDataError: A manifest is damaged. All files that name other files were kept.
        StorageError: The store did not remove some files. What names them was kept.
    """
    metadata = json.loads(table.metadata_json())
    inspect = InspectTable(table)
    left: list[str] = []
    failed: dict[str, str] = {}
    if flag_of(metadata["properties"], "gc.enabled"):
        for locations in _column(inspect, "all_files", "file_path"):
            removed = remove(locations, table, outside=outside)
            left += removed.kept
            failed |= removed.failed
    _check_all_went(failed)
    manifests = [
        location for locations in _column(inspect, "all_manifests", "path") for location in locations
    ]
    lists = [each["manifest-list"] for each in metadata["snapshots"] if "manifest-list" in each]
    statistics = [
        each["statistics-path"]
        for kind in ("statistics", "partition-statistics")
        for each in metadata.get(kind, ())
    ]
    log = [each["metadata-file"] for each in metadata.get("metadata-log", ())]
    for locations in (manifests, lists, statistics, log, [table.metadata_location]):
        removed = remove(locations, table, outside=outside)
        left += removed.kept
        _check_all_went(removed.failed)
    # A file may be named more than once.
    left = list(dict.fromkeys(left))
    log_kept_files(left, table)
    return left


def _check_all_went(failed: Mapping[str, str]) -> None:
    """Raises where files stayed: what names them is not removed then."""
    for path, reason in failed.items():
        raise StorageError(
            f"{len(failed)} files of the table were not removed, and what names them was kept: {reason}",
            context={"path": without_secrets(path)},
        )


def _column(inspect: InspectTable, name: MetadataTable, column: str) -> Iterator[list[str]]:
    for batch in inspect.to_arrow_batch_reader(name):
        yield batch.column(column).to_pylist()
