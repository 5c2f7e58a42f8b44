"""Which tasks does one worker read?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.scan.rows import RowSource
from floeberg.scan.tasks import task_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.scan.tasks import FileScanTask

__all__ = ["TaskGroup"]


class TaskGroup(RowSource[_native.TaskGroup]):
    """Tasks for one worker. Pickle it and read it in the worker: no metadata file is needed there.

    Iterating creates a `FileScanTask` for each file.

    Examples:
        >>> groups = table.scan().plan_files().split(64 * 1024 * 1024)
        >>> sum(group.to_arrow().num_rows for group in groups) == table.scan().count()
        True
        >>> [task.file.record_count for task in groups[0]], groups[0].records
        ([1, 4, 4], 9)
    """

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._inner)

    def __iter__(self) -> Iterator[FileScanTask]:
        return (task_of(self._inner.task(number)) for number in range(len(self)))

    @property
    def size_in_bytes(self) -> int:
        """The bytes of the data files, or of the parts that are read, from the metadata."""
        return self._inner.extent()[0]

    @property
    def records(self) -> int:
        """The rows before deletes and filter. For a part of a file, they are estimated from its bytes."""
        return self._inner.extent()[1]
