"""Snapshots and their sequence numbers. Spec: Snapshots; Sequence Numbers."""

from __future__ import annotations

from typing import Any

from conformance_checker.faults import Faults
from conformance_checker.states import COMMIT_KEY

Json = dict[str, Any]
OPERATIONS = ("append", "replace", "overwrite", "delete")


def check_snapshots(metadata: Json, faults: Faults) -> None:
    """Check each snapshot as the metadata has it."""
    version = metadata["format-version"]
    by_id = {each["snapshot-id"]: each for each in metadata.get("snapshots", [])}
    schemas = {each["schema-id"] for each in metadata.get("schemas", [])}
    for snapshot in by_id.values():
        place = f"snapshot {snapshot['snapshot-id']}"
        if COMMIT_KEY not in snapshot.get("summary", {}):
            continue
        _check_required(snapshot, version, place, faults)
        if "schema-id" in snapshot and snapshot["schema-id"] not in schemas:
            faults.say("snapshot-schema", place, f"there is no schema {snapshot['schema-id']}")
        parent = by_id.get(snapshot.get("parent-snapshot-id"))
        if parent is not None and version > 1:
            one, other = parent.get("sequence-number", 0), snapshot.get("sequence-number", 0)
            # Those of version 1 all have 0, once their table is upgraded.
            if one >= other and (one, other) != (0, 0):
                faults.say("sequence-numbers", place, f"{other} follows {one}")
    if version > 1:
        _check_numbers(metadata, faults)


def _check_required(snapshot: Json, version: int, place: str, faults: Faults) -> None:
    required = {"snapshot-id": int, "timestamp-ms": int, "manifest-list": str, "summary": dict}
    if version > 1:
        required["sequence-number"] = int
    for key, kind in required.items():
        if not isinstance(snapshot.get(key), kind):
            faults.say("snapshot-required", place, f"{key}: found {snapshot.get(key)!r}")
    if snapshot["snapshot-id"] <= 0:
        faults.say("snapshot-required", place, "its id is not positive")
    if "manifests" in snapshot:
        faults.say("snapshot-required", place, "it has manifests beside its manifest list")
    if not all(isinstance(value, str) for value in snapshot["summary"].values()):
        faults.say("snapshot-required", place, f"its summary is {snapshot['summary']}")
    if snapshot["summary"].get("operation") not in OPERATIONS:
        faults.say("operation", place, f"found {snapshot['summary'].get('operation')!r}")


def _check_numbers(metadata: Json, faults: Faults) -> None:
    last = metadata["last-sequence-number"]
    # Those of version 1 have none.
    numbers = [each.get("sequence-number", 0) for each in metadata.get("snapshots", [])]
    there = [number for number in numbers if number]
    if len(set(there)) != len(there):
        faults.say("sequence-numbers", "snapshots", f"found {sorted(numbers)}")
    if numbers and max(numbers) > last:
        faults.say("last-sequence-number", "snapshots", f"it is {last}, a snapshot has {max(numbers)}")
