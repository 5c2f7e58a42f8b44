"""How is a check reported while it runs?

In: a check that leaves the files to tasks. Out: the same findings, and calls of a `Reporter` as files are done with.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, TypeVar, cast

from floeberg import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from floeberg.progress.reporting import Reporter

__all__ = ["CheckByFiles"]

Found = TypeVar("Found")

_MOST_TASKS = 64
_FOUND = ("rule", "location", "part", "message", "snapshot_id")


class CheckByFiles:
    """A check of an Iceberg table, once through: see `floeberg._native.Check`."""

    def __init__(
        self,
        table: _native.Table,
        begin: Callable[[], _native.Check],
        level: str,
        reporter: Reporter,
    ) -> None:
        """Nothing is read yet. `begin` makes a check that leaves its files."""
        self._table, self._here, self._level, self._reporter = table, begin(), level, reporter
        self._files: Iterator[pa.Table] | None = None

    def next_findings(self) -> list[tuple[str, str, str, str, int | None]]:
        """The next findings; none at the end."""
        if self._files is None:
            if found := self._here_first(self._here.next_findings):
                return found
            self._files = self._of_files()
        for rows in self._files:
            if rows.num_rows:
                columns = [rows[name].to_pylist() for name in _FOUND]
                return list(zip(*columns, strict=True))
        return []

    def read_all(self) -> pa.Table:
        """All findings that are left, as rows."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        here = pa.table(cast("Any", self._here_first(self._here.read_all)))
        return pa.concat_tables([here, *self._of_files()])

    def _here_first(self, find: Callable[[], Found]) -> Found:
        """Findings of all that is no file."""
        self._reporter.tell("checking")
        try:
            return find()
        except BaseException:
            self._reporter.stop()
            raise

    def _of_files(self) -> Iterator[pa.Table]:
        """The findings of each task. The reporter ends with the last one."""
        import pyarrow as pa  # noqa: PLC0415

        with self._reporter.ending():
            metadata, tasks = self._here.file_tasks(_MOST_TASKS) or ("", [])
            counts = [sum(len(each["files"]) for each in json.loads(task)) for task in tasks]
            # As many as there are cores: what computes is bounded by the core anyway.
            done, threads = 0, os.cpu_count() or 1
            self._reporter.tell("checking", of_files=sum(counts))
            for task, count in zip(tasks, counts, strict=True):
                found = _native.check_files(
                    self._table, task, metadata=metadata, level=self._level, threads=threads
                )
                done += count
                self._reporter.tell("checking", files=done, of_files=sum(counts))
                yield pa.table(cast("Any", found))
