"""Which methods of maintenance write data files again?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import checked_properties
from floeberg.expressions import ALWAYS_TRUE
from floeberg.maintenance._base import MaintainedTable
from floeberg.maintenance.one_snapshot import commit_snapshot
from floeberg.maintenance.results.rewriting import RewriteDataFilesResult
from floeberg.maintenance.rewrite_data_files import Rewriter
from floeberg.maintenance.rewrite_delete_files import dangling_operation
from floeberg.maintenance.rewrite_options import read_options, read_sort

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg._new_table import AnySortOrder
    from floeberg.expressions import AnyFilter
    from floeberg.maintenance.rewrite_options import RewriteStrategy
    from floeberg.progress.report import ProgressCallback

__all__ = ["RewritingMaintenance"]


class RewritingMaintenance(MaintainedTable):
    """The methods that write data files again."""

    def rewrite_data_files(  # noqa: PLR0913 - keywords
        self,
        *,
        where: AnyFilter = ALWAYS_TRUE,
        strategy: RewriteStrategy | None = None,
        sort_order: AnySortOrder | str = None,
        options: Mapping[str, str] | None = None,
        branch: str | None = None,
        case_sensitive: bool = True,
        snapshot_properties: Mapping[str, str] | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> RewriteDataFilesResult:
        """Writes small files, files that are too large, and files with many deletes again, as files of a good size.

        Rows stay the same, and in format version 3 they keep their ids. New files have the current partition spec and
        columns, and the table's sort order unless another one is given. A delete that others commit meanwhile counts:
        the group of its file is read again.

        Args:
            where: Only files are written again in which a row may match: SQL text, a comparison of `fb.col`, or another
                filter.
            strategy: `binpack` joins and splits files; their rows are in the order of any write to the table. `sort`
                sorts the rows of all files of a group, and needs a sort order. By default `sort` where `sort_order` is
                given, else `binpack`.
            sort_order: What rows are sorted by: as with `create_table` a `floeberg.types.SortOrder` or strings such as
                `["id desc"]`; or one text, as with Spark's procedure: `"id DESC NULLS FIRST, bucket(8, name)"`, or the
                z-order `"zorder(a, b)"`, in which filters on either column skip files. By default the table's.
            options: As with Spark's procedure, as texts: `target-file-size-bytes`, `min-file-size-bytes`,
                `max-file-size-bytes`, `min-input-files`, `delete-file-threshold`, `delete-ratio-threshold`,
                `max-file-group-size-bytes`, `max-file-group-input-files`, `max-files-to-rewrite`, `rewrite-all`,
                `output-spec-id`, `rewrite-job-order`, `partial-progress.enabled`, `partial-progress.max-commits`,
                `partial-progress.max-failed-commits`, `max-concurrent-file-group-rewrites`,
                `remove-dangling-deletes`; with `sort` also
                `compression-factor`, `shuffle-partitions-per-file`, and for z-orders `var-length-contribution` and
                `max-output-size`.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            case_sensitive: Whether the case of names in the filter and in the sort order counts.
            snapshot_properties: Entries to add to the summary of the snapshot.
            dry_run: Whether to say only which files would be written again.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a line on stderr. By default, nothing is reported.

        Returns:
            What was done.

        Raises:
            InvalidInputError: An option, a column, a partition spec or a strategy does not exist, sizes contradict each
                other, a sort order is given with `binpack`, or there is none for `sort`.
            UnsupportedError: An option of Spark's is not supported, or rows cannot be sorted by a column.
            CommitConflictError: Others were faster at every attempt.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> for number in range(5):
            ...     _ = orders.append(pa.table({"id": [number]}))
            >>> done = orders.maintenance.rewrite_data_files()
            >>> done.rewritten_data_files_count, done.added_data_files_count, orders.scan().count()
            (5, 1, 5)
            >>> _ = orders.append(pa.table({"id": [7]}))
            >>> _ = orders.maintenance.rewrite_data_files(sort_order="id DESC", options={"rewrite-all": "true"})
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [7, 4, 3, 2, 1, 0]
        """
        found, sort = read_sort(strategy, sort_order, case_sensitive=case_sensitive)
        written_to = self._begin(branch, dry_run=dry_run)
        read = read_options(options, self._table().properties, found)
        rewriter = Rewriter(self, read, sort, self._is_over)
        rewriter.check()
        if written_to == "main" and self._table().snapshot_id is None:
            return RewriteDataFilesResult(dry_run=dry_run)
        plan = self._plan(where, case_sensitive, written_to)
        properties = checked_properties("snapshot_properties", snapshot_properties)
        with self._reporting(progress):
            done = rewriter.rewrite(plan, branch=written_to, dry_run=dry_run, snapshot_properties=properties)
        if dry_run or not read.remove_dangling_deletes:
            return done
        removed = commit_snapshot(
            self, dangling_operation(), branch=written_to, snapshot_properties=properties
        )
        return done.with_commit(removed, ())
