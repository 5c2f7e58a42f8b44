"""Tables to scan: 12 columns in 40 Parquet files, without deletes and with 5 % of the rows deleted in two ways.

`plain`, `positions` (a position delete file for each data file), `vectors` (a deletion vector for each data file) and
`large` (four times `plain`) share their data files by hard links, so that the rows are generated once.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from manifests import entry, write_list, write_manifest
from pyroaring import BitMap
from tables import COLUMNS, metadata, write_metadata

Json = dict[str, Any]

FILES = 40
ROW_GROUP = 250_000
DELETED = 0.05
LARGER = 4
VARIANTS = ("plain", "positions", "vectors", "large")
ARROW = {
    "long": pa.int64(),
    "timestamptz": pa.timestamp("us", "UTC"),
    "date": pa.date32(),
    "int": pa.int32(),
    "double": pa.float64(),
    "float": pa.float32(),
    "decimal(12,2)": pa.decimal128(12, 2),
    "string": pa.string(),
    "boolean": pa.bool_(),
}
POSITIONS = pa.schema(
    [
        pa.field("file_path", pa.string(), nullable=False, metadata={"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "2147483545"}),
    ]
)


def scan_table(folder: Path, variant: str, rows: int) -> Path:
    """Write a table of `rows` rows (four times as many for `large`); return its metadata file."""
    place = folder / f"scan-{rows}-{variant}"
    made = place / "metadata" / "v1.metadata.json"
    if made.exists():
        return made
    copies = LARGER if variant == "large" else 1
    files = begin(place, shared_files(folder, rows) * copies)
    table = metadata(place, version=3 if variant == "vectors" else 2, rows=rows * copies)
    manifests = [data_manifest(place, table, files)]
    if variant in ("positions", "vectors"):
        write = positions if variant == "positions" else vectors
        deletes = [entry(table, delete) for delete in write(place, files)]
        manifests.append(write_manifest(place / "metadata" / "deletes.avro", table, (), deletes))
    write_list(place / "metadata" / "list.avro", table, manifests)
    return write_metadata(place, table)


def table_of_files(folder: Path, count: int) -> Path:
    """Write a table of so many files of one row; return its metadata file."""
    place = folder / f"files-{count}"
    made = place / "metadata" / "v1.metadata.json"
    if made.exists():
        return made
    begin(place, [])
    files = [place / "data" / f"{number:06}.parquet" for number in range(count)]
    for number, path in enumerate(files):
        pq.write_table(batch(number, 1), path)
    table = metadata(place, version=2, rows=count)
    write_list(place / "metadata" / "list.avro", table, [data_manifest(place, table, files)])
    return write_metadata(place, table)


def begin(place: Path, sources: list[Path]) -> list[Path]:
    """Make the folder of a table anew, with links to data files; return these."""
    shutil.rmtree(place, ignore_errors=True)
    (place / "metadata").mkdir(parents=True)
    (place / "data").mkdir()
    files = [place / "data" / f"{number:03}.parquet" for number in range(len(sources))]
    for source, path in zip(sources, files, strict=True):
        os.link(source, path)
    return files


def data_manifest(place: Path, table: Json, files: list[Path]) -> Json:
    """Write the manifest of data files; return its entry in a manifest list."""
    entries = [data_entry(table, path) for path in files]
    return write_manifest(place / "metadata" / "data.avro", table, (), entries)


def shared_files(folder: Path, rows: int) -> list[Path]:
    """The data files that all variants share."""
    place = folder / f"rows-{rows}"
    place.mkdir(parents=True, exist_ok=True)
    paths = [place / f"{number:03}.parquet" for number in range(FILES)]
    each = rows // FILES
    for number, path in enumerate(paths):
        if not path.exists():
            unfinished = path.with_suffix(".part")
            pq.write_table(batch(number, each), unfinished, compression="zstd", row_group_size=ROW_GROUP)
            unfinished.rename(path)
    return paths


def batch(number: int, rows: int) -> pa.Table:
    """The rows of a file."""
    random = np.random.default_rng(number)
    first = number * rows
    countries = pa.array(["AT", "BR", "CN", "DE", "EG", "FI", "GR", "HU", "IN", "JP"])
    products = pa.array([f"product {index:05}" for index in range(5_000)])
    amounts = random.integers(0, 10_000_000, rows)
    # A decimal is its unscaled value in 16 bytes, little endian.
    unscaled = np.stack([amounts, np.zeros(rows, np.int64)], axis=1).tobytes()
    columns = [
        pa.array(np.arange(first, first + rows)),
        pa.array(1_700_000_000_000_000 + np.arange(first, first + rows) * 1_000_000).cast(
            pa.timestamp("us", "UTC")
        ),
        pa.array((19_000 + (np.arange(first, first + rows) // 86_400)).astype(np.int32)).cast(pa.date32()),
        pa.array(random.integers(0, 1_000_000, rows)),
        pa.array(random.integers(1, 100, rows).astype(np.int32)),
        pa.array(random.random(rows) * 1000),
        pa.array(random.choice(np.array([0, 0.05, 0.1, 0.25], np.float32), rows)),
        pa.Array.from_buffers(ARROW["decimal(12,2)"], rows, [None, pa.py_buffer(unscaled)]),
        countries.take(pa.array(random.integers(0, 10, rows))),
        products.take(pa.array(random.integers(0, 5_000, rows))),
        pa.array(
            np.char.add("note ", random.integers(0, 100_000, rows).astype(str)),
            mask=random.random(rows) < 0.3,
        ),
        pa.array(random.random(rows) < 0.9),
    ]
    fields = [
        pa.field(name, ARROW[kind], metadata={"PARQUET:field_id": str(field_id)})
        for field_id, (name, kind) in enumerate(COLUMNS, 1)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def data_entry(table: Json, path: Path) -> Json:
    """The entry of a data file, with the bounds of its id."""
    footer = pq.read_metadata(path)
    offsets = [
        footer.row_group(group).column(0).dictionary_page_offset
        or footer.row_group(group).column(0).data_page_offset
        for group in range(footer.num_row_groups)
    ]
    ids = [footer.row_group(group).column(0).statistics for group in range(footer.num_row_groups)]
    low, high = min(each.min for each in ids), max(each.max for each in ids)
    return entry(
        table,
        {
            "file_path": str(path),
            "partition": {},
            "record_count": footer.num_rows,
            "file_size_in_bytes": path.stat().st_size,
            "value_counts": [{"key": 1, "value": footer.num_rows}],
            "null_value_counts": [{"key": 1, "value": 0}],
            "lower_bounds": [{"key": 1, "value": struct.pack("<q", low)}],
            "upper_bounds": [{"key": 1, "value": struct.pack("<q", high)}],
            "split_offsets": offsets,
        },
    )


def deleted(number: int, path: Path) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The positions that are deleted in a file: scattered, the same in both variants."""
    rows = pq.read_metadata(path).num_rows
    chosen = np.random.default_rng(1_000 + number).random(rows) < DELETED
    return np.flatnonzero(chosen)


def positions(place: Path, files: list[Path]) -> Iterator[Json]:
    """Write a position delete file for each data file."""
    for number, data in enumerate(files):
        places = pa.array(deleted(number, data))
        path = place / "data" / f"{number:03}-deletes.parquet"
        paths = pa.repeat(str(data), len(places))
        pq.write_table(pa.Table.from_arrays([paths, places], schema=POSITIONS), path, compression="zstd")
        bound = [{"key": 2147483546, "value": str(data).encode()}]
        yield {
            "content": 1,
            "file_path": str(path),
            "partition": {},
            "record_count": len(places),
            "file_size_in_bytes": path.stat().st_size,
            "lower_bounds": bound,
            "upper_bounds": bound,
            "referenced_data_file": str(data),
        }


def vectors(place: Path, files: list[Path]) -> list[Json]:
    """Write one Puffin file with a deletion vector for each data file."""
    path = place / "data" / "deletes.puffin"
    body, blobs, found = bytearray(b"PFA1"), [], []
    for number, data in enumerate(files):
        places = deleted(number, data)
        # One bitmap of 32-bit positions under key 0; a file has fewer than 2**32 rows.
        content = bytes.fromhex("d1d33964") + struct.pack("<QI", 1, 0) + BitMap(places).serialize()
        blob = struct.pack(">I", len(content)) + content + struct.pack(">I", zlib.crc32(content))
        place_of_blob = {"offset": len(body), "length": len(blob)}
        facts = {"referenced-data-file": str(data), "cardinality": str(len(places))}
        blobs.append(
            {
                "type": "deletion-vector-v1",
                "fields": [2147483645],
                "snapshot-id": -1,
                "sequence-number": -1,
                "properties": facts,
            }
            | place_of_blob
        )
        found.append((data, len(places), place_of_blob))
        body += blob
    footer = json.dumps({"blobs": blobs, "properties": {}}).encode()
    body += b"PFA1" + footer + struct.pack("<I", len(footer)) + bytes(4) + b"PFA1"
    path.write_bytes(body)
    return [
        {
            "content": 1,
            "file_path": str(path),
            "file_format": "PUFFIN",
            "partition": {},
            "record_count": count,
            "file_size_in_bytes": len(body),
            "referenced_data_file": str(data),
            "content_offset": blob["offset"],
            "content_size_in_bytes": blob["length"],
        }
        for data, count, blob in found
    ]
