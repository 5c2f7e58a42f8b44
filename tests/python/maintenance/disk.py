"""What is on the disk, and what does a table name?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa

import floeberg as fb

SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])
EVER = "2100-01-01T00:00:00Z"


def rows(*ids: int, part: str = "a") -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "part": [part] * len(ids)}, SCHEMA)


def path_of(location: str) -> str:
    """The path of a local file, however it is written."""
    return str(Path(location.removeprefix("file://").removeprefix("file:")))


def on_disk(folder: str | Path) -> set[str]:
    """All files below a folder."""
    return {str(Path(root, name)) for root, _, names in os.walk(path_of(str(folder))) for name in names}


def named(table: fb.Table) -> set[str]:
    """The files that any snapshot of a table needs, and its metadata files, as its metadata tables say."""
    metadata = json.loads(table._inner.metadata_json())
    found = {table.metadata_location, *(each["metadata-file"] for each in metadata.get("metadata-log", ()))}
    found |= {each["manifest-list"] for each in metadata["snapshots"]}
    found |= set(table.inspect.all_manifests()["path"].to_pylist())
    found |= set(table.inspect.all_files()["file_path"].to_pylist())
    for kind in ("statistics", "partition-statistics"):
        found |= {each["statistics-path"] for each in metadata.get(kind, ())}
    return {path_of(each) for each in found}


def content(table: fb.Table) -> dict[int, list[int]]:
    """The ids of the rows of each snapshot."""
    ids = (each.snapshot_id for each in table.snapshots())
    return {each: sorted(table.scan(snapshot_id=each).to_arrow()["id"].to_pylist()) for each in ids}
