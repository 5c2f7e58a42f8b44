"""What the summaries of snapshots say, counted again. Spec: Appendix F, Optional Snapshot Summary Fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from conformance_checker.faults import Faults
from conformance_checker.states import ADDED, DELETED, Entry, State

KINDS = ("data-files", "position-delete-files", "equality-delete-files")
TOTALS = ("records", "files-size", "data-files", "delete-files", "position-deletes", "equality-deletes")


def check_summary(state: State, faults: Faults) -> None:
    """Check what a snapshot says of itself."""
    summary = state.snapshot["summary"]
    added, removed = state.changed(ADDED), state.changed(DELETED)
    expected: dict[str, int] = {}
    for word, entries, of_data in (("added", added, "added"), ("removed", removed, "deleted")):
        for name, count in counted(entries).items():
            prefix = of_data if name in ("data-files", "records") else word
            expected[f"{prefix}-{name}"] = count
    names = [
        f"{word}-{name}" for word in ("added", "removed", "deleted") for name in (*KINDS, *TOTALS, "dvs")
    ]
    for name in names:
        found, count = summary.get(name, "0"), expected.get(name, 0)
        faults.equal("summary-counts", state.place, name, found, str(count))
    totals = counted(state.live.values())
    for name in TOTALS:
        total = summary.get(f"total-{name}")
        known = state.parent is None or f"total-{name}" in state.parent.snapshot.get("summary", {})
        # Other writers may have counted otherwise.
        if (total is None and not known) or (state.parent is not None and not _is_own_history(state.parent)):
            continue
        faults.equal("summary-totals", state.place, f"total-{name}", total, str(totals.get(name, 0)))
    partitions = {(entry.spec_id, repr(entry.partition)) for entry in added + removed}
    found = summary.get("changed-partition-count")
    faults.equal("summary-partitions", state.place, "changed-partition-count", found, str(len(partitions)))
    _check_manifests(state, faults)
    _check_operation(state, added, removed, faults)


def _is_own_history(state: State | None) -> bool:
    while state is not None:
        if not state.is_own or (state.parent is None and state.snapshot.get("parent-snapshot-id")):
            return False
        state = state.parent
    return True


def counted(entries: Iterable[Entry]) -> Counter[str]:
    """Files, rows and bytes of entries, by the names of summaries."""
    found: Counter[str] = Counter()
    for entry in entries:
        file = entry.file
        is_vector = file["file_format"].lower() == "puffin"
        of_vector = file.get("content_size_in_bytes") if is_vector else None
        found["files-size"] += file["file_size_in_bytes"] if of_vector is None else of_vector
        if entry.content:
            found["delete-files"] += 1
            found["dvs" if is_vector else KINDS[entry.content]] += 1
            found["position-deletes" if entry.content == 1 else "equality-deletes"] += file["record_count"]
        else:
            found["data-files"] += 1
            found["records"] += file["record_count"]
    return found


def _check_manifests(state: State, faults: Faults) -> None:
    own = sum(manifest.row["added_snapshot_id"] == state.id for manifest in state.manifests)
    paths = {manifest.path for manifest in state.manifests}
    # Those in which nothing is live any more are left out, not replaced.
    gone = [
        manifest
        for manifest in ([] if state.parent is None else state.parent.manifests)
        if manifest.path not in paths and any(entry.status != DELETED for entry in manifest.entries)
    ]
    expected = {"created": own, "kept": len(state.manifests) - own, "replaced": len(gone)}
    for word, count in expected.items():
        name = f"manifests-{word}"
        if state.parent is not None or state.snapshot.get("parent-snapshot-id") is None:
            faults.equal(
                "summary-manifests", state.place, name, state.snapshot["summary"].get(name), str(count)
            )


def _check_operation(state: State, added: list[Entry], removed: list[Entry], faults: Faults) -> None:
    operation = state.snapshot["summary"].get("operation")
    files = [entry for entry in added if entry.content == 0]
    # Rows that were deleted already are not written again.
    has_deletes = state.parent is None or any(entry.content for entry in state.parent.live.values())
    fewer = counted(removed)["records"] - counted(added)["records"]
    wrong = {
        "append": bool(removed) or len(files) < len(added),
        "delete": bool(files),
        "replace": fewer < 0 or (fewer > 0 and not has_deletes),
    }
    if wrong.get(str(operation), False):
        faults.say(
            "operation", state.place, f"{operation} with {len(added)} added and {len(removed)} removed"
        )
