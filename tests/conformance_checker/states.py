"""What each snapshot of a table lists, with what entries inherit. Spec: Sequence Number Inheritance; First Row ID
Inheritance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conformance_checker import avro
from conformance_checker.faults import Faults

Json = dict[str, Any]
EXISTING, ADDED, DELETED = 0, 1, 2
COMMIT_KEY = "floeberg.commit-key"
"""The summaries of all snapshots that Floeberg writes have it."""


@dataclass
class Storage:
    """Files by location, read once.

    Attributes:
        open: Gives the bytes of a file; raises `FileNotFoundError`.
    """

    open: Callable[[str], bytes]
    _avro: dict[str, avro.AvroFile] = field(default_factory=dict)

    def avro(self, location: str) -> avro.AvroFile:
        """An Avro file. Raises `FileNotFoundError`, `ValueError` and `IndexError`."""
        if location not in self._avro:
            self._avro[location] = avro.read(self.open(location))
        return self._avro[location]


@dataclass
class Entry:
    """An entry of a manifest, as it is read in a snapshot.

    Attributes:
        raw: As the file has it.
        status: Existing, added or deleted.
        spec_id: The partition spec of its manifest.
        snapshot_id: Inherited, where the file has none; so are the others.
        sequence: The data sequence number.
        file_sequence: The file sequence number.
        first_row_id: The row id of its first row, if it has one.
        partition: Its partition values by the ids of partition fields.
    """

    raw: Json
    status: int
    spec_id: int
    snapshot_id: int | None
    sequence: int | None
    file_sequence: int | None
    first_row_id: int | None
    partition: dict[int, Any]

    @property
    def file(self) -> Json:
        """The data or delete file."""
        return self.raw["data_file"]

    @property
    def content(self) -> int:
        """Data, position deletes or equality deletes."""
        return self.file.get("content", 0)

    @property
    def identity(self) -> tuple[str, int | None]:
        """What may be live once: a path, and of deletion vectors the place in it."""
        return self.file["file_path"], self.file.get("content_offset")


@dataclass
class Manifest:
    """A manifest in a snapshot: the row of the list, and its entries."""

    row: Json
    file: avro.AvroFile
    entries: list[Entry]

    @property
    def path(self) -> str:
        """Where it is."""
        return self.row["manifest_path"]

    @property
    def is_deletes(self) -> bool:
        """Does it list delete files?"""
        return bool(self.row.get("content", 0))


@dataclass
class State:
    """A snapshot and all that it lists."""

    snapshot: Json
    list_file: avro.AvroFile
    manifests: list[Manifest]
    parent: State | None = None
    live: dict[tuple[str, int | None], Entry] = field(default_factory=dict)

    @property
    def id(self) -> int:
        """The snapshot's id."""
        return self.snapshot["snapshot-id"]

    @property
    def sequence(self) -> int:
        """The snapshot's sequence number, 0 in version 1."""
        return self.snapshot.get("sequence-number", 0)

    @property
    def is_own(self) -> bool:
        """Did Floeberg write it?"""
        return COMMIT_KEY in self.snapshot.get("summary", {})

    @property
    def parent_expired(self) -> bool:
        """Had it a parent that the table does not know any more?"""
        return self.parent is None and self.snapshot.get("parent-snapshot-id") is not None

    @property
    def version(self) -> int:
        """The format version that it was written in."""
        return int(self.list_file.metadata.get("format-version", 1))

    @property
    def place(self) -> str:
        """What messages call it."""
        return f"snapshot {self.id}"

    def changed(self, status: int) -> list[Entry]:
        """The entries that the snapshot added or deleted."""
        return [
            entry
            for manifest in self.manifests
            if manifest.row["added_snapshot_id"] == self.id
            for entry in manifest.entries
            if entry.status == status and entry.snapshot_id == self.id
        ]


def states(metadata: Json, storage: Storage, faults: Faults) -> dict[int, State]:
    """The snapshots that can be read, by id, parents before children.

    What cannot be read is a fault where Floeberg wrote it.
    """
    found: dict[int, State] = {}
    for snapshot in sorted(metadata.get("snapshots", []), key=_age):
        place = f"snapshot {snapshot['snapshot-id']}"
        try:
            state = _state(snapshot, storage)
        except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
            if COMMIT_KEY in snapshot.get("summary", {}):
                faults.say("files-can-be-read", place, f"{type(error).__name__}: {error}")
            continue
        state.parent = found.get(snapshot.get("parent-snapshot-id"))
        found[state.id] = state
        for manifest in state.manifests:
            for entry in manifest.entries:
                if entry.status == DELETED:
                    continue
                if entry.identity in state.live and state.is_own:
                    faults.say("a-path-is-live-once", place, f"{entry.identity[0]} is live twice")
                state.live[entry.identity] = entry
    return found


def _age(snapshot: Json) -> tuple[int, int]:
    return snapshot.get("sequence-number", 0), snapshot["timestamp-ms"]


def _state(snapshot: Json, storage: Storage) -> State:
    file = storage.avro(snapshot["manifest-list"])
    return State(snapshot, file, [_manifest(row, storage) for row in file.rows])


def _manifest(row: Json, storage: Storage) -> Manifest:
    file = storage.avro(row["manifest_path"])
    next_row_id = row.get("first_row_id")
    sequence, added_by = row.get("sequence_number", 0), row["added_snapshot_id"]
    entries = []
    names = _partition_names(file.schema)
    for raw in file.rows:
        status, data_file = raw["status"], raw["data_file"]
        inherits = status == ADDED or sequence == 0
        first_row_id = data_file.get("first_row_id")
        # Rows of deleted entries have ids from before.
        if first_row_id is None and next_row_id is not None and status != DELETED:
            first_row_id = next_row_id
            next_row_id += data_file["record_count"]
        own, of_file = raw.get("sequence_number"), raw.get("file_sequence_number")
        entries.append(
            Entry(
                raw,
                status,
                row["partition_spec_id"],
                added_by if raw.get("snapshot_id") is None else raw["snapshot_id"],
                sequence if own is None and inherits else own,
                sequence if of_file is None and inherits else of_file,
                first_row_id,
                {number: data_file["partition"][name] for number, name in names.items()},
            )
        )
    return Manifest(row, file, entries)


def _partition_names(schema: Json) -> dict[int, str]:
    """What a manifest calls its partition fields, by their ids."""
    entry = {each["name"]: each["type"] for each in schema["fields"]}
    data_file = {each["name"]: each["type"] for each in entry["data_file"]["fields"]}
    return {each["field-id"]: each["name"] for each in data_file["partition"]["fields"]}
