"""Which methods of maintenance write data files again?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import checked_properties
from floeberg.errors import UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.maintenance._base import MaintainedTable
from floeberg.maintenance.results.rewriting import RewriteDataFilesResult
from floeberg.maintenance.rewrite_data_files import Rewriter, read_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.expressions import AnyFilter
    from floeberg.maintenance.rewrite_data_files import RewriteStrategy

__all__ = ["RewritingMaintenance"]


class RewritingMaintenance(MaintainedTable):
    """The methods that write data files again."""

    def rewrite_data_files(  # noqa: PLR0913 - keywords
        self,
        *,
        where: AnyFilter = ALWAYS_TRUE,
        strategy: RewriteStrategy = "binpack",
        options: Mapping[str, str] | None = None,
        branch: str | None = None,
        case_sensitive: bool = True,
        snapshot_properties: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> RewriteDataFilesResult:
        """Writes small files, files that are too large, and files with many deletes again, as files of a good size.

        Rows stay the same, and in format version 3 they keep their ids. New files have the current partition spec, sort
        order and columns. A delete that others commit meanwhile counts: the group of its file is read again.

        Args:
            where: Only files are written again in which a row may match: SQL text, a comparison of `fb.col`, or another
                filter.
            strategy: `binpack` joins and splits files, in their order.
            options: As with Spark's procedure, as texts: `target-file-size-bytes`, `min-file-size-bytes`,
                `max-file-size-bytes`, `min-input-files`, `delete-file-threshold`, `delete-ratio-threshold`,
                `max-file-group-size-bytes`, `rewrite-all`, `partial-progress.enabled`, `partial-progress.max-commits`.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            case_sensitive: Whether the case of names in the filter counts.
            snapshot_properties: Entries to add to the summary of the snapshot.
            dry_run: Whether to say only which files would be written again.

        Returns:
            What was done.

        Raises:
            InvalidInputError: An option does not exist, or sizes contradict each other.
            UnsupportedError: The strategy, or an option of Spark's, is not supported.
            CommitConflictError: Others were faster at every attempt.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> for number in range(5):
            ...     _ = orders.append(pa.table({"id": [number]}))
            >>> done = orders.maintenance.rewrite_data_files()
            >>> done.rewritten_data_files_count, done.added_data_files_count, orders.scan().count()
            (5, 1, 5)
        """
        if strategy != "binpack":
            raise UnsupportedError(f"strategy: only 'binpack' is supported, found {strategy!r}")
        written_to = self._begin(branch, dry_run=dry_run)
        read = read_options(options, self._table().properties)
        if written_to == "main" and self._table().snapshot_id is None:
            return RewriteDataFilesResult(dry_run=dry_run)
        plan = self._plan(where, case_sensitive, written_to)
        return Rewriter(self._operations, self._table, self._become).rewrite(
            plan,
            read,
            branch=written_to,
            dry_run=dry_run,
            snapshot_properties=checked_properties("snapshot_properties", snapshot_properties),
        )
