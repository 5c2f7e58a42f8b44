"""How does a commit of several tables reserve the next version of a table in a folder?

The reserved version is a metadata file like any other, with the content of the version before it and one more property.
It is written only if nobody made this version, so that one writer has it, whatever engine the others are of. The
property names the file that decides about the commit.

Until the decision, and after one against it, the table is as it was. After a decision for it, the next version is the
staged metadata: whoever sees the reservation writes it.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.commit.operations import open_metadata, table_from_metadata
from floeberg.errors import InvalidDataError, NoSuchTableError

if TYPE_CHECKING:
    from floeberg.commit.operations import OpenedTable

__all__ = [
    "RESERVATION",
    "Reservation",
    "base_at",
    "created_text",
    "empty_text",
    "reservation_in",
    "reserved_text",
    "staged_for",
    "without_reservation",
]

RESERVATION: Final = "floeberg.transaction"
"""The property of a reserved version."""


@dataclass(frozen=True)
class Reservation:
    """What the property of a reserved version says.

    Args:
        decision: The file that decides about the commit.
        version: The version that is reserved. In a later one the property was only carried along.
        staged: The file with the metadata of the next version.
        creates: Whether the commit creates the table: until it is decided, there is no table.
        tables: How many tables the commit has, which says how long its decision may take.
    """

    decision: str
    version: int
    staged: str
    creates: bool
    tables: int


def reservation_in(table: OpenedTable) -> Reservation | None:
    """The reservation that a metadata file has, also one that was carried along; `None` without one.

    Raises:
        InvalidDataError: The property is damaged.
    """
    text = table.properties.get(RESERVATION)
    if text is None:
        return None
    try:
        said = json.loads(text)
        return Reservation(
            str(said["decision"]),
            int(said["version"]),
            str(said["staged"]),
            bool(said["creates"]),
            int(said["tables"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidDataError(
            f"the property {RESERVATION!r} is damaged: expected the decision, the version, the staged file, "
            f"whether the table is created, and a number of tables, as JSON, found {text!r}. Remove the "
            "property with another engine",
            context={"path": table.metadata_location},
        ) from error


def staged_for(table: OpenedTable) -> OpenedTable | None:
    """The table as a commit that has reserved its current version would leave it; `None` without such a commit."""
    reservation = reservation_in(table)
    if reservation is None:
        return None
    try:
        return open_metadata(reservation.staged, storage_options=table.storage_options)
    except NoSuchTableError:
        return None


def without_reservation(table: OpenedTable) -> OpenedTable:
    """The same version of a table, without the property."""
    return _table_of(_without(table.metadata_json()), table.metadata_location, table)


def base_at(base: OpenedTable, location: str) -> OpenedTable:
    """The next version of a table with nothing changed, as it will be at a location. No file is written.

    Args:
        base: The version before it, which the metadata log names.
        location: Its metadata file.
    """
    change = _native.Operation.set_properties({RESERVATION: ""})
    commit = _native.Commit.begin(
        [change],
        starting=base,
        storage_options=dict(base.storage_options),
        snapshot_properties={},
        branch="main",
        commit_key=str(uuid.uuid4()),
    )
    return _table_of(_without(commit.attempt(base).metadata_json), location, base)


def reserved_text(metadata_json: str, reservation: Reservation) -> str:
    """The content of a reserved version."""
    metadata = json.loads(metadata_json)
    metadata.setdefault("properties", {})[RESERVATION] = json.dumps(asdict(reservation))
    return json.dumps(metadata)


_OF_ROWS: Final = ("snapshots", "snapshot-log", "refs", "statistics", "partition-statistics")


def empty_text(metadata_json: str) -> str:
    """The metadata of a new table without its snapshots."""
    metadata = json.loads(metadata_json)
    for name in (*_OF_ROWS, "current-snapshot-id"):
        metadata.pop(name, None)
    for name in ("last-sequence-number", "next-row-id"):
        if name in metadata:
            metadata[name] = 0
    return json.dumps(metadata)


def created_text(metadata_json: str, reserved: str) -> str:
    """The metadata of a new table, with its reserved version in the log."""
    metadata = json.loads(metadata_json)
    metadata["metadata-log"] = [{"metadata-file": reserved, "timestamp-ms": metadata["last-updated-ms"]}]
    return json.dumps(metadata)


def _without(metadata_json: str) -> str:
    metadata = json.loads(metadata_json)
    metadata.get("properties", {}).pop(RESERVATION, None)
    return json.dumps(metadata)


def _table_of(metadata_json: str, location: str, earlier: OpenedTable) -> OpenedTable:
    return table_from_metadata(
        metadata_json, location, storage_options=earlier.storage_options, earlier=earlier
    )
