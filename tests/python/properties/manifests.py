"""Manifests and the manifest list of a random table: a manifest a file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from properties import avro
from properties.kinds import Kind
from properties.metrics import Metrics, metrics
from properties.tables import SNAPSHOT, Column, File, Table
from properties.vectors import blob

FIELD = avro.field


def manifest(table: Table, file: File, folder: Path, sizes: dict[str, int]) -> bytes:
    """The manifest that lists one file."""
    partition = avro.record(
        "r102",
        [
            FIELD(each.number, each.name, _named(each.kind(file.schema), each.number))
            for each in file.spec.fields
        ],
    )
    longs = ["value_counts", "null_value_counts", "nan_value_counts"]
    data_file = [
        FIELD(134, "content", "int", optional=False),
        FIELD(100, "file_path", "string", optional=False),
        FIELD(101, "file_format", "string", optional=False),
        FIELD(102, "partition", partition, optional=False),
        FIELD(103, "record_count", "long", optional=False),
        FIELD(104, "file_size_in_bytes", "long", optional=False),
        *(
            FIELD(number, name, avro.pairs(key, key + 1, "long"))
            for name, (number, key) in zip(longs, [(109, 119), (110, 121), (137, 138)], strict=True)
        ),
        FIELD(125, "lower_bounds", avro.pairs(126, 127, "bytes")),
        FIELD(128, "upper_bounds", avro.pairs(129, 130, "bytes")),
        FIELD(135, "equality_ids", avro.array(136, "int")),
        FIELD(143, "referenced_data_file", "string"),
        FIELD(144, "content_offset", "long"),
        FIELD(145, "content_size_in_bytes", "long"),
    ]
    schema = avro.record(
        "manifest_entry",
        [
            FIELD(0, "status", "int", optional=False),
            FIELD(1, "snapshot_id", "long"),
            FIELD(3, "sequence_number", "long"),
            FIELD(4, "file_sequence_number", "long"),
            FIELD(2, "data_file", avro.record("r2", data_file), optional=False),
        ],
    )
    sequence = None if table.inherits else file.sequence
    entry = {
        "status": 1 if table.inherits else 0,
        "snapshot_id": SNAPSHOT,
        "sequence_number": sequence,
        "file_sequence_number": sequence,
        "data_file": _data_file(table, file, folder, sizes),
    }
    spec = [
        {
            "field-id": each.number,
            "name": each.name,
            "source-id": each.column.number,
            "transform": each.transform,
        }
        for each in file.spec.fields
    ]
    header = {
        "schema": json.dumps({"type": "struct", "schema-id": file.schema, "fields": []}),
        "partition-spec": json.dumps(spec),
        "partition-spec-id": str(file.spec.number),
        "format-version": str(table.version),
        "content": "deletes" if file.content else "data",
    }
    return avro.container(schema, [entry], header)


def _named(kind: Kind, number: int) -> Any:
    """The type of a partition value; names occur once in a file."""
    return (
        kind.avro | {"name": f"fixed_{number}"}
        if isinstance(kind.avro, dict) and "name" in kind.avro
        else kind.avro
    )


def _data_file(table: Table, file: File, folder: Path, sizes: dict[str, int]) -> dict[str, Any]:
    columns = [each for each in file.keys + file.extra or table.columns if file.schema or not each.added]
    told = {each.number: _metrics(file, each) for each in columns if each.number in file.told}

    def of(name: str) -> list[dict[str, Any]] | None:
        there = {number: getattr(each, name) for number, each in told.items()}
        found = [{"key": number, "value": value} for number, value in there.items() if value is not None]
        return found or None

    count = len(file.positions) if file.positions else len(file.rows)
    vector = file.vector
    return {
        "content": file.content,
        "file_path": str(folder / "data" / file.name),
        "file_format": "puffin" if vector else "parquet",
        "partition": {
            each.name: _written(each.kind(file.schema), value)
            for each, value in zip(file.spec.fields, file.partition, strict=True)
        },
        "record_count": count,
        "file_size_in_bytes": sizes[file.name],
        "value_counts": of("values"),
        "null_value_counts": of("nulls"),
        "nan_value_counts": of("nans"),
        "lower_bounds": of("lower"),
        "upper_bounds": of("upper"),
        "equality_ids": [each.number for each in file.keys] or None,
        "referenced_data_file": None if file.of is None else str(folder / "data" / file.of.name),
        "content_offset": 4 if vector else None,
        "content_size_in_bytes": len(blob(file)) if vector else None,
    }


def _metrics(file: File, column: Column) -> Metrics:
    values = [row[column.number] for row in file.rows]
    return metrics(column.kind(file.schema), values, file.told[column.number])


def _written(kind: Kind, value: Any) -> Any:
    """A partition value as the encoder takes it."""
    if value is None or not kind.name.startswith("decimal"):
        return value
    return value.to_bytes(kind.avro["size"], "big", signed=True)


def manifest_list(table: Table, listed: list[tuple[File, Path]]) -> bytes:
    """The manifest list."""
    summary = avro.record(
        "r508",
        [
            FIELD(509, "contains_null", "boolean", optional=False),
            FIELD(518, "contains_nan", "boolean"),
            FIELD(510, "lower_bound", "bytes"),
            FIELD(511, "upper_bound", "bytes"),
        ],
    )
    counts = [
        (504, "added_files_count", "int"),
        (505, "existing_files_count", "int"),
        (506, "deleted_files_count", "int"),
        (512, "added_rows_count", "long"),
        (513, "existing_rows_count", "long"),
        (514, "deleted_rows_count", "long"),
    ]
    schema = avro.record(
        "manifest_file",
        [
            FIELD(500, "manifest_path", "string", optional=False),
            FIELD(501, "manifest_length", "long", optional=False),
            FIELD(502, "partition_spec_id", "int", optional=False),
            FIELD(517, "content", "int", optional=False),
            FIELD(515, "sequence_number", "long", optional=False),
            FIELD(516, "min_sequence_number", "long", optional=False),
            FIELD(503, "added_snapshot_id", "long", optional=False),
            *(FIELD(number, name, kind, optional=False) for number, name, kind in counts),
            FIELD(507, "partitions", avro.array(508, summary)),
            FIELD(520, "first_row_id", "long"),
        ],
    )
    rows, first_row_id = [], 0
    for file, path in listed:
        count = len(file.positions) if file.positions else len(file.rows)
        is_data = file.content == 0
        row = dict.fromkeys((name for _, name, _ in counts), 0)
        kind = "added" if table.inherits else "existing"
        row |= {
            "manifest_path": str(path),
            "manifest_length": path.stat().st_size,
            "partition_spec_id": file.spec.number,
            "content": int(not is_data),
            "sequence_number": file.sequence,
            "min_sequence_number": file.sequence,
            "added_snapshot_id": SNAPSHOT,
            f"{kind}_files_count": 1,
            f"{kind}_rows_count": count,
            "partitions": _summaries(file) if table.summaries else None,
            "first_row_id": first_row_id if is_data and table.version > 2 else None,
        }
        first_row_id += count * is_data
        rows.append(row)
    return avro.container(schema, rows, {"format-version": str(table.version)})


def _summaries(file: File) -> list[dict[str, Any]]:
    return [
        _summary(each.kind(file.schema), value)
        for each, value in zip(file.spec.fields, file.partition, strict=True)
    ]


def _summary(kind: Kind, value: Any) -> dict[str, Any]:
    is_nan = isinstance(value, float) and math.isnan(value)
    bound = None if value is None or is_nan else kind.pack(value)
    return {
        "contains_null": value is None,
        "contains_nan": is_nan if kind.is_float else None,
        "lower_bound": bound,
        "upper_bound": bound,
    }
