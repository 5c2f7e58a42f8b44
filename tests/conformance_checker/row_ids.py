"""Row ids: each row has one, for its life, and no other row ever has it. Spec: Row Lineage; Snapshot Row IDs."""

from __future__ import annotations

import itertools
from typing import Any

from conformance_checker.faults import Faults
from conformance_checker.states import DELETED, State

Json = dict[str, Any]


def check_snapshot_ranges(metadata: Json, states: dict[int, State], faults: Faults) -> None:
    """Each snapshot takes its row ids behind those of the ones before, and before the table's next."""
    following = metadata.get("next-row-id", 0)
    last, last_id = 0, None
    for state in states.values():
        if not state.is_own or state.version < 3:
            continue
        first, added = state.snapshot.get("first-row-id"), state.snapshot.get("added-rows")
        if not isinstance(first, int) or not isinstance(added, int) or added < 0:
            faults.say("snapshot-row-ids", state.place, f"first-row-id {first!r}, added-rows {added!r}")
            continue
        if first < last:
            faults.say(
                "snapshot-row-ids-overlap", state.place, f"from {first}: {last_id} has those before {last}"
            )
        if first + added > following:
            faults.say("next-row-id", state.place, f"up to {first + added}: next-row-id is {following}")
        last, last_id = first + added, state.id


def check_assignment(state: State, faults: Faults) -> None:
    """Check which manifests of a snapshot get row ids, and which."""
    if state.version < 3:
        return
    first, added = state.snapshot.get("first-row-id"), state.snapshot.get("added-rows")
    if not isinstance(first, int) or not isinstance(added, int):
        return
    before = {} if state.parent is None else {each.path: each.row for each in state.parent.manifests}
    following = first
    for manifest in state.manifests:
        where = f"{state.place}, {manifest.path}"
        given = manifest.row.get("first_row_id")
        if manifest.is_deletes:
            if given is not None:
                faults.say("deletes-have-no-row-ids", where, f"first_row_id is {given}")
            continue
        if given is None:
            faults.say("manifest-row-ids", where, "first_row_id is null")
            continue
        is_kept = state.parent_expired and manifest.row["added_snapshot_id"] != state.id
        if is_kept or before.get(manifest.path, {}).get("first_row_id") is not None:
            continue
        if given < following:
            faults.say(
                "manifest-row-ids", where, f"first_row_id is {given}, those before {following} are taken"
            )
        rows = sum(
            entry.file["record_count"]
            for entry in manifest.entries
            if entry.status != DELETED and entry.file.get("first_row_id") is None
        )
        following = given + rows
    if following > first + added:
        faults.say("added-rows", state.place, f"it is {added}, and {following - first} are assigned")


def check_lives(states: dict[int, State], faults: Faults) -> None:
    """Rows keep their ids from one snapshot to the next, and no two files have one."""
    owners: dict[int, str] = {}
    ends: dict[int, int] = {}
    for state in states.values():
        before = {} if state.parent is None else state.parent.live
        for identity, entry in state.live.items():
            if entry.content != 0 or entry.first_row_id is None:
                continue
            was = before.get(identity)
            if was is not None and was.first_row_id not in (None, entry.first_row_id) and state.is_own:
                now = entry.first_row_id
                faults.say(
                    "row-ids-stay", f"{state.place}, {identity[0]}", f"{was.first_row_id} became {now}"
                )
            if not entry.file["record_count"]:
                continue
            owner = owners.setdefault(entry.first_row_id, identity[0])
            if owner != identity[0] and state.is_own:
                faults.say("row-ids-are-unique", f"{state.place}, {identity[0]}", f"{owner} has them too")
            ends[entry.first_row_id] = max(
                ends.get(entry.first_row_id, 0), entry.first_row_id + entry.file["record_count"]
            )
    starts = sorted(ends)
    for start, after in itertools.pairwise(starts):
        if ends[start] > after:
            faults.say("row-ids-are-unique", owners[after], f"{owners[start]} has {start} to {ends[start]}")
