"""How are the files of a dropped table removed?

From the leaves to the root: what names a file goes after it, so that what is cut off half-way can be done again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.inspect import InspectTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.inspect import MetadataTable

__all__ = ["remove_files_of"]


def remove_files_of(table: _native.Table, storage_options: dict[str, str]) -> None:
    """Removes all files that the metadata of a table names, as far as there are any, its own last.

    Raises:
        InvalidDataError: A manifest is damaged. Nothing that names files was removed.
    """
    metadata = json.loads(table.metadata_json())
    inspect = InspectTable(table)
    if metadata["properties"].get("gc.enabled", "true").lower() != "false":
        for locations in _column(inspect, "all_files", "file_path"):
            _native.remove_files(locations, storage_options=storage_options)
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
        _native.remove_files(locations, storage_options=storage_options)


def _column(inspect: InspectTable, name: MetadataTable, column: str) -> Iterator[list[str]]:
    for batch in inspect.to_arrow_batch_reader(name):
        yield batch.column(column).to_pylist()
