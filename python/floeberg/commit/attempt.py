"""What does a commit make of a table?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from floeberg import _native

__all__ = ["Attempt"]


class Attempt(Protocol):
    """What a commit makes of a table, on one metadata file as its base.

    Its data files, manifests and manifest lists are written. `requirements_json` and `updates_json` are the two lists
    of a `CommitTableRequest` of the REST catalog specification, for a server that makes the metadata. `metadata_json`
    is the metadata that they lead to, for everybody else.
    """

    @property
    def changes(self) -> bool:
        """Whether anything changes at all."""
        ...

    @property
    def snapshot_id(self) -> int | None:
        """The last snapshot that it adds."""
        ...

    @property
    def requirements_json(self) -> str:
        """What must be true of the table: `[{"type": "assert-table-uuid", ...}, ...]`."""
        ...

    @property
    def updates_json(self) -> str:
        """What changes: `[{"action": "add-snapshot", ...}, ...]`."""
        ...

    @property
    def metadata_json(self) -> str:
        """The whole of the new metadata."""
        ...

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties in the new metadata."""
        ...

    @property
    def metadata_folder(self) -> str:
        """Where the new metadata says that metadata files go."""
        ...

    def write_metadata(self, location: str, *, if_absent: bool) -> None:
        """Writes the new metadata durably, gzip where the name says so."""
        ...

    def table(self, metadata_location: str) -> _native.Table:
        """The table with the new metadata, which is at that location."""
        ...
