"""The tables that the benches measure: their columns, and their metadata JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

COLUMNS = (
    ("id", "long"),
    ("ts", "timestamptz"),
    ("day", "date"),
    ("customer", "long"),
    ("quantity", "int"),
    ("price", "double"),
    ("discount", "float"),
    ("amount", "decimal(12,2)"),
    ("country", "string"),
    ("product", "string"),
    ("note", "string"),
    ("paid", "boolean"),
)


def metadata(folder: Path, *, version: int = 2, rows: int = 0) -> Json:
    """The metadata of a table with one snapshot, whose manifest list is metadata/list.avro."""
    fields = [
        {"id": number, "name": name, "type": kind, "required": False}
        for number, (name, kind) in enumerate(COLUMNS, 1)
    ]
    snapshot: Json = {
        "snapshot-id": 1,
        "sequence-number": 1,
        "timestamp-ms": 1_700_000_000_000,
        "manifest-list": str(folder / "metadata" / "list.avro"),
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    table: Json = {
        "format-version": version,
        "table-uuid": "9d4f8a4e-6a1c-4f1e-8d2e-2f6c3b0a7e11",
        "location": str(folder),
        "last-sequence-number": 1,
        "last-updated-ms": 1_700_000_000_000,
        "last-column-id": len(COLUMNS),
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": 1,
        "refs": {"main": {"snapshot-id": 1, "type": "branch"}},
        "snapshots": [snapshot],
        "snapshot-log": [{"timestamp-ms": 1_700_000_000_000, "snapshot-id": 1}],
        "metadata-log": [],
    }
    if version >= 3:
        table["next-row-id"] = rows
        snapshot |= {"first-row-id": 0, "added-rows": rows}
    return table


def write_metadata(folder: Path, table: Json) -> Path:
    """Write the metadata file; a table folder without it is not finished and is made again."""
    path = folder / "metadata" / "v1.metadata.json"
    path.write_text(json.dumps(table))
    return path
