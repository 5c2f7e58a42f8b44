"""Manifests and manifest lists as Iceberg Java writes them: Avro in deflate with field ids, format version 2 and 3."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import fastavro

Json = dict[str, Any]


def field(field_id: int, name: str, kind: Any, *, optional: bool = False, **more: Any) -> Json:
    """A field of an Avro record."""
    union = {"type": ["null", kind], "default": None} if optional else {"type": kind}
    return {"name": name, "field-id": field_id} | union | more


def keyed(field_id: int, name: str, key_id: int, value_id: int, value: str) -> Json:
    """A map with int keys, which Avro has as a list of records."""
    record = {
        "type": "record",
        "name": f"k{key_id}_v{value_id}",
        "fields": [field(key_id, "key", "int"), field(value_id, "value", value)],
    }
    return field(field_id, name, {"type": "array", "items": record, "logicalType": "map"}, optional=True)


def entry_schema(partition: Sequence[Json]) -> Json:
    """The schema of a manifest whose partition tuples have these fields."""
    longs = {"type": "array", "items": "long", "element-id": 133}
    ints = {"type": "array", "items": "int", "element-id": 136}
    data_file = {
        "type": "record",
        "name": "r2",
        "fields": [
            field(134, "content", "int"),
            field(100, "file_path", "string"),
            field(101, "file_format", "string"),
            field(102, "partition", {"type": "record", "name": "r102", "fields": list(partition)}),
            field(103, "record_count", "long"),
            field(104, "file_size_in_bytes", "long"),
            keyed(108, "column_sizes", 117, 118, "long"),
            keyed(109, "value_counts", 119, 120, "long"),
            keyed(110, "null_value_counts", 121, 122, "long"),
            keyed(137, "nan_value_counts", 138, 139, "long"),
            keyed(125, "lower_bounds", 126, 127, "bytes"),
            keyed(128, "upper_bounds", 129, 130, "bytes"),
            field(131, "key_metadata", "bytes", optional=True),
            field(132, "split_offsets", longs, optional=True),
            field(135, "equality_ids", ints, optional=True),
            field(140, "sort_order_id", "int", optional=True),
            field(143, "referenced_data_file", "string", optional=True),
            field(144, "content_offset", "long", optional=True),
            field(145, "content_size_in_bytes", "long", optional=True),
        ],
    }
    fields = [
        field(0, "status", "int"),
        field(1, "snapshot_id", "long", optional=True),
        field(3, "sequence_number", "long", optional=True),
        field(4, "file_sequence_number", "long", optional=True),
        field(2, "data_file", data_file),
    ]
    return {"type": "record", "name": "manifest_entry", "fields": fields}


SUMMARY = {
    "type": "record",
    "name": "r508",
    "fields": [
        field(509, "contains_null", "boolean"),
        field(518, "contains_nan", "boolean", optional=True),
        field(510, "lower_bound", "bytes", optional=True),
        field(511, "upper_bound", "bytes", optional=True),
    ],
}
LIST_SCHEMA = {
    "type": "record",
    "name": "manifest_file",
    "fields": [
        field(500, "manifest_path", "string"),
        field(501, "manifest_length", "long"),
        field(502, "partition_spec_id", "int"),
        field(517, "content", "int"),
        field(515, "sequence_number", "long"),
        field(516, "min_sequence_number", "long"),
        field(503, "added_snapshot_id", "long"),
        field(504, "added_files_count", "int"),
        field(505, "existing_files_count", "int"),
        field(506, "deleted_files_count", "int"),
        field(512, "added_rows_count", "long"),
        field(513, "existing_rows_count", "long"),
        field(514, "deleted_rows_count", "long"),
        field(507, "partitions", {"type": "array", "items": SUMMARY, "element-id": 508}, optional=True),
        field(519, "key_metadata", "bytes", optional=True),
        field(520, "first_row_id", "long", optional=True),
    ],
}


def write_manifest(path: Path, table: Json, partition: Sequence[Json], entries: Sequence[Json]) -> Json:
    """Write the entries of one manifest, all added by the table's snapshot; return its row of the manifest list."""
    deletes = any(entry["data_file"]["content"] for entry in entries)
    spec = table["partition-specs"][0]
    header = {
        "schema": json.dumps(table["schemas"][0]),
        "schema-id": "0",
        "partition-spec": json.dumps(spec["fields"]),
        "partition-spec-id": str(spec["spec-id"]),
        "format-version": str(table["format-version"]),
        "content": "deletes" if deletes else "data",
    }
    with path.open("wb") as file:
        fastavro.writer(
            file,
            entry_schema(partition),
            entries,
            codec="deflate",
            metadata=header,
            codec_compression_level=9,
        )
    rows = sum(entry["data_file"]["record_count"] for entry in entries)
    return {
        "manifest_path": str(path),
        "manifest_length": path.stat().st_size,
        "partition_spec_id": spec["spec-id"],
        "content": int(deletes),
        "sequence_number": table["last-sequence-number"],
        "min_sequence_number": table["last-sequence-number"],
        "added_snapshot_id": table["current-snapshot-id"],
        "added_files_count": len(entries),
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": rows,
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": summaries(partition, entries),
        "first_row_id": None if deletes or table["format-version"] < 3 else 0,
    }


def summaries(partition: Sequence[Json], entries: Sequence[Json]) -> list[Json]:
    """The bounds of each partition field over the entries; the fields are ints and dates."""
    found = []
    for each in partition:
        values = [entry["data_file"]["partition"][each["name"]] for entry in entries]
        bounds = {"lower_bound": min(values), "upper_bound": max(values)}
        packed = {name: value.to_bytes(4, "little", signed=True) for name, value in bounds.items()}
        found.append({"contains_null": False, "contains_nan": False} | packed)
    return found


def write_list(path: Path, table: Json, manifests: Iterable[Json]) -> None:
    """Write a manifest list."""
    header = {
        "snapshot-id": str(table["current-snapshot-id"]),
        "parent-snapshot-id": "null",
        "sequence-number": str(table["last-sequence-number"]),
        "format-version": str(table["format-version"]),
    }
    with path.open("wb") as file:
        fastavro.writer(file, LIST_SCHEMA, list(manifests), codec="deflate", metadata=header)


def entry(table: Json, data_file: Json) -> Json:
    """An entry of status added."""
    return {
        "status": 1,
        "snapshot_id": table["current-snapshot-id"],
        "sequence_number": None,
        "file_sequence_number": None,
        "data_file": {"content": 0, "file_format": "PARQUET", "sort_order_id": 0} | data_file,
    }
