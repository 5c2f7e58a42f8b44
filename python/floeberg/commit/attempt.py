"""What does one attempt of a commit change?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from floeberg import _native

__all__ = ["Attempt"]


class Attempt(Protocol):
    """One attempt of a commit, on one metadata file as its base.

    Its data files, manifests and manifest lists are already written. A server that makes the metadata itself takes
    `requirements_json` and `updates_json`: the two lists of a `CommitTableRequest` in the REST catalog specification.
    Other catalogs take the result, `metadata_json`.
    """

    @property
    def changes(self) -> bool:
        """Whether the metadata differs from the base."""
        ...

    @property
    def snapshot_id(self) -> int | None:
        """The last snapshot that the attempt adds; `None` without a snapshot."""
        ...

    @property
    def requirements_json(self) -> str:
        """The requirements: `[{"type": "assert-table-uuid", ...}, ...]`."""
        ...

    @property
    def updates_json(self) -> str:
        """The updates: `[{"action": "add-snapshot", ...}, ...]`."""
        ...

    @property
    def metadata_json(self) -> str:
        """The new metadata."""
        ...

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties in the new metadata."""
        ...

    @property
    def metadata_folder(self) -> str:
        """The folder of metadata files, by the new metadata."""
        ...

    def write_metadata(self, location: str, *, if_absent: bool) -> None:
        """Writes the new metadata durably. Names with `.gz` are compressed."""
        ...

    def check_files(self, metadata_location: str) -> None:
        """Checks that all files exist that the new snapshots name. Raises `NotFoundError`."""
        ...

    def table(self, metadata_location: str) -> _native.Table:
        """Returns the table with the new metadata, after it was written to this location."""
        ...
