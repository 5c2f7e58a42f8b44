"""Which files does a scan read?

A plan is columns. No Python object is made for a file until you iterate.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast, overload

from floeberg._arguments import checked_bool, checked_size
from floeberg._display import facts_html
from floeberg.expressions._parsing import expression_of_tree
from floeberg.scan.analysis import read_through
from floeberg.scan.explain import explain_of
from floeberg.scan.reported import InTurn
from floeberg.scan.task_group import TaskGroup
from floeberg.scan.tasks import DeleteFile, FileScanTask, task_of

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native
    from floeberg.expressions import Expression
    from floeberg.scan.explain import Explain
    from floeberg.scan.metrics_report import PlanTimer

__all__ = ["Plan"]


class Plan(Sequence[FileScanTask]):
    """The files of a scan, with their deletes and residuals, as columns.

    `Scan.plan_files` reads the manifest list and the delete manifests. Data manifests are read when you use the plan.
    Its length, its columns and its files need all of them; `iter_batches` reads one after another. A damaged or missing
    manifest raises there.

    Examples:
        >>> plan = table.scan(row_filter="id = 1").plan_files()
        >>> len(plan) == plan.to_arrow().num_rows
        True
    """

    _inner: _native.Plan

    def __init__(self, native: _native.Plan, timer: PlanTimer | None = None) -> None:
        """Use `Scan.plan_files`. A timer has the plan reported."""
        self._inner = native
        self._timer = timer

    def _reading(self) -> AbstractContextManager[None]:
        """A block that may read all of the plan."""
        return nullcontext() if self._timer is None else self._timer.reading(self._inner)

    def __len__(self) -> int:
        with self._reading():
            return len(self._inner)

    @overload
    def __getitem__(self, index: int) -> FileScanTask: ...
    @overload
    def __getitem__(self, index: slice) -> list[FileScanTask]: ...
    def __getitem__(self, index: int | slice) -> FileScanTask | list[FileScanTask]:
        if isinstance(index, slice):
            return [self._task(each) for each in range(*index.indices(len(self)))]
        # As a list: an index that is not an integer is a TypeError.
        number = operator.index(index)
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"the plan has {len(self)} files: file {index} does not exist")
        return self._task(place)

    def __iter__(self) -> Iterator[FileScanTask]:
        return map(self._task, range(len(self)))

    def _task(self, number: int) -> FileScanTask:
        with self._reading():
            return task_of(self._inner.task(number))

    def to_arrow(self) -> pa.Table:
        """The plan's columns, without a copy: a row for each data file.

        `file_path` as written, `location` after `relocate`, `file_format`, `spec_id`, `partition` (a struct over
        all specs), `record_count`, `file_size_in_bytes`, `data_sequence_number`, `first_row_id`,
        `split_offsets`, `delete_files` (numbers into `delete_files()`), `residual` (a number into `residuals()`).

        Returns:
            A `pyarrow.Table`.

        Examples:
            >>> sum(table.scan().plan_files().to_arrow()["record_count"].to_pylist())
            9
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return cast("pa.Table", pa.table(cast("Any", self)))

    def iter_batches(self) -> Iterator[pa.RecordBatch]:
        """The plan's columns, batch by batch, while later manifests are being read.

        Only the batches that you have not taken yet are in memory, so a table may have any number of files. If the
        whole plan was read before, nothing is read again.

        Returns:
            An iterator of `pyarrow.RecordBatch`, with the columns of `to_arrow()`, in the order of the plan.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest is missing.

        Examples:
            >>> sum(batch.num_rows for batch in table.scan().plan_files().iter_batches())
            3
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
        import pyarrow.compute  # noqa: PLC0415

        reader, timer = self._inner.batches(), self._timer
        files = size = 0
        while True:
            with nullcontext() if timer is None else timer.reading():
                batch = reader.next_batch()
            if batch is None:
                break
            found = pa.record_batch(cast("Any", batch))
            if timer is not None:
                files += found.num_rows
                size += pa.compute.sum(found["file_size_in_bytes"]).as_py() or 0
            yield found
        if timer is not None:
            timer.done(files=files, size=size)

    def delete_files(self) -> list[DeleteFile]:
        """The delete files, by the numbers in the column `delete_files`.

        Returns:
            All delete files that may apply to a file of the plan, of every kind.

        Examples:
            >>> table.scan().plan_files().delete_files()
            []
        """
        with self._reading():
            return [DeleteFile(**delete) for delete in self._inner.delete_files()]

    def residuals(self) -> list[Expression]:
        """The different residuals, by the numbers in the column `residual`.

        Returns:
            The parts of the scan's filter that partitions do not decide.

        Examples:
            >>> table.scan(row_filter="id > 3").plan_files().residuals()
            [GreaterThan('id', 3)]
        """
        with self._reading():
            return [expression_of_tree(tree) for tree in self._inner.residuals()]

    def split(
        self,
        target_size: int | None = None,
        open_file_cost: int | None = None,
        lookback: int | None = None,
        *,
        most_groups: int | None = None,
        least_size: int | None = None,
    ) -> list[TaskGroup]:
        """Splits the plan into groups of about equal work, for workers.

        Files are split at row groups and packed as in Iceberg Java: each row group or whole file goes into the first
        open group with room. When more than `lookback` groups are open, the fullest is closed. The weight of a piece is
        its bytes plus those of its deletes, but at least `open_file_cost` for each file to open. Every row is in
        exactly one group. Groups ignore the limit of a scan, since no group knows how many rows the others have.

        With `most_groups`, the plan is split into a few groups of about equal size, in its own order. There are
        `most_groups` of them: fewer if they would be smaller than `least_size`, more if they would be larger than
        `target_size`. The cost of opening files does not count.

        Args:
            target_size: The target size of a group, in bytes. By default, the table's property
                `read.split.target-size`, or 128 MiB.
            open_file_cost: The bytes that opening a file counts for. By default, the table's property
                `read.split.open-file-cost`, or 4 MiB.
            lookback: How many groups are kept open while packing. By default, the table's property
                `read.split.planning-lookback`, or 10.
            most_groups: The number of groups that occupies all workers. Without it, groups have the target size.
            least_size: With `most_groups`, the minimum size of a group, in bytes. By default, 16 MiB.

        Returns:
            The groups, which can be pickled.

        Raises:
            InvalidInputError: A number or a property is less than 1, or less than 0 for `open_file_cost`.

        Examples:
            >>> sum(group.to_arrow().num_rows for group in table.scan().plan_files().split())
            9
            >>> [len(group) for group in table.scan().plan_files().split(open_file_cost=64 * 1024 * 1024)]
            [2, 1]
            >>> len(table.scan().plan_files().split(most_groups=4))
            1
        """
        with self._reading():
            groups = self._inner.split(
                _at_least(1, "target_size", target_size),
                _at_least(0, "open_file_cost", open_file_cost),
                _at_least(1, "lookback", lookback),
                _at_least(1, "most_groups", most_groups),
                _at_least(1, "least_size", least_size),
            )
        return [TaskGroup(group) for group in groups]

    def explain(self, *, analyze: bool = False) -> Explain:
        """What planning read, what it dropped, and why.

        Args:
            analyze: Whether to read the rows of all files too, without keeping them, and to show how long it took. The
                limit of a scan does not count. `Scan.explain(analyze=True)` says more.

        Returns:
            The result: `print` it, or use its fields.

        Examples:
            >>> [stage.kept for stage in table.scan(row_filter="id > 3").plan_files().explain().stages]
            [3, 0, 3, 2]
        """
        with self._reading():
            explain = explain_of(self._inner.explain())
        if not checked_bool("analyze", analyze):
            return explain
        groups = self._inner.split(most_groups=1)
        return replace(explain, analysis=read_through(lambda: InTurn([each.stream for each in groups])))

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        with self._reading():
            return self._inner.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        known = self._inner.known_length
        return "Plan(not read yet: len(plan) reads it)" if known is None else f"Plan({known} files)"

    def _repr_html_(self) -> str:
        known = self._inner.known_length
        return facts_html(
            "Plan", {"data files": "not read yet: len(plan) reads them" if known is None else known}
        )

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Plan cannot be pickled: send the groups of Plan.split, or the Scan")


def _at_least(least: int, name: str, value: int | None) -> int | None:
    return None if value is None else checked_size(name, value, least)
