"""How is a table looked at?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from floeberg._arguments import checked_bool, checked_path
from floeberg.report.arguments import two_states
from floeberg.report.iceberg import iceberg_report
from floeberg.report.report import check_free
from floeberg.table._compare import TableComparison

if TYPE_CHECKING:
    import os
    from datetime import datetime

    from floeberg.checking.finding import Level
    from floeberg.comparing.table_diff import TableDiff
    from floeberg.expressions import AnyFilter
    from floeberg.report import Report

__all__ = ["TableReports"]


class TableReports(TableComparison):
    """The method of `floeberg.Table` that makes a report."""

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        row_filter: AnyFilter | None = None,
        snapshots: tuple[int | str | datetime, int | str | datetime | None] | None = None,
        check: Level | None = "manifests",
        overwrite: bool = False,
    ) -> Report:
        """Makes a report: one HTML file that says what the table needs, and how it came to what it is.

        It has the health of the table with the calls that mend each point, what a check found, snapshots with their
        branches and tags, rows and bytes over time, file sizes against the target, and partitions by bytes and deletes.
        The page works without a network, and runs no script. A table of many files has a page as small as one of few.
        A part that cannot be made, as a file is damaged, says why.

        Manifests are read, and data files only for `snapshots` and by deeper checks.

        Args:
            path: Where the page is written, too.
            row_filter: Shows what this filter leaves out, and why.
            snapshots: Shows what differs between two snapshots, each an id, the name of a branch or tag, or a datetime.
                `None` as the second is the current one. The rows of files that differ are read.
            check: The level of the check, as for `check`; `None` checks nothing.
            overwrite: Whether a file at `path` that is not an older report is replaced.

        Returns:
            The report. A notebook shows it.

        Raises:
            InvalidInputError: A column of the filter is unknown, the level is unknown, or `snapshots` is no pair.
            NotFoundError: A snapshot does not exist.
            NotInstalledError: `vl-convert-python`, which draws the charts, is not installed: `pip install
                'floeberg[report]'`.
            AlreadyExistsError: A file is at `path`, and is not a report. It is looked at before the report is made.
            FloebergError: The file cannot be written.

        Examples:
            >>> table.report(row_filter="id > 3", snapshots=(table.snapshots()[0].snapshot_id, "main")).title
            'v2_refs'
        """
        if path is not None:
            check_free(Path(checked_path("path", path)), overwrite=checked_bool("overwrite", overwrite))
        states = two_states(snapshots)
        diff = None if states is None else cast("TableDiff", self.diff(*states))
        scan = None if row_filter is None else self.scan(row_filter=row_filter)
        made = iceberg_report(self, scan, diff, check)
        if path is not None:
            made.save(path, overwrite=overwrite)
        return made
