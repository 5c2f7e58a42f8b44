"""How are small files and files with deletes written again?

Groups of files are chosen on a plan. A commit writes the rows of its groups as they are on its base: on another base, a
group whose files have other deletes by then is read again.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_bool
from floeberg.errors import CommitStateUnknownError, FloebergError
from floeberg.maintenance._base import MaintainedTable, never_over
from floeberg.maintenance.one_snapshot import commit_snapshot, split_groups
from floeberg.maintenance.results.rewriting import RewriteDataFilesResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from floeberg.maintenance.rewrite_options import RewriteOptions
    from floeberg.maintenance.workers import GroupCopies
    from floeberg.scan.plan import Plan

__all__ = ["Rewriter"]


@dataclass
class Rewriter:
    """Writes groups of files again.

    Attributes:
        maintained: The table.
        options: Which files, and how.
        sort: How rows are sorted, as JSON; `None` is as any write of the table does.
        is_over: Asked before each commit with the bytes of its groups. If so, what is left stays as it is.
    """

    maintained: MaintainedTable
    options: RewriteOptions
    sort: Mapping[str, Any] | None
    is_over: Callable[[int], bool] = never_over

    def check(self) -> None:
        """Checks that the table can be written so.

        Raises:
            InvalidInputError: A column, the partition spec, the sort order or the order of groups does not exist.
            UnsupportedError: Rows cannot be sorted by a column, or not be written by this version.
        """
        table = self.maintained._table()  # noqa: SLF001 - the room's own
        _native.check_rewrite(table, self._wanted([]), job_order=self.options.job_order)

    def rewrite(
        self, plan: Plan, *, branch: str, dry_run: bool, snapshot_properties: Mapping[str, str]
    ) -> RewriteDataFilesResult:
        """Does what `TableMaintenance.rewrite_data_files` says, on the files of a plan."""
        checked_bool("dry_run", dry_run)
        groups = _native.rewrite_groups(
            plan._inner,  # noqa: SLF001 - the package's own
            sizes=dict(self.options.sizes),
            delete_ratio=self.options.delete_ratio,
            all_files=self.options.all_files,
            output_spec_id=self.options.output_spec_id,
            job_order=self.options.job_order,
        )
        if dry_run:
            return RewriteDataFilesResult(
                rewritten_data_files_count=sum(len(paths) for paths, _ in groups),
                rewritten_bytes_count=sum(size for _, size in groups),
                rewritten_files=tuple(path for paths, _ in groups for path in paths),
                dry_run=True,
            )
        done, failures = RewriteDataFilesResult(), list[FloebergError]()
        commits = list(split_groups(groups, self.options.most_commits if self.options.partial else 1))
        workers = self.maintained._workers  # noqa: SLF001 - the room's own
        with nullcontext() if workers is None else workers.copying(self.options) as copies:
            if copies is not None and len(commits) > 1 and self.is_over is never_over:
                table = self.maintained._table()  # noqa: SLF001 - the room's own
                for some in commits:
                    copies.begin(self._operation([paths for paths, _ in some]), table, branch)
            for some in commits:
                if self.is_over(sum(size for _, size in some)):
                    break
                paths = [paths for paths, _ in some]
                done = self._and(done, paths, branch, snapshot_properties, failures, copies)
        if len(failures) > self.options.most_failed_commits:
            last, allowed = failures[-1], self.options.most_failed_commits
            raise type(last)(
                f"{len(failures)} commits failed, more than the {allowed} of partial-progress.max-failed-commits, and "
                f"{len(done.snapshot_ids)} were made. The last failure: {last.message}",
                context=last.context,
            ) from last
        return done

    def _and(  # noqa: PLR0913, PLR0917 - what a commit needs
        self,
        done: RewriteDataFilesResult,
        groups: Sequence[list[str]],
        branch: str,
        snapshot_properties: Mapping[str, str],
        failures: list[FloebergError],
        copies: GroupCopies | None,
    ) -> RewriteDataFilesResult:
        """What was done, and one commit more. One that fails is counted, if progress may be partial."""
        try:
            made = commit_snapshot(
                self.maintained,
                self._operation(groups),
                branch=branch,
                snapshot_properties=snapshot_properties,
                prepare=None if copies is None else copies.copy,
            )
        except CommitStateUnknownError:
            raise
        except FloebergError as error:
            if not self.options.partial:
                raise
            failures.append(error)
            return done.with_failed(sum(map(len, groups)))
        return done.with_commit(made, [path for paths in groups for path in paths])

    def _operation(self, groups: Sequence[list[str]]) -> _native.Operation:
        return _native.Operation.rewrite_data_files(self._wanted(groups))

    def _wanted(self, groups: Sequence[list[str]]) -> str:
        """The operation, as JSON."""
        wanted = {
            "groups": groups,
            "options": {"target-file-size-bytes": str(self.options.target)},
            "sort": None if self.sort is None else {**self.sort, **self.options.z_order},
            "output-spec-id": self.options.output_spec_id,
            "encode-all-rows": self.options.encode_all_rows,
        }
        return json.dumps(wanted)
