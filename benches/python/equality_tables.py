"""Tables to scan with equality deletes: the rows of `scan_tables`, and delete files that are newer than all of them.

`hundred-thousand` and `million` delete as many ids of 20 million, however many rows there are, so that a smaller table
is hit as often. `strings` deletes a million notes, of which a thousand are there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from manifests import entry, write_list, write_manifest
from scan_tables import begin, data_manifest, shared_files
from tables import metadata, write_metadata

Json = dict[str, Any]

IDS = 20_000_000
KEYS = {"hundred-thousand": 100_000, "million": 1_000_000, "strings": 1_000_000}
DELETE_FILES = 10
ID, NOTE = 1, 11


def equality_table(folder: Path, variant: str, rows: int) -> Path:
    """Write a table of `rows` rows with one variant's deletes; return its metadata file."""
    place = folder / f"equality-{rows}-{variant}"
    made = place / "metadata" / "v1.metadata.json"
    if made.exists():
        return made
    files = begin(place, shared_files(folder, rows))
    table = metadata(place, rows=rows)
    manifests = [data_manifest(place, table, files)]
    table["last-sequence-number"] = table["snapshots"][0]["sequence-number"] = 2
    deletes = [entry(table, delete) for delete in delete_files(place, variant)]
    manifests.append(write_manifest(place / "metadata" / "deletes.avro", table, (), deletes))
    write_list(place / "metadata" / "list.avro", table, manifests)
    return write_metadata(place, table)


def keys(variant: str) -> tuple[int, pa.Array]:
    """The key column's field id, and the keys in an order without a pattern."""
    random = np.random.default_rng(7)
    if variant == "strings":
        # The rows have notes up to 100,000.
        numbers = random.permutation(KEYS[variant]) + 99_000
        return NOTE, pa.array(np.char.add("note ", numbers.astype(str)))
    return ID, pa.array(random.choice(IDS, KEYS[variant], replace=False))


def delete_files(place: Path, variant: str) -> list[Json]:
    """Write the delete files; give what a manifest says of them."""
    column, values = keys(variant)
    name = "note" if column == NOTE else "id"
    schema = pa.schema([pa.field(name, values.type, metadata={"PARQUET:field_id": str(column)})])
    each = len(values) // DELETE_FILES
    found = []
    for number in range(DELETE_FILES):
        path = place / "data" / f"{number:03}-deletes.parquet"
        part = pa.Table.from_arrays([values.slice(number * each, each)], schema=schema)
        pq.write_table(part, path, compression="zstd")
        found.append(
            {
                "content": 2,
                "file_path": str(path),
                "partition": {},
                "record_count": each,
                "file_size_in_bytes": path.stat().st_size,
                "equality_ids": [column],
            }
        )
    return found
