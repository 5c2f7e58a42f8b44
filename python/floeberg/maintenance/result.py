"""What did maintenance do?"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

__all__ = ["ExpireSnapshotsResult", "RemoveOrphanFilesResult"]


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
