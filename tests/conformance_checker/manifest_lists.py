"""Manifest lists: what they say of manifests is what is in them. Spec: Manifest Lists."""

from __future__ import annotations

from typing import Any

from conformance_checker.avro_schemas import check_list_schema
from conformance_checker.faults import Faults
from conformance_checker.partition_types import types_of
from conformance_checker.single_values import from_avro, from_bytes, is_below, is_nan
from conformance_checker.states import ADDED, DELETED, EXISTING, Manifest, State

Json = dict[str, Any]
COUNTS = {ADDED: "added", EXISTING: "existing", DELETED: "deleted"}


def check_list(state: State, metadata: Json, faults: Faults) -> None:
    """Check the manifest list of a snapshot."""
    place = f"{state.place}, {state.snapshot['manifest-list']}"
    header = state.list_file.metadata
    told = {
        "snapshot-id": str(state.id),
        "parent-snapshot-id": str(state.snapshot.get("parent-snapshot-id")).replace("None", "null"),
        "sequence-number": str(state.sequence),
        "first-row-id": str(state.snapshot.get("first-row-id")),
    }
    for key, expected in told.items():
        if key in header:
            faults.equal("list-header", place, key, header[key], expected)
    if header.get("format-version") not in ("1", "2", "3"):
        faults.say("list-header", place, f"format-version: found {header.get('format-version')!r}")
        return
    if state.version > metadata["format-version"]:
        faults.say(
            "list-header", place, f"version {state.version} in a table of {metadata['format-version']}"
        )
    check_list_schema(state.list_file.schema, state.version, place, faults)
    paths = [manifest.path for manifest in state.manifests]
    if len(set(paths)) != len(paths):
        faults.say("a-manifest-is-listed-once", place, f"found {paths}")
    before = {} if state.parent is None else {each.path: each.row for each in state.parent.manifests}
    for manifest in state.manifests:
        where = f"{state.place}, {manifest.path}"
        _check_row(manifest, state, metadata, where, faults)
        if (row := before.get(manifest.path)) is not None:
            _check_kept(manifest.row, row, where, faults)
        elif manifest.row["added_snapshot_id"] != state.id and not state.parent_expired:
            faults.say(
                "new-manifests", where, f"it is new, and was added by {manifest.row['added_snapshot_id']}"
            )


def _check_row(manifest: Manifest, state: State, metadata: Json, where: str, faults: Faults) -> None:
    row = manifest.row
    faults.equal("manifest-length", where, "manifest_length", row["manifest_length"], manifest.file.size)
    specs = {spec["spec-id"] for spec in metadata["partition-specs"]}
    if row["partition_spec_id"] not in specs:
        faults.say("manifest-spec", where, f"there is no spec {row['partition_spec_id']}")
    if state.version == 1:
        return
    for status, word in COUNTS.items():
        entries = [entry for entry in manifest.entries if entry.status == status]
        faults.equal("file-counts", where, f"{word} files", row[f"{word}_files_count"], len(entries))
        rows = sum(entry.file["record_count"] for entry in entries)
        faults.equal("row-counts", where, f"{word} rows", row[f"{word}_rows_count"], rows)
    if row["sequence_number"] > state.sequence:
        faults.say("manifest-sequence", where, f"{row['sequence_number']} is after {state.sequence}")
    if (row["added_snapshot_id"] == state.id) != (row["sequence_number"] == state.sequence):
        added_by, sequence = row["added_snapshot_id"], row["sequence_number"]
        faults.say("manifest-sequence", where, f"added by {added_by} with {sequence}, not {state.sequence}")
    live = [entry.sequence for entry in manifest.entries if entry.status != DELETED]
    if live and None not in live:
        faults.equal("min-sequence", where, "min_sequence_number", row["min_sequence_number"], min(live))
    _check_summaries(manifest, metadata, where, faults)


def _check_kept(row: Json, before: Json, where: str, faults: Faults) -> None:
    """A manifest that stays is listed as before; it may get row ids."""
    fresh = {"content": 0, "sequence_number": 0, "min_sequence_number": 0, "first_row_id": None}
    for key, value in row.items():
        was = before.get(key, fresh.get(key))
        # Rows of delete files have no row ids: a number that a writer gave them by mistake may go.
        if key == "first_row_id" and (was is None or (row.get("content") == 1 and value is None)):
            continue
        if value != was and not (key.endswith("_count") and was is None):
            rule = "kept-first-row-id" if key == "first_row_id" else "kept-manifests"
            faults.say(rule, where, f"{key}: {was!r} became {value!r}")


def _check_summaries(manifest: Manifest, metadata: Json, where: str, faults: Faults) -> None:
    summaries = manifest.row["partitions"]
    specs = {each["spec-id"]: each for each in metadata["partition-specs"]}
    spec = specs.get(manifest.row["partition_spec_id"])
    if summaries is None or spec is None:
        return
    if len(summaries) != len(spec["fields"]):
        faults.say("summaries", where, f"{len(summaries)} of {len(spec['fields'])} fields")
        return
    for summary, field in zip(summaries, spec["fields"], strict=True):
        types = types_of(field, metadata)
        if not types:
            continue
        values = [from_avro(types[-1], entry.partition.get(field["field-id"])) for entry in manifest.entries]
        what = f"{where}, {field['name']}"
        faults.equal("summary-nulls", what, "contains_null", summary["contains_null"], None in values)
        nans = any(is_nan(value) for value in values)
        if summary["contains_nan"] is not None and summary["contains_nan"] != nans:
            faults.say("summary-nans", what, f"contains_nan is {summary['contains_nan']}")
        there = [value for value in values if value is not None and not is_nan(value)]
        _check_bounds(summary, types, there, what, faults)


def _check_bounds(summary: Json, types: list[Any], there: list[Any], what: str, faults: Faults) -> None:
    for key, above in (("lower_bound", False), ("upper_bound", True)):
        data = summary[key]
        if data is None:
            if there:
                faults.say("summary-bounds", what, f"there is no {key}")
            continue
        bound = _decoded(types, data)
        if bound is None or is_nan(bound):
            faults.say("summary-bounds", what, f"{key} {data.hex()} is none of {types}")
            continue
        for value in there:
            if is_below(bound, value) if above else is_below(value, bound):
                faults.say("summary-bounds", what, f"{key} {bound!r} does not contain {value!r}")


def _decoded(types: list[Any], data: bytes) -> Any:
    """A bound, in the type that the field has now or had; `None` where it is of none."""
    for type_ in reversed(types):
        try:
            return from_bytes(type_, data)
        except ValueError:
            continue
    return None
