"""Which table does maintenance look after?"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.progress.reporting import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.expressions import AnyFilter
    from floeberg.maintenance.workers import Workers
    from floeberg.progress.report import ProgressCallback
    from floeberg.scan.plan import Plan

__all__ = ["MaintainedTable", "never_over"]


def never_over(_: int) -> bool:
    """The answer of a run without a budget of bytes."""
    return False


class MaintainedTable:
    """A table, with what maintenance needs of it."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a table hands over
        self,
        operations: TableOperations,
        table: Callable[[], OpenedTable],
        become: Callable[[OpenedTable], None],
        metadata: Callable[[], dict[str, Any]],
        plan: Callable[[AnyFilter, bool, str], Plan],
        branch_to_write: Callable[[str | None], str],
        partition_sizes: Callable[[str], list[int]],
    ) -> None:
        """Use `Table.maintenance`."""
        self._operations = operations
        self._table = table
        self._become = become
        self._metadata = metadata
        self._plan = plan
        self._branch_to_write = branch_to_write
        self._partition_sizes = partition_sizes
        # Asked before a commit of a compaction with the bytes that it is to write again.
        self._is_over: Callable[[int], bool] = never_over
        self._reporter = Reporter(None)
        self._workers: Workers | None = None
        """The processes that do parts of the work; `None` is this one."""

    def _begin(self, branch: str | None, *, dry_run: bool) -> str:
        """The branch that is written to, if the table may be written."""
        if not dry_run:
            self._operations.check_writable()
        written_to = self._branch_to_write(branch)
        _check_branch(self._metadata()["refs"], written_to)
        return written_to

    @contextmanager
    def _planning_once(self) -> Iterator[None]:
        """A plan that is asked for again with the same filter is not made again. The table must stay as it is."""
        make = self._plan
        last: list[tuple[tuple[str, bool, str], Plan]] = []

        def plan(where: AnyFilter, case_sensitive: bool, branch: str) -> Plan:  # noqa: FBT001 - as it is called
            key = (repr(where), case_sensitive, branch)
            if not last or last[0][0] != key:
                last[:] = [(key, make(where, case_sensitive, branch))]
            return last[0][1]

        self._plan = plan
        try:
            yield
        finally:
            self._plan = make

    @contextmanager
    def _reporting(self, progress: ProgressCallback | bool | None) -> Iterator[None]:  # noqa: FBT001 - as users pass it
        """Reports the commits of a call. Within a run, what the run reports to stays."""
        if progress is None:
            yield
            return
        before, self._reporter = self._reporter, Reporter(progress)
        try:
            with self._reporter.ending():
                yield
        finally:
            self._reporter = before


def _check_branch(refs: Mapping[str, Mapping[str, Any]], branch: str) -> None:
    """Raises where a table does not have a branch. `main` of a table without snapshots is there."""
    found = refs.get(branch)
    if found is not None and found["type"] == "tag":
        raise InvalidInputError(f"{branch!r} is a tag: commits need a branch")
    if found is None and branch != "main":
        known = ", ".join(repr(each) for each in sorted(refs)) or "none"
        raise NotFoundError(f"the table has no branch {branch!r}; it has {known}")
