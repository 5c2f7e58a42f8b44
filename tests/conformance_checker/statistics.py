"""Do the statistics files that a table names say what its manifests say? Spec: Table Statistics; Partition Statistics.

Files that another writer made are left alone, and so are those that are not there: statistics are informational.
"""

from __future__ import annotations

import io
import json
import struct
from collections import Counter
from typing import Any

import pyarrow.parquet as pq

from conformance_checker.faults import Faults
from conformance_checker.states import State, Storage
from conformance_checker.vectors import blobs_of

Json = dict[str, Any]
COUNTS = {
    (0, False): ("data_record_count", "data_file_count"),
    (1, False): ("position_delete_record_count", "position_delete_file_count"),
    (1, True): ("position_delete_record_count", "dv_count"),
    (2, False): ("equality_delete_record_count", "equality_delete_file_count"),
}
"""The columns that count records and files, by content and whether the file is a deletion vector."""
SIZE = "total_data_file_size_in_bytes"
IDS = [*range(1, 13)]
VECTORS = 13


def check_statistics(metadata: Json, found: dict[int, State], storage: Storage, faults: Faults) -> None:
    """Check the files that the metadata names, of snapshots that Floeberg wrote."""
    if not any(state.is_own for state in found.values()):
        return
    known = {each["snapshot-id"] for each in metadata.get("snapshots", [])}
    for kind in ("statistics", "partition-statistics"):
        ids = [each["snapshot-id"] for each in metadata.get(kind, [])]
        if len(ids) != len(set(ids)) or not known.issuperset(ids):
            faults.say(
                "statistics-of-snapshots", kind, f"they are of {ids}, and the snapshots are {sorted(known)}"
            )
        for file in metadata.get(kind, []):
            content, state = _content(file, storage), found.get(file["snapshot-id"])
            if content is None or state is None or not state.is_own:
                continue
            if kind == "statistics":
                _check_puffin(file, content, faults)
            elif content[:4] == b"PAR1":
                _check_rows(file, content, state, metadata, faults)


def _content(file: Json, storage: Storage) -> bytes | None:
    try:
        return storage.open(file["statistics-path"])
    except OSError:
        return None


def _check_puffin(file: Json, content: bytes, faults: Faults) -> None:
    place = file["statistics-path"]
    try:
        blobs = blobs_of(content)
    except ValueError as error:
        faults.say("statistics-files", place, str(error))
        return
    (length,) = struct.unpack("<i", content[-12:-8])
    footer = json.loads(content[len(content) - 12 - length : len(content) - 12])
    if not footer.get("properties", {}).get("created-by", "").startswith("Floeberg"):
        return
    faults.equal("statistics-files", place, "bytes", file["file-size-in-bytes"], len(content))
    faults.equal(
        "statistics-files", place, "bytes of the footer", file["file-footer-size-in-bytes"], length + 16
    )
    said = [_described(blob) for blob in file["blob-metadata"]]
    faults.equal("statistics-files", place, "blobs", said, [_described(blob) for blob in blobs])


def _described(blob: Json) -> tuple[Any, ...]:
    names = ("type", "snapshot-id", "sequence-number", "fields", "properties")
    return tuple(blob.get(name) for name in names)


def _check_rows(file: Json, content: bytes, state: State, metadata: Json, faults: Faults) -> None:
    place = file["statistics-path"]
    try:
        parquet = pq.ParquetFile(io.BytesIO(content))
    except (OSError, ValueError) as error:
        faults.say("statistics-files", place, str(error))
        return
    if not parquet.metadata.created_by.startswith("floeberg"):
        return
    faults.equal("statistics-files", place, "bytes", file["file-size-in-bytes"], len(content))
    schema = parquet.schema_arrow
    ids = [int((each.metadata or {}).get(b"PARQUET:field_id", -1)) for each in schema]
    # A table may be upgraded after its file was written.
    if ids not in ([IDS, [*IDS, VECTORS]] if metadata["format-version"] > 2 else [IDS]):
        faults.say("partition-statistics-columns", place, f"the ids are {ids}")
        return
    rows = parquet.read().to_pylist()
    keys = [[*map(_key, each["partition"].values())] for each in rows]
    if keys != sorted(keys):
        faults.say("partition-statistics-order", place, f"the rows are not sorted: {keys[:5]}")
    counted: Counter[tuple[int, str]] = Counter()
    for row in rows:
        names = {SIZE, *(name for pair in COUNTS.values() for name in pair)}
        counted.update({(row["spec_id"], name): row.get(name) or 0 for name in names})
    listed: Counter[tuple[int, str]] = Counter()
    for entry in state.live.values():
        is_vector = entry.file["file_format"].lower() == "puffin"
        records, files = COUNTS[entry.content, is_vector]
        listed[entry.spec_id, records] += entry.file["record_count"]
        listed[entry.spec_id, files] += 1
        if entry.content == 0:
            listed[entry.spec_id, SIZE] += entry.file["file_size_in_bytes"]
    faults.equal("partition-statistics-counts", place, "counts by spec", +counted, +listed)
    partitions = {(entry.spec_id, repr(sorted(entry.partition.items()))) for entry in state.live.values()}
    files = [name for _, name in COUNTS.values()]
    with_files = [row for row in rows if any(row.get(name) for name in files)]
    faults.equal("partition-statistics-counts", place, "partitions", len(with_files), len(partitions))


def _key(value: Any) -> tuple[bool, bool, Any]:
    """Nulls are first, NaN is last."""
    is_nan = isinstance(value, float) and value != value  # noqa: PLR0124 - NaN
    return value is not None, is_nan, 0 if value is None or is_nan else value
