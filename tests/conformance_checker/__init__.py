"""Is a table what the specification says? Raw JSON, Avro and Parquet, and nothing of the library.

`check` looks at the metadata of a table, and at the manifest lists, manifests and data files of the snapshots that
Floeberg wrote: what other writers made is read for what follows from it, and is theirs to answer for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conformance_checker.avro import plain_json
from conformance_checker.data_files import check_data_file
from conformance_checker.delete_files import check_deletes
from conformance_checker.faults import Fault, Faults
from conformance_checker.manifest_lists import check_list
from conformance_checker.manifests import check_changes, check_manifest
from conformance_checker.metadata import check_history, check_logs, check_metadata, check_names
from conformance_checker.row_ids import check_assignment, check_lives, check_snapshot_ranges
from conformance_checker.sequences import check_snapshots
from conformance_checker.states import ADDED, DELETED, State, Storage, states
from conformance_checker.statistics import check_statistics
from conformance_checker.structure import check_orders, check_schemas, check_specs
from conformance_checker.summaries import check_summary

__all__ = ["Checked", "Fault", "check", "shared_files"]

Json = dict[str, Any]


@dataclass
class Checked:
    """A table that was looked at.

    Attributes:
        place: Its metadata file.
        uuid: Its UUID.
        faults: What is wrong with it.
        files: The data and delete files of all its snapshots.
    """

    place: str
    uuid: str | None = None
    faults: list[Fault] = field(default_factory=list)
    files: set[str] = field(default_factory=set)


def check(place: str, read: Callable[[str], bytes]) -> Checked:
    """Check a table.

    Args:
        place: Its current metadata file.
        read: Gives the bytes of a location; raises `FileNotFoundError` where there is none.

    Returns:
        What was found.
    """
    checked, faults, storage = Checked(place), Faults(), Storage(read)
    checked.faults = faults.found
    metadata = plain_json(read(place))
    checked.uuid = metadata.get("table-uuid")
    if not check_metadata(metadata, place, faults):
        return checked
    check_names(metadata, place, faults)
    check_schemas(metadata, place, faults)
    check_specs(metadata, place, faults)
    check_orders(metadata, place, faults)
    check_logs(metadata, place, faults)
    check_snapshots(metadata, faults)
    found = states(metadata, storage, faults)
    if any(state.is_own for state in found.values()):
        check_history(metadata, place, _before(metadata, read), faults)
    for state in found.values():
        checked.files |= {
            entry.file["file_path"]
            for manifest in state.manifests
            for entry in manifest.entries
            if entry.status != DELETED
        }
        if state.is_own:
            _check_state(state, metadata, storage, faults)
    check_snapshot_ranges(metadata, found, faults)
    check_lives(found, faults)
    check_statistics(metadata, found, storage, faults)
    return checked


def _check_state(state: State, metadata: Json, storage: Storage, faults: Faults) -> None:
    check_list(state, metadata, faults)
    check_assignment(state, faults)
    check_changes(state, faults)
    check_summary(state, faults)
    for manifest in state.manifests:
        if manifest.row["added_snapshot_id"] == state.id:
            check_manifest(manifest, state, metadata, faults)
    for entry in state.changed(ADDED):
        if entry.content == 0:
            check_data_file(entry, state, metadata, storage, faults)
    check_deletes(state, storage, faults)


def _before(metadata: Json, read: Callable[[str], bytes]) -> list[tuple[str, Json | None]]:
    """The metadata files of the log."""
    found: list[tuple[str, Json | None]] = []
    for each in metadata.get("metadata-log", []):
        location = each["metadata-file"]
        try:
            found.append((location, plain_json(read(location))))
        except FileNotFoundError:
            found.append((location, None))
    return found


def shared_files(tables: list[Checked]) -> list[Fault]:
    """Files that two tables have: a purge of one would take them from the other."""
    pairs = [(one, other) for number, one in enumerate(tables) for other in tables[:number]]
    return [
        Fault(
            "files-of-two-tables",
            one.place,
            f"{other.place} has them too: {sorted(one.files & other.files)[:3]}",
        )
        for one, other in pairs
        if one.uuid != other.uuid and one.files & other.files
    ]
