"""The metadata of a table: what must be there, and what names what. Spec: Table Metadata Fields."""

from __future__ import annotations

import re
import uuid
from typing import Any

from conformance_checker.faults import Faults

Json = dict[str, Any]

INTEGERS = ("format-version", "last-updated-ms", "last-column-id")
FROM_2 = ("last-sequence-number", "current-schema-id", "default-spec-id", "last-partition-id")
REQUIRED = {
    1: {**dict.fromkeys(INTEGERS, int), "location": str, "schema": dict, "partition-spec": list},
    2: {
        **dict.fromkeys((*INTEGERS, *FROM_2, "default-sort-order-id"), int),
        "location": str,
        "table-uuid": str,
        **dict.fromkeys(("schemas", "partition-specs", "sort-orders"), list),
    },
}
REQUIRED[3] = {**REQUIRED[2], "next-row-id": int}
NOT_IN = {
    1: ("next-row-id", "encryption-keys"),
    2: ("schema", "partition-spec", "next-row-id", "encryption-keys"),
    3: ("schema", "partition-spec"),
}
DRIFT_MS = 60_000
"""By so much may the clocks of writers differ, as Iceberg Java has it."""


def check_metadata(metadata: Json, place: str, faults: Faults) -> bool:
    """Check the parts that belong to no list. Can the rest be looked at?"""
    version = metadata.get("format-version")
    if version not in REQUIRED:
        faults.say("format-version", place, f"expected 1, 2 or 3, found {version!r}")
        return False
    whole = True
    for key, kind in REQUIRED[version].items():
        value = metadata.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            faults.say("metadata-required", place, f"{key}: expected {kind.__name__}, found {value!r}")
            whole = False
    for key in NOT_IN[version]:
        if key in metadata:
            faults.say("metadata-other-version", place, f"format version {version} has no {key!r}")
    identity = metadata.get("table-uuid")
    if identity is not None and not _is_uuid(identity):
        faults.say("table-uuid", place, f"expected a UUID, found {identity!r}")
    properties = metadata.get("properties", {})
    if not all(isinstance(each, str) for pair in properties.items() for each in pair):
        faults.say("properties-are-text", place, f"found {properties!r}")
    return whole


def _is_uuid(text: Any) -> bool:
    pattern = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return isinstance(text, str) and re.fullmatch(pattern, text) is not None and bool(uuid.UUID(text))


def check_names(metadata: Json, place: str, faults: Faults) -> None:
    """Ids are there once, and what is named is there."""
    lists = {
        "schemas": ("schema-id", "current-schema-id"),
        "partition-specs": ("spec-id", "default-spec-id"),
        "sort-orders": ("order-id", "default-sort-order-id"),
    }
    for key, (identity, current) in lists.items():
        ids = [each.get(identity) for each in metadata.get(key, [])]
        if len(set(ids)) != len(ids) or None in ids:
            faults.say("ids-are-unique", place, f"{key} have the ids {ids}")
        if key in metadata and metadata.get(current) not in ids:
            faults.say(
                "current-ids-are-there", place, f"{current} is {metadata.get(current)}, there are {ids}"
            )
    if metadata["format-version"] == 1:
        _check_deprecated(metadata, place, faults)
    ids = [each["snapshot-id"] for each in metadata.get("snapshots", [])]
    if len(set(ids)) != len(ids):
        faults.say("ids-are-unique", place, f"snapshots have the ids {ids}")
    _check_refs(metadata, ids, place, faults)


def _check_deprecated(metadata: Json, place: str, faults: Faults) -> None:
    """What version 1 writes twice is the same."""
    for schema in metadata.get("schemas", []):
        if schema["schema-id"] == metadata.get("current-schema-id"):
            faults.equal("written-twice", place, "schema", metadata["schema"]["fields"], schema["fields"])
    for spec in metadata.get("partition-specs", []):
        if spec["spec-id"] == metadata.get("default-spec-id"):
            faults.equal("written-twice", place, "partition-spec", metadata["partition-spec"], spec["fields"])


def _check_refs(metadata: Json, ids: list[int], place: str, faults: Faults) -> None:
    current = metadata.get("current-snapshot-id")
    if current == -1 and metadata["format-version"] < 3:
        current = None
    if current is not None and current not in ids:
        faults.say("current-snapshot", place, f"the current snapshot {current} is not there")
    refs = metadata.get("refs")
    if refs is None:
        return
    main = refs.get("main", {}).get("snapshot-id")
    if main != current:
        faults.say("main-is-current", place, f"main is {main}, the current snapshot {current}")
    for name, ref in refs.items():
        if ref.get("snapshot-id") not in ids:
            faults.say(
                "refs-name-snapshots", place, f"{name} names {ref.get('snapshot-id')}, which is not there"
            )
        of_branches = {"min-snapshots-to-keep", "max-snapshot-age-ms"} & set(ref)
        if ref.get("type") not in ("branch", "tag") or (ref["type"] == "tag" and of_branches):
            faults.say("refs-have-types", place, f"{name} is {ref}")
        kept = [value for key, value in ref.items() if key not in ("snapshot-id", "type")]
        if not all(isinstance(value, int) and value > 0 for value in kept):
            faults.say("refs-have-types", place, f"{name} is {ref}")


def check_logs(metadata: Json, place: str, faults: Faults) -> None:
    """What happened when, in order."""
    updated = metadata["last-updated-ms"]
    ids = [each["snapshot-id"] for each in metadata.get("snapshots", [])]
    log = metadata.get("snapshot-log", [])
    for entry in log:
        if entry["snapshot-id"] not in ids:
            faults.say("snapshot-log", place, f"it names {entry['snapshot-id']}, which is not there")
    current = metadata.get("current-snapshot-id")
    if current not in (None, -1) and (not log or log[-1]["snapshot-id"] != current):
        faults.say("snapshot-log", place, f"its last entry is not the current snapshot {current}")
    for key in ("snapshot-log", "metadata-log"):
        times = [each["timestamp-ms"] for each in metadata.get(key, [])]
        if any(
            later < earlier - DRIFT_MS for earlier, later in zip(times, [*times, updated][1:], strict=True)
        ):
            faults.say("logs-are-ordered", place, f"{key} has the times {times}, the table {updated}")
    for snapshot in metadata.get("snapshots", []):
        if snapshot["timestamp-ms"] > updated + DRIFT_MS:
            when = snapshot["timestamp-ms"]
            faults.say("logs-are-ordered", place, f"a snapshot is of {when}, the table of {updated}")


def check_history(metadata: Json, place: str, before: list[tuple[str, Json | None]], faults: Faults) -> None:
    """The metadata files of the log: they are there, of this table, and nothing went back.

    Args:
        metadata: The current one.
        place: Its file.
        before: The files of the log, oldest first, with what is in them; `None` where one is not there.
        faults: What is found.
    """
    growing = ("format-version", "last-column-id", "last-partition-id", "last-sequence-number", "next-row-id")
    times = {each["metadata-file"]: each["timestamp-ms"] for each in metadata.get("metadata-log", [])}
    older: Json | None = None
    for location, content in [*before, (place, metadata)]:
        if content is None:
            faults.say("metadata-log-is-there", place, f"it names {location}, which is not there")
            continue
        if location in times and times[location] != content["last-updated-ms"]:
            said, own = times[location], content["last-updated-ms"]
            faults.say("metadata-log-times", place, f"it says {said} of {location}, which says {own}")
        if older is not None:
            if older.get("table-uuid") not in (None, content.get("table-uuid")):
                was = older["table-uuid"]
                faults.say("uuid-stays", location, f"{was} became {content.get('table-uuid')}")
            for key in growing:
                if older.get(key, 0) > content.get(key, 0):
                    faults.say(
                        "nothing-goes-back", location, f"{key}: {older[key]} became {content.get(key)}"
                    )
            _check_stays(older, content, location, faults)
        older = content


def _check_stays(older: Json, newer: Json, place: str, faults: Faults) -> None:
    lists = {"schemas": "schema-id", "partition-specs": "spec-id", "sort-orders": "order-id"}
    for key, identity in {**lists, "snapshots": "snapshot-id"}.items():
        now = {each.get(identity): each for each in newer.get(key, [])}
        for each in older.get(key, []):
            # Version 1 did not number all that it had.
            if (other := now.get(each.get(identity))) is not None and core(other) != core(each):
                faults.say("what-was-written-stays", place, f"{key}: {each} became {other}")


def core(value: Any) -> Any:
    """What of a schema, spec, order or snapshot may not change."""
    ignored = ("schema-id", "identifier-field-ids", "sequence-number")
    if isinstance(value, dict):
        return {key: core(each) for key, each in value.items() if key not in ignored}
    if isinstance(value, list):
        return [core(each) for each in value]
    # PyIceberg writes `decimal(9, 2)` where others write `decimal(9,2)`.
    return value.replace(", ", ",") if isinstance(value, str) else value
