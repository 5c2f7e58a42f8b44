"""What did maintenance do with manifests and delete files?"""

from __future__ import annotations

from dataclasses import dataclass

from floeberg.maintenance.results.base import Result

__all__ = [
    "ConvertEqualityDeletesResult",
    "RemoveDanglingDeletesResult",
    "RewriteManifestsResult",
    "RewritePositionDeleteFilesResult",
]


@dataclass(frozen=True, repr=False)
class RewriteManifestsResult(Result):
    """Which manifests were written again. The counts have the names of Spark's procedure.

    Attributes:
        snapshot_ids: The snapshot that did it, if there was anything to do.
        rewritten_manifests_count: The manifests that were replaced.
        added_manifests_count: The manifests that replace them; 0 with `dry_run`.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    snapshot_ids: tuple[int, ...] = ()
    rewritten_manifests_count: int = 0
    added_manifests_count: int = 0
    dry_run: bool = False


@dataclass(frozen=True, repr=False)
class RewritePositionDeleteFilesResult(Result):
    """Which files of position deletes were written again. The counts have the names of Spark's procedure.

    Attributes:
        snapshot_ids: The snapshots that did it.
        rewritten_delete_files_count: The delete files that were replaced.
        added_delete_files_count: The delete files, or deletion vectors, that replace them; 0 with `dry_run`.
        rewritten_bytes_count: The bytes of the files that were replaced.
        added_bytes_count: The bytes of the new files; 0 with `dry_run`.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    snapshot_ids: tuple[int, ...] = ()
    rewritten_delete_files_count: int = 0
    added_delete_files_count: int = 0
    rewritten_bytes_count: int = 0
    added_bytes_count: int = 0
    dry_run: bool = False


@dataclass(frozen=True, repr=False)
class ConvertEqualityDeletesResult(Result):
    """Which equality deletes became position deletes or deletion vectors.

    Attributes:
        snapshot_ids: The snapshots that did it.
        converted_equality_delete_files_count: The equality delete files that were replaced.
        added_position_delete_files_count: The files of position deletes, or the deletion vectors, that replace them; 0
            with `dry_run`.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    snapshot_ids: tuple[int, ...] = ()
    converted_equality_delete_files_count: int = 0
    added_position_delete_files_count: int = 0
    dry_run: bool = False


@dataclass(frozen=True, repr=False)
class RemoveDanglingDeletesResult(Result):
    """Which delete files went that apply to no data file any more.

    Attributes:
        snapshot_ids: The snapshot that did it, if there was anything to do.
        removed_delete_files_count: The delete files, and deletion vectors, that were removed.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    snapshot_ids: tuple[int, ...] = ()
    removed_delete_files_count: int = 0
    dry_run: bool = False
