"""Manifests that Floeberg wrote: header, schema, entries. Spec: Manifests."""

from __future__ import annotations

import json
from typing import Any

from conformance_checker.avro_schemas import check_manifest_schema
from conformance_checker.faults import Faults
from conformance_checker.metadata import core
from conformance_checker.partition_types import types_of
from conformance_checker.states import ADDED, DELETED, EXISTING, Entry, Manifest, State

Json = dict[str, Any]
DATA, POSITIONS, EQUALITY = 0, 1, 2
NOT_OF_DATA = ("equality_ids", "referenced_data_file", "content_offset", "content_size_in_bytes")


def check_manifest(manifest: Manifest, state: State, metadata: Json, faults: Faults) -> None:
    """Check a manifest as it was written, in the snapshot that added it."""
    place = manifest.path
    header = manifest.file.metadata
    version = header.get("format-version", "1" if metadata["format-version"] == 1 else None)
    if version not in ("1", "2", "3") or int(version) != state.version:
        faults.say(
            "manifest-header", place, f"format-version: found {version!r} in a list of {state.version}"
        )
        return
    spec = next(
        (
            each
            for each in metadata["partition-specs"]
            if each["spec-id"] == manifest.row["partition_spec_id"]
        ),
        None,
    )
    if spec is None:
        return
    _check_header(manifest, spec, metadata, int(version), faults)
    fields = [(each["field-id"], each["name"], types_of(each, metadata)) for each in spec["fields"]]
    if all(types for _, _, types in fields):
        check_manifest_schema(manifest.file.schema, int(version), fields, place, faults)
    for entry in manifest.entries:
        where = f"{place}, {entry.file['file_path']}"
        if entry.status not in (EXISTING, ADDED, DELETED):
            faults.say("status", where, f"found {entry.status}")
            continue
        expected = (POSITIONS, EQUALITY) if manifest.is_deletes else (DATA,)
        if entry.content not in expected:
            faults.say("content", where, f"found {entry.content} in a manifest of {expected}")
        _check_file(entry, metadata, where, faults)
        _check_numbers(entry, state, int(version), where, faults)


def _check_header(manifest: Manifest, spec: Json, metadata: Json, version: int, faults: Faults) -> None:
    place, header = manifest.path, manifest.file.metadata
    try:
        schema, fields = json.loads(header["schema"]), json.loads(header["partition-spec"])
    except (KeyError, ValueError) as error:
        faults.say("manifest-header", place, f"{type(error).__name__}: {error}")
        return
    if version > 1:
        for key in ("schema-id", "partition-spec-id", "content"):
            if key not in header:
                faults.say("manifest-header", place, f"{key} is not there")
    known = {str(each["schema-id"]): core(each["fields"]) for each in metadata.get("schemas", [])}
    number, own = header.get("schema-id", str(schema.get("schema-id"))), core(schema.get("fields"))
    if schema.get("type") != "struct" or own != known.get(number, own):
        faults.say("manifest-header", place, f"schema: it is not that of id {number}: {schema}")
    if number not in known and known:
        faults.say("manifest-header", place, f"schema-id: there is no schema {number}")
    faults.equal("manifest-header", place, "partition-spec", fields, spec["fields"])
    told = header.get("partition-spec-id", str(spec["spec-id"]))
    faults.equal("manifest-header", place, "partition-spec-id", told, str(spec["spec-id"]))
    content = "deletes" if manifest.is_deletes else "data"
    faults.equal("manifest-header", place, "content", header.get("content", "data"), content)


def _check_file(entry: Entry, metadata: Json, where: str, faults: Faults) -> None:
    """What is said of a file whatever is in it."""
    file = entry.file
    if file["file_format"].lower() not in ("parquet", "avro", "orc", "puffin"):
        faults.say("file-format", where, f"found {file['file_format']!r}")
    if file["record_count"] < 0 or file["file_size_in_bytes"] <= 0:
        faults.say("file-format", where, f"{file['record_count']} rows, {file['file_size_in_bytes']} bytes")
    offsets = file.get("split_offsets") or []
    if offsets != sorted(set(offsets)) or any(each >= file["file_size_in_bytes"] for each in offsets):
        faults.say("split-offsets", where, f"found {offsets} of {file['file_size_in_bytes']} bytes")
    orders = [0, *(each["order-id"] for each in metadata.get("sort-orders", []))]
    order = file.get("sort_order_id")
    if order is not None and (order not in orders or entry.content == POSITIONS):
        faults.say("sort-order-id", where, f"found {order} of {orders}")
    if entry.content == DATA and any(file.get(key) is not None for key in NOT_OF_DATA):
        found = {key: file.get(key) for key in NOT_OF_DATA}
        faults.say("data-files-delete-nothing", where, f"found {found}")
    if entry.content != DATA and file.get("first_row_id") is not None:
        faults.say("deletes-have-no-row-ids", where, f"found {file['first_row_id']}")


def _check_numbers(entry: Entry, state: State, version: int, where: str, faults: Faults) -> None:
    """Snapshot ids, sequence numbers and row ids as they are stored."""
    raw = entry.raw
    if entry.status in (ADDED, DELETED) and entry.snapshot_id != state.id:
        word = "added" if entry.status == ADDED else "deleted"
        faults.say("entry-snapshot", where, f"{word} by {entry.snapshot_id}, in a manifest of {state.id}")
    if version == 1:
        if raw.get("snapshot_id") is None:
            faults.say("entry-snapshot", where, "version 1 has no inheritance, and there is none")
        return
    stored = (raw.get("sequence_number"), raw.get("file_sequence_number"))
    if entry.status == ADDED:
        if stored[1] is not None:
            faults.say("added-inherit", where, f"a file sequence number {stored[1]} is stored")
        if stored[0] is not None and stored[0] > state.sequence:
            faults.say("added-inherit", where, f"a sequence number {stored[0]} is stored")
        if entry.file.get("first_row_id") is not None:
            faults.say("added-inherit", where, f"a first row id {entry.file['first_row_id']} is stored")
    elif None in stored:
        faults.say("others-are-explicit", where, f"sequence numbers: found {stored}")


def check_changes(state: State, faults: Faults) -> None:
    """Check what a snapshot makes of its parent's files: none is lost, none comes from nowhere."""
    before = {} if state.parent is None else state.parent.live
    known = state.parent is not None or state.snapshot.get("parent-snapshot-id") is None
    if not known:
        return
    added = {entry.identity for entry in state.changed(ADDED)}
    deleted = {entry.identity for entry in state.changed(DELETED)}
    expected = (set(before) - deleted) | added
    for identity in set(state.live) ^ expected:
        word = "is live" if identity in state.live else "is live no more"
        faults.say("files-come-and-go", state.place, f"{identity[0]} {word}, and no entry says why")
    for identity in added & set(before) - deleted:
        faults.say("files-come-and-go", state.place, f"{identity[0]} is added again")
    for manifest in state.manifests:
        if manifest.row["added_snapshot_id"] != state.id:
            continue
        for entry in manifest.entries:
            was = before.get(entry.identity)
            where = f"{state.place}, {entry.file['file_path']}"
            if entry.status == ADDED:
                continue
            if was is None:
                faults.say("files-come-and-go", where, "it was not live before")
                continue
            _check_carried(entry, was, state, where, faults)


def _plain(value: Any) -> Any:
    """A value without what writers choose: the order of maps, and the case of words."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return {each["key"]: each["value"] for each in value}
    return value.lower() if value in ("PARQUET", "AVRO", "ORC", "PUFFIN") else value


def _check_carried(entry: Entry, was: Entry, state: State, where: str, faults: Faults) -> None:
    """An entry that is written again says of its file what was said before."""
    pairs = {
        "sequence number": (entry.sequence, was.sequence),
        "file sequence number": (entry.file_sequence, was.file_sequence),
    }
    if entry.status == EXISTING:
        pairs["snapshot id"] = (entry.snapshot_id, was.snapshot_id)
    for what, (now, then) in pairs.items():
        if now != then:
            faults.say("carried-entries", where, f"{what}: {then} became {now}")
    # What other writers put into fields that later versions lack is dropped.
    for key, value in entry.file.items():
        then = was.file.get(key)
        if key in ("first_row_id", "partition") or key not in was.file or _plain(then) == _plain(value):
            continue
        nothing = (None, [], "")
        if not (then in nothing and value in nothing):
            faults.say("carried-entries", where, f"{key}: {then!r} became {value!r}")
    if state.version < 3 or entry.content != DATA:
        return
    stored = entry.file.get("first_row_id")
    if was.first_row_id is not None and stored != was.first_row_id:
        faults.say("row-ids-are-carried", where, f"first_row_id: {was.first_row_id} is stored as {stored}")
