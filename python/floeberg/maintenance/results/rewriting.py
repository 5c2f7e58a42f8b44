"""What did maintenance write again?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.maintenance.one_snapshot import OneSnapshot

__all__ = ["RewriteDataFilesResult"]


@dataclass(frozen=True, repr=False)
class RewriteDataFilesResult(Result):
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

    def with_commit(self, made: OneSnapshot, files: Sequence[str]) -> RewriteDataFilesResult:
        """This, and what one commit more did with these files."""
        if made.snapshot_id is None:
            return self
        return replace(
            self,
            snapshot_ids=(*self.snapshot_ids, made.snapshot_id),
            rewritten_data_files_count=self.rewritten_data_files_count
            + made.counts.get("rewritten_files", 0),
            added_data_files_count=self.added_data_files_count + made.number("added-data-files"),
            rewritten_bytes_count=self.rewritten_bytes_count + made.counts.get("rewritten_bytes", 0),
            removed_delete_files_count=self.removed_delete_files_count + made.number("removed-delete-files"),
            rewritten_files=(*self.rewritten_files, *files),
        )

    def with_failed(self, files: int) -> RewriteDataFilesResult:
        """This, and so many files whose commit failed."""
        return replace(self, failed_data_files_count=self.failed_data_files_count + files)
