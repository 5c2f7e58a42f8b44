"""What did maintenance remove?"""

from __future__ import annotations

from dataclasses import dataclass, field

from floeberg.maintenance.results.base import Result

__all__ = ["DeleteReachableFilesResult", "ExpireSnapshotsResult", "RemoveOrphanFilesResult"]


@dataclass(frozen=True, repr=False)
class ExpireSnapshotsResult(Result):
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


@dataclass(frozen=True, repr=False)
class RemoveOrphanFilesResult(Result):
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


@dataclass(frozen=True, repr=False)
class DeleteReachableFilesResult(Result):
    """Which files of a table went that was dropped.

    Attributes:
        deleted_data_files_count: The data files that were removed.
        deleted_position_delete_files_count: The files of position deletes and of deletion vectors that were removed.
        deleted_equality_delete_files_count: The files of equality deletes that were removed.
        deleted_manifest_files_count: The manifests that were removed.
        deleted_manifest_lists_count: The manifest lists that were removed.
        deleted_statistics_files_count: The statistics files that were removed, those of partitions among them.
        deleted_metadata_files_count: The metadata files that were removed, and `version-hint.text`.
        deleted_files: All of these files.
        kept_files: The files that are outside of the table's own locations.
        failed_files: The files that the store did not remove, and why.
        dry_run: Whether nothing was removed: the rest says what would be.
    """

    deleted_data_files_count: int = 0
    deleted_position_delete_files_count: int = 0
    deleted_equality_delete_files_count: int = 0
    deleted_manifest_files_count: int = 0
    deleted_manifest_lists_count: int = 0
    deleted_statistics_files_count: int = 0
    deleted_metadata_files_count: int = 0
    deleted_files: tuple[str, ...] = field(default=(), compare=False)
    kept_files: tuple[str, ...] = field(default=(), compare=False)
    failed_files: dict[str, str] = field(default_factory=dict, compare=False)
    dry_run: bool = False
