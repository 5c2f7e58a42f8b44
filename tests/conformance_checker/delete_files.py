"""Delete files that Floeberg wrote, and what their entries say of them. Spec: Delete Formats; Data File Fields."""

from __future__ import annotations

import struct
from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from conformance_checker.faults import Faults
from conformance_checker.states import ADDED, Entry, State, Storage
from conformance_checker.vectors import blobs_of, positions_of

Json = dict[str, Any]
POSITIONS, EQUALITY = 1, 2
PATH_ID, POSITION_ID, POSITION_COLUMN = 2_147_483_546, 2_147_483_545, 2_147_483_645
Places = set[tuple[str, int]]
"""Data files and positions in them."""
READ_ERRORS = (OSError, ValueError, TypeError, KeyError, IndexError, struct.error, pa.ArrowException)


def check_deletes(state: State, storage: Storage, faults: Faults) -> None:
    """Check the delete files of a snapshot that Floeberg wrote."""
    data = {canonical(entry.file["file_path"]): entry for entry in state.live.values() if entry.content == 0}
    _check_vectors_of_files(state, data, faults)
    before = {} if state.parent is None else state.parent.live
    for entry in state.changed(ADDED):
        if entry.content == 0:
            continue
        place = f"{state.place}, {entry.file['file_path']}"
        _check_kind(entry, state, place, faults)
        _check_target(entry, data, place, faults)
        try:
            _check_content(entry, before, storage, place, faults)
        except READ_ERRORS as error:
            faults.say("delete-files-can-be-read", place, f"{type(error).__name__}: {error}")


def canonical(location: str) -> str:
    """One spelling of a location."""
    for scheme in ("file://", "file:"):
        if location.startswith(f"{scheme}/"):
            return location.removeprefix(scheme)
    return location


def is_vector(entry: Entry) -> bool:
    """Is it a deletion vector?"""
    return entry.content == POSITIONS and entry.file["file_format"].lower() == "puffin"


def target(entry: Entry) -> str | None:
    """The one data file that deletes are for, where they say so."""
    named = entry.file.get("referenced_data_file")
    return None if named is None else canonical(named)


def _check_vectors_of_files(state: State, data: dict[str, Entry], faults: Faults) -> None:
    """A data file has one vector at most, and a vector has its data file."""
    vectors = [entry for entry in state.live.values() if is_vector(entry)]
    for path, count in Counter(map(target, vectors)).items():
        if count > 1:
            faults.say("one-vector-of-a-file", state.place, f"{path} has {count}")
    before = set() if state.parent is None else {canonical(path) for path, _ in state.parent.live}
    for entry in vectors:
        path = target(entry)
        # Those of another writer may have had none before.
        was_there = path in before or entry.snapshot_id == state.id
        if path not in data and was_there:
            faults.say("vectors-have-their-file", state.place, f"{entry.file['file_path']}: {path} is gone")


def _check_kind(entry: Entry, state: State, place: str, faults: Faults) -> None:
    """Which versions have which deletes."""
    kind = "vectors" if is_vector(entry) else "positions" if entry.content == POSITIONS else "keys"
    allowed = {1: (), 2: ("positions", "keys"), 3: ("vectors", "keys")}.get(state.version, ())
    if kind not in allowed:
        faults.say("deletes-of-the-version", place, f"{kind} in version {state.version}")
    if (entry.file.get("content_offset") is not None) != (kind == "vectors"):
        faults.say("deletes-of-the-version", place, f"{kind} at {entry.file.get('content_offset')}")
    if (kind == "keys") != bool(entry.file.get("equality_ids")):
        faults.say("equality-ids", place, f"{kind} with {entry.file.get('equality_ids')}")


def _check_target(entry: Entry, data: dict[str, Entry], place: str, faults: Faults) -> None:
    """Deletes are of the spec and partition of their data file, and not older than it."""
    path = target(entry)
    if path is None:
        if is_vector(entry):
            faults.say("referenced-data-file", place, "a vector names none")
        return
    of = data.get(path)
    if of is None:
        return
    if (entry.spec_id, repr(entry.partition)) != (of.spec_id, repr(of.partition)):
        found, expected = (entry.spec_id, entry.partition), (of.spec_id, of.partition)
        faults.say("deletes-of-the-partition", place, f"found {found}, its data file is in {expected}")
    if entry.sequence is None or of.sequence is None or entry.sequence < of.sequence:
        faults.say("deletes-come-after", place, f"{entry.sequence} is before {of.sequence} of {path}")


def _check_content(
    entry: Entry,
    before: dict[tuple[str, int | None], Entry],
    storage: Storage,
    place: str,
    faults: Faults,
) -> None:
    """What is in a delete file."""
    content, file = storage.open(entry.file["file_path"]), entry.file
    if len(content) != file["file_size_in_bytes"]:
        faults.say(
            "delete-file-size", place, f"{file['file_size_in_bytes']} is said, {len(content)} are there"
        )
    if entry.content == EQUALITY:
        return
    found = _positions(entry, storage, of_own=True)
    if file["record_count"] != len(found):
        faults.say("delete-counts", place, f"{file['record_count']} is said, {len(found)} are there")
    if is_vector(entry):
        _check_blob(entry, blobs_of(content), place, faults)
        lost = _older(entry, before, storage) - set(found)
        if lost:
            faults.say("vectors-hold-what-was-deleted", place, f"lost: {sorted(lost)[:5]}")
        return
    paths = [path.encode() for path, _ in found]
    if list(zip(paths, (at for _, at in found), strict=True)) != sorted(
        {(path.encode(), at) for path, at in found}
    ):
        faults.say("positions-are-sorted", place, "they are not, or are there twice")
    named = file.get("referenced_data_file")
    if named is not None and {path for path, _ in found} != {named}:
        faults.say("referenced-data-file", place, f"it is {named}, and there are deletes for others")
    bounds = [
        {each["key"]: bytes(each["value"]) for each in file.get(name) or []}.get(PATH_ID)
        for name in ("lower_bounds", "upper_bounds")
    ]
    if paths and bounds != [min(paths), max(paths)]:
        faults.say("bounds-of-paths", place, f"found {bounds}")


def _check_blob(entry: Entry, blobs: list[Json], place: str, faults: Faults) -> None:
    """What the footer says of a vector is what its entry says."""
    file = entry.file
    at = (file["content_offset"], file["content_size_in_bytes"])
    described = next((each for each in blobs if (each["offset"], each["length"]) == at), None)
    if described is None:
        faults.say("vectors-are-blobs", place, f"the vector is at {at}, and the blobs are at {blobs}")
        return
    expected = {
        "type": "deletion-vector-v1",
        "fields": [POSITION_COLUMN],
        "snapshot-id": -1,
        "sequence-number": -1,
        "compression-codec": None,
    }
    said = described.get("properties", {})
    found = {key: described.get(key) for key in expected} | {
        "referenced-data-file": said.get("referenced-data-file"),
        "cardinality": said.get("cardinality"),
    }
    expected["referenced-data-file"] = file.get("referenced_data_file")
    expected["cardinality"] = str(file["record_count"])
    if found != expected:
        faults.say("vectors-are-blobs", place, f"expected {expected}, found {found}")


def _older(vector: Entry, before: dict[tuple[str, int | None], Entry], storage: Storage) -> Places:
    """What was deleted by position from the data file of a vector in the snapshot before."""
    path = target(vector)
    of = next((each for each in before.values() if canonical(each.file["file_path"]) == path), None)
    if of is None or of.content != 0:
        return set()
    older = [each for each in before.values() if is_vector(each) and target(each) == path]
    if not older:
        here = (of.spec_id, repr(of.partition))
        older = [
            each
            for each in before.values()
            if each.content == POSITIONS
            and not is_vector(each)
            and (each.spec_id, repr(each.partition)) == here
            and (each.sequence or 0) >= (of.sequence or 0)
        ]
    found: Places = set()
    for each in older:
        found |= {(one, at) for one, at in _positions(each, storage) if canonical(one) == path}
    named = str(vector.file["referenced_data_file"])
    return {(named, at) for _, at in found}


def _positions(entry: Entry, storage: Storage, *, of_own: bool = False) -> list[tuple[str, int]]:
    """The deleted rows that a file names, in its order."""
    file, content = entry.file, storage.open(entry.file["file_path"])
    kind = file["file_format"].lower()
    if kind == "puffin":
        at = file["content_offset"]
        blob = content[at : at + file["content_size_in_bytes"]]
        return [(str(file["referenced_data_file"]), each) for each in positions_of(blob)]
    if kind == "avro":
        rows = storage.avro(file["file_path"]).rows
        return [(row["file_path"], row["pos"]) for row in rows]
    if kind == "orc":
        table = orc.ORCFile(pa.BufferReader(content)).read()
        columns = [_by_orc_id(table, number, of_own=of_own) for number in (PATH_ID, POSITION_ID)]
        return list(zip(*(column.to_pylist() for column in columns), strict=True))
    if kind != "parquet":
        raise ValueError(f"positions in {kind}")
    table = pq.ParquetFile(pa.BufferReader(content)).read()
    columns = [_by_id(table, number, of_own=of_own) for number in (PATH_ID, POSITION_ID)]
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def _by_id(table: pa.Table, number: int, *, of_own: bool) -> pa.ChunkedArray:
    for at, field in enumerate(table.schema):
        if (field.metadata or {}).get(b"PARQUET:field_id") == str(number).encode():
            if field.nullable and of_own:
                raise ValueError(f"column {field.name} is optional")
            return table.column(at)
    raise ValueError(f"no column has the id {number}")


def _by_orc_id(table: pa.Table, number: int, *, of_own: bool) -> pa.ChunkedArray:
    for at, field in enumerate(table.schema):
        attributes = field.metadata or {}
        if attributes.get(b"iceberg.id") == str(number).encode():
            if of_own and attributes.get(b"iceberg.required") != b"true":
                raise ValueError(f"column {field.name} is optional")
            return table.column(at)
    raise ValueError(f"no column has the id {number}")
