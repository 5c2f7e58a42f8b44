"""How is a Lance table looked at?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from floeberg._arguments import checked_bool, checked_path
from floeberg.lance._check import LanceTableChecks
from floeberg.lance._compare import LanceTableComparisons
from floeberg.lance._read import LanceTableReads
from floeberg.report.arguments import two_states
from floeberg.report.lance import lance_report
from floeberg.report.report import check_free

if TYPE_CHECKING:
    import os
    from datetime import datetime

    from floeberg.checking.finding import Level
    from floeberg.expressions import AnyFilter
    from floeberg.report import Report

__all__ = ["LanceTableReports"]


class LanceTableReports(LanceTableReads, LanceTableChecks, LanceTableComparisons):
    """The method of `floeberg.lance.LanceTable` that makes a report."""

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        row_filter: AnyFilter | None = None,
        snapshots: tuple[int | str | datetime, int | str | datetime | None] | None = None,
        check: Level | None = "manifests",
        overwrite: bool = False,
    ) -> Report:
        """Makes a report: one HTML file, as `floeberg.Table.report` describes it.

        It has what a compaction and a cleanup would do, what a check found, versions with their branches and tags, and
        fragments by rows and deleted rows.

        Args:
            path: Where the page is written, too.
            row_filter: Shows what this filter reads: of a Lance table all fragments.
            snapshots: Shows what differs between two versions, each a number, a tag, or a datetime. `None` as the
                second is the open one.
            check: The level of the check, as for `check`; `None` checks nothing.
            overwrite: Whether a file at `path` that is not an older report is replaced.

        Returns:
            The report. A notebook shows it.

        Raises:
            InvalidInputError: A column of the filter is unknown, the level is unknown, or `snapshots` is no pair.
            NotFoundError: A version does not exist.
            NotInstalledError: `vl-convert-python` is not installed: `pip install 'floeberg[report]'`.
            AlreadyExistsError: A file is at `path`, and is not a report. It is looked at before the report is made.
            FloebergError: The file cannot be written.

        Examples:
            >>> lance_table.report(check=None)._repr_html_().startswith("<iframe")
            True
        """
        if path is not None:
            check_free(Path(checked_path("path", path)), overwrite=checked_bool("overwrite", overwrite))
        states = two_states(snapshots)
        diff = None if states is None else self.diff(*states)
        scan = None
        if row_filter is not None:
            # What the filter names is looked up now.
            scan = self.scan(row_filter=row_filter)
        made = lance_report(self, scan, diff, check)
        if path is not None:
            made.save(path, overwrite=overwrite)
        return made
