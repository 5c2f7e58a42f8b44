"""Which options has a change of a table, whatever it does?

Methods of tables take them as keywords, and describe only what is their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.progress.report import ProgressCallback

__all__ = ["CommitOptions", "SnapshotOptions"]


class CommitOptions(TypedDict, total=False):
    """How a change of an Iceberg table is committed: keywords of `Table.append` and of all methods that change rows.

    Attributes:
        idempotency_key: A key for this write on this branch. If a snapshot of the branch has the key, the write was
            done before, and nothing happens. Using the key for another operation is an error. It is stored in
            snapshots, so a commit of properties alone cannot have one. By default, there is none.
        stage_only: Whether no branch gets the snapshot: it is in the table, and is read by its id, until
            `manage_snapshots().cherrypick(...)` or `publish_changes(...)` publishes it. It has no `idempotency_key`. By
            default, false.
        progress: A function that is called with a `ProgressReport` a few times a second, on this thread. What it raises
            cancels the operation, and leaves nothing over. Or `True` for a line on stderr: in a terminal it is written
            again and again, elsewhere once, at the end. By default, nothing is reported.
    """

    idempotency_key: str | None
    stage_only: bool
    progress: ProgressCallback | bool | None


class SnapshotOptions(CommitOptions, total=False):
    """What a change of an Iceberg table says of its snapshot, and the keywords of `CommitOptions`.

    Attributes:
        snapshot_properties: Entries to add to the summary of the snapshot. A `wap.id` stages the snapshot, as
            `stage_only` does, if the property `write.wap.enabled` of the table is true.
        branch: The branch to write to. By default `main`, or the `wap.branch` of the catalog, if the property
            `write.wap.enabled` of the table is true.
    """

    snapshot_properties: Mapping[str, str] | None
    branch: str | None
