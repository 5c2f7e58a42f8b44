"""Writes a table: Parquet files, deletion vectors, manifests, a manifest list, metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from properties.manifests import manifest, manifest_list
from properties.tables import SNAPSHOT, STRUCT, Column, File, Table
from properties.vectors import puffin

MANIFEST = "manifest-"
"""How the names of manifests begin; then comes the name of the one file that they list."""
PATH_ID, POSITION_ID = 2_147_483_546, 2_147_483_545


def write(table: Table, folder: Path) -> Path:
    """Write a table into an empty folder; return its metadata file."""
    (folder / "data").mkdir(parents=True)
    (folder / "metadata").mkdir()
    sizes = {}
    for file in table.files:
        path = folder / "data" / file.name
        if file.vector:
            path.write_bytes(puffin(file))
        else:
            parquet(table, file, path)
        sizes[file.name] = path.stat().st_size
    listed = []
    for file in table.files:
        path = folder / "metadata" / f"{MANIFEST}{file.name}.avro"
        path.write_bytes(manifest(table, file, folder, sizes))
        listed.append((file, path))
    list_path = folder / "metadata" / "list.avro"
    list_path.write_bytes(manifest_list(table, listed))
    metadata = folder / "metadata" / "v1.metadata.json"
    metadata.write_text(json.dumps(metadata_json(table, folder, list_path), indent=1))
    return metadata


def listed_in(path: str) -> str:
    """The name of the file that a manifest lists."""
    return Path(path).name.removeprefix(MANIFEST).removesuffix(".avro")


def schema_json(table: Table, schema: int) -> dict[str, Any]:
    """A schema, as metadata says it."""

    def one(column: Column) -> dict[str, Any]:
        found = {
            "id": column.number,
            "name": column.name,
            "required": False,
            "type": column.kind(schema).name,
        }
        if column.default is not None:
            found["initial-default"] = column.default
        return found

    there = [column for column in table.columns if schema or not column.added]
    fields = [one(column) for column in there if not column.nested]
    if table.has_struct:
        nested = [one(column) for column in there if column.nested]
        fields.append(
            {"id": STRUCT, "name": "st", "required": False, "type": {"type": "struct", "fields": nested}}
        )
    return {"type": "struct", "schema-id": schema, "fields": fields}


def metadata_json(table: Table, folder: Path, list_path: Path) -> dict[str, Any]:
    """The metadata of the table with one snapshot."""
    sequence = max(file.sequence for file in table.files)
    rows = sum(len(file.rows) for file in table.data())
    specs = [
        {
            "spec-id": spec.number,
            "fields": [
                {
                    "field-id": each.number,
                    "name": each.name,
                    "source-id": each.column.number,
                    "transform": each.transform,
                }
                for each in spec.fields
            ],
        }
        for spec in table.specs
    ]
    snapshot = {
        "snapshot-id": SNAPSHOT,
        "sequence-number": sequence,
        "timestamp-ms": 1,
        "manifest-list": str(list_path),
        "summary": {"operation": "overwrite"},
        "schema-id": 1,
    }
    found = {
        "format-version": table.version,
        "table-uuid": "00000000-0000-0000-0000-000000000001",
        "location": str(folder),
        "last-sequence-number": sequence,
        "last-updated-ms": 1,
        "last-column-id": 100,
        "schemas": [schema_json(table, 0), schema_json(table, 1)],
        "current-schema-id": 1,
        "partition-specs": specs,
        "default-spec-id": 0,
        "last-partition-id": 1999,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "current-snapshot-id": SNAPSHOT,
        "snapshots": [snapshot],
    }
    if table.version > 2:
        snapshot |= {"first-row-id": 0, "added-rows": rows}
        found["next-row-id"] = rows
    return found


def parquet(table: Table, file: File, path: Path) -> None:
    """Write a data or delete file."""
    if file.positions:
        columns = [
            _column(PATH_ID, "file_path", pa.array([_path(path, target) for target, _ in file.positions])),
            _column(POSITION_ID, "pos", pa.array([position for _, position in file.positions], pa.int64())),
        ]
    else:
        there = file.keys + file.extra or tuple(
            each for each in table.columns if file.schema or not each.added
        )
        columns = [_values(file, each) for each in there if not each.nested]
        if nested := [each for each in there if each.nested]:
            columns.append(_struct(file, nested))
    layout = file.layout
    pq.write_table(
        pa.Table.from_arrays(
            [array for _, array in columns], schema=pa.schema([field for field, _ in columns])
        ),
        path,
        row_group_size=layout.group_rows,
        data_page_size=layout.page_bytes,
        write_batch_size=1 if layout.page_bytes < 1 << 20 else 1024,
        write_statistics=layout.statistics,
        write_page_index=layout.page_index,
        use_dictionary=layout.dictionary,
        store_schema=False,
    )


def _path(beside: Path, target: File) -> str:
    return str(beside.parent / target.name)


def _column(number: int, name: str, array: pa.Array) -> tuple[pa.Field, pa.Array]:
    return pa.field(name, array.type, metadata={b"PARQUET:field_id": str(number).encode()}), array


def _values(file: File, column: Column) -> tuple[pa.Field, pa.Array]:
    kind = column.kind(file.schema)
    return _column(column.number, column.name, kind.array([row[column.number] for row in file.rows]))


def _struct(file: File, columns: list[Column]) -> tuple[pa.Field, pa.Array]:
    pairs = [_values(file, column) for column in columns]
    mask = pa.array([row[0] for row in file.rows])
    array = pa.StructArray.from_arrays(
        [array for _, array in pairs], fields=[field for field, _ in pairs], mask=mask
    )
    return _column(STRUCT, "st", array)
