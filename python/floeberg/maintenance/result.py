"""What did maintenance do?"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ExpireSnapshotsResult", "RemoveOrphanFilesResult", "RewriteDataFilesResult"]


@dataclass(frozen=True, repr=False)
class ExpireSnapshotsResult:
    """What expired, and which files went. The counts have the names of Spark's procedure.

    Attributes:
        snapshot_ids: The snapshots that expired, in the order of the metadata.
        refs: The branches and tags that expired, by name.
        deleted_data_files_count: The data files that were removed.
        deleted_position_delete_files_count: The files of position deletes and of deletion vectors that were removed.
        deleted_equality_delete_files_count: The files of equality deletes that were removed.
        deleted_manifest_files_count: The manifests that were removed.
        deleted_manifest_lists_count: The manifest lists that were removed.
        deleted_statistics_files_count: The statistics files that were removed, those of partitions among them.
        deleted_files: All of these files.
        kept_files: The files that nobody needs, but that are outside of the table's own locations.
        failed_files: The files that the store did not remove, and why. `remove_orphan_files` finds them later.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    snapshot_ids: tuple[int, ...] = ()
    refs: tuple[str, ...] = ()
    deleted_data_files_count: int = 0
    deleted_position_delete_files_count: int = 0
    deleted_equality_delete_files_count: int = 0
    deleted_manifest_files_count: int = 0
    deleted_manifest_lists_count: int = 0
    deleted_statistics_files_count: int = 0
    deleted_files: tuple[str, ...] = field(default=(), compare=False)
    kept_files: tuple[str, ...] = field(default=(), compare=False)
    failed_files: dict[str, str] = field(default_factory=dict, compare=False)
    dry_run: bool = False

    def __repr__(self) -> str:
        return _shown(self)


@dataclass(frozen=True, repr=False)
class RemoveOrphanFilesResult:
    """Which files went that no snapshot of the table names.

    Attributes:
        orphan_file_locations: The files that were removed, in the order of their locations.
        orphan_bytes: Their bytes; 0 for a list of files of your own.
        failed_files: The files that the store did not remove, and why.
        dry_run: Whether nothing was removed: the rest says what would be.
    """

    orphan_file_locations: tuple[str, ...] = ()
    orphan_bytes: int = 0
    failed_files: dict[str, str] = field(default_factory=dict, compare=False)
    dry_run: bool = False

    def __repr__(self) -> str:
        return _shown(self)


@dataclass(frozen=True, repr=False)
class RewriteDataFilesResult:
    """Which data files were written again. The counts have the names of Spark's procedure.

    Attributes:
        snapshot_ids: The snapshots that did it.
        rewritten_data_files_count: The data files that were replaced.
        added_data_files_count: The data files that replace them; 0 with `dry_run`.
        rewritten_bytes_count: The bytes of the files that were replaced.
        failed_data_files_count: The data files of commits that failed, with `partial-progress.enabled`.
        removed_delete_files_count: The delete files that are not needed any more; 0 with `dry_run`.
        rewritten_files: The files that were chosen, by their paths. Of these, files that others removed meanwhile are
            left out.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    snapshot_ids: tuple[int, ...] = ()
    rewritten_data_files_count: int = 0
    added_data_files_count: int = 0
    rewritten_bytes_count: int = 0
    failed_data_files_count: int = 0
    removed_delete_files_count: int = 0
    rewritten_files: tuple[str, ...] = field(default=(), compare=False)
    dry_run: bool = False

    def __repr__(self) -> str:
        return _shown(self)

    def with_commit(
        self, done: tuple[dict[str, Any] | None, Mapping[str, int], tuple[str, ...]]
    ) -> RewriteDataFilesResult:
        """This, and what one commit more did: its snapshot, its counts, and the files."""
        snapshot, counts, files = done
        if snapshot is None:
            return self
        summary = snapshot.get("summary", {})
        return replace(
            self,
            snapshot_ids=(*self.snapshot_ids, snapshot["snapshot-id"]),
            rewritten_data_files_count=self.rewritten_data_files_count + counts.get("rewritten_files", 0),
            added_data_files_count=self.added_data_files_count + int(summary.get("added-data-files", 0)),
            rewritten_bytes_count=self.rewritten_bytes_count + counts.get("rewritten_bytes", 0),
            removed_delete_files_count=self.removed_delete_files_count
            + int(summary.get("removed-delete-files", 0)),
            rewritten_files=(*self.rewritten_files, *files),
        )

    def with_failed(self, files: int) -> RewriteDataFilesResult:
        """This, and so many files whose commit failed."""
        return replace(self, failed_data_files_count=self.failed_data_files_count + files)


def _shown(result: Any) -> str:  # noqa: ANN401 - one of these classes
    """The parts that say something: long ones by their number."""
    shown = []
    for each in fields(result):
        value = getattr(result, each.name)
        if not value:
            continue
        is_long = isinstance(value, (tuple, dict)) and len(value) > 3  # noqa: PLR2004 - a line of them
        shown.append(f"{each.name}=<{len(value)}>" if is_long else f"{each.name}={value!r}")
    return f"{type(result).__name__}({', '.join(shown)})"
