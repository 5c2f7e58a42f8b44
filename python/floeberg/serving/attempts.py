"""What is a commit of a client, on the current table?

In: the requirements and the updates of a request, and the table that they are tried on. Out: an attempt, as the
commits of Floeberg are, which any catalog takes. Rust applies the updates, and writes the new metadata.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.operations import OpenedTable

__all__ = ["ServedAttempt"]


class ServedAttempt:
    """The commit of a client, on one base.

    Args:
        base: The table that it is tried on; `None` where it creates the table.
        requirements: The requirements. They hold.
        updates: The updates.
        storage_options: The options of the files of the table.

    Raises:
        CommitConflictError: The base moved on, and the snapshot has to be made again.
        InvalidInputError: The updates are wrong, or the table after them is.
        UnsupportedError: An update is unknown, or would leave plain files in an encrypted table.
    """

    def __init__(
        self,
        base: OpenedTable | None,
        requirements: list[dict[str, Any]],
        updates: list[dict[str, Any]],
        storage_options: Mapping[str, str],
    ) -> None:
        # A location that stays is no change: a table in the folder of its name refuses others.
        stays = {"action": "set-location", "location": None if base is None else base.location}
        self._requirements, self._updates = requirements, [each for each in updates if each != stays]
        self._made = _native.Attempt.of_request(
            base,
            requirements_json="[]",
            updates_json=json.dumps(self._updates),
            storage_options=dict(storage_options),
            now_ms=time.time_ns() // 1_000_000,
        )
        broken = self._made.newly_broken()
        if broken:
            said = "; ".join(f"{part}: {message} ({rule})" for rule, part, message in broken[:3])
            raise InvalidInputError(f"the table would be broken after the updates: {said}")
        self.changes = self._made.changes
        """Whether the metadata differs from the base."""

    @property
    def snapshot_id(self) -> int | None:
        """The last snapshot that it adds; `None` without a snapshot."""
        return self._made.snapshot_id

    @property
    def requirements_json(self) -> str:
        """The requirements."""
        return json.dumps(self._requirements)

    @property
    def updates_json(self) -> str:
        """The updates."""
        return json.dumps(self._updates)

    @property
    def metadata_json(self) -> str:
        """The new metadata."""
        return self._made.metadata_json

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties in the new metadata."""
        return self._made.properties

    @property
    def metadata_folder(self) -> str:
        """The folder of metadata files, by the new metadata."""
        return self._made.metadata_folder

    def write_metadata(self, location: str, *, if_absent: bool) -> None:
        """Writes the new metadata durably. Names with `.gz` are compressed."""
        self._made.write_metadata(location, if_absent=if_absent)

    def check_files(self, metadata_location: str) -> None:
        """Checks that the manifest lists of its snapshots are there. Raises `NotFoundError`."""
        options = dict(self.table(metadata_location).storage_options)
        for each in self._updates:
            place = each["snapshot"].get("manifest-list") if each["action"] == "add-snapshot" else None
            if place is not None and not _native.file_exists(place, storage_options=options):
                raise NotFoundError("a manifest list is not there", context={"path": place})

    def table(self, metadata_location: str) -> OpenedTable:
        """The table with the new metadata, after it was written to this location."""
        return self._made.table(metadata_location)
