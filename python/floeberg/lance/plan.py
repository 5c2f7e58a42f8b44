"""Which fragments does a scan read?

A plan is columns. No Python object is made for a fragment until you iterate.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, overload

from floeberg._arguments import checked_size
from floeberg._display import bytes_shown, facts_html
from floeberg.lance.pages import pages_of
from floeberg.scan.rows import StreamedRows

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native
    from floeberg.scan.analysis import RowsAnalysis
    from floeberg.scan.batch_stream import BatchStream

__all__ = ["LanceDataFile", "LanceExplain", "LancePlan", "LanceTask", "LanceTaskGroup"]

_TARGET_SIZE = 128 << 20
_LEAST_SIZE = 16 << 20


@dataclass(frozen=True)
class LanceDataFile:
    """A data file of a fragment.

    Attributes:
        location: Where it is.
        version: The version of its format, such as `"2.1"`.
        fields: The ids of the fields in it. Negative ids are of fields that were rewritten.
        size_bytes: Its size; 0 if the manifest does not say it.
    """

    location: str
    version: str
    fields: tuple[int, ...]
    size_bytes: int


@dataclass(frozen=True)
class LanceTask:
    """A fragment to read.

    Attributes:
        fragment_id: The id of the fragment.
        physical_rows: Its rows, with deleted ones.
        data_files: Its data files, each with some of the columns.
        deletion_file: The file that lists its deleted rows; `None` if no row is deleted.
    """

    fragment_id: int
    physical_rows: int
    data_files: tuple[LanceDataFile, ...]
    deletion_file: str | None


@dataclass(frozen=True, repr=False)
class LanceExplain:
    """What a scan reads.

    Attributes:
        version: The version of the table.
        filter: The filter, as text; `None` if all rows are read.
        columns: The columns of the result.
        fragments: The fragments to read.
        data_files: Their data files.
        deletion_files: The fragments with deleted rows.
        physical_rows: The rows of the fragments, with deleted ones.
        size_bytes: The size of all data files, as far as the manifest says it.
        limit: The most rows to return.
        analysis: What reading the rows took, with `analyze`.
    """

    version: int
    filter: str | None
    columns: tuple[str, ...]
    fragments: int
    data_files: int
    deletion_files: int
    physical_rows: int
    size_bytes: int
    limit: int | None
    analysis: RowsAnalysis | None = None

    def __str__(self) -> str:
        lines = [
            f"version {self.version}",
            f"columns: {', '.join(self.columns) or 'none'}",
            f"fragments: {self.fragments}, {self.deletion_files} of them with deleted rows",
            f"data files: {self.data_files}, {bytes_shown(self.size_bytes)}",
            f"rows: {self.physical_rows}, with deleted ones",
        ]
        if self.filter is not None:
            lines.append(f"filter: {self.filter} (tested on every row: manifests have no statistics)")
        if self.limit is not None:
            lines.append(f"limit: {self.limit}")
        if self.analysis is not None:
            lines.append(str(self.analysis))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        facts = {
            "version": self.version,
            "filter": self.filter,
            "columns": ", ".join(self.columns) or "none",
            "fragments": f"{self.fragments:,}, {self.deletion_files:,} of them with deleted rows",
            "data files": f"{self.data_files:,}, {bytes_shown(self.size_bytes)}",
            "rows": f"{self.physical_rows:,}, with deleted ones",
            "limit": self.limit,
            "analysis": None if self.analysis is None else str(self.analysis).replace("\n", "; "),
        }
        return facts_html("LanceExplain", facts)


class LanceTaskGroup(StreamedRows):
    """Fragments of a scan, or parts of them, for one worker.

    A group can be pickled. The worker opens no manifest. A group ignores the limit of its scan, since no group knows
    how many rows the others have.

    Examples:
        >>> groups = lance_table.scan().plan_files().split()
        >>> sum(group.to_arrow().num_rows for group in groups)
        29
    """

    __slots__ = ("_inner",)

    _inner: _native.LanceTaskGroup

    def __init__(self, native: _native.LanceTaskGroup) -> None:
        """Use `LancePlan.split`."""
        self._inner = native

    def __len__(self) -> int:
        return len(self._inner)

    @property
    def physical_rows(self) -> int:
        """The rows of the fragments, with deleted ones."""
        return self._inner.physical_rows

    def count(self) -> int:
        """Counts the rows. Data files are read.

        Returns:
            The number of rows that match the filter.
        """
        return self._inner.rows(pages_of(self._inner.storage_options)).count()

    def _open(self) -> BatchStream:
        return self._inner.rows(pages_of(self._inner.storage_options))

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[LanceTaskGroup], tuple[_native.LanceTaskGroup]]:
        return type(self), (self._inner,)


class LancePlan(Sequence[LanceTask]):
    """The fragments of a scan, as columns.

    Every fragment of the version is read: manifests have no statistics that could leave one out.

    Examples:
        >>> plan = lance_table.scan().plan_files()
        >>> len(plan) == plan.to_arrow().num_rows
        True
    """

    _inner: _native.LancePlan

    def __init__(self, native: _native.LancePlan) -> None:
        """Use `LanceScan.plan_files`."""
        self._inner = native

    def __len__(self) -> int:
        return len(self._inner)

    @overload
    def __getitem__(self, index: int) -> LanceTask: ...
    @overload
    def __getitem__(self, index: slice) -> list[LanceTask]: ...
    def __getitem__(self, index: int | slice) -> LanceTask | list[LanceTask]:
        if isinstance(index, slice):
            return [self._task(each) for each in range(*index.indices(len(self)))]
        # As a list: an index that is not an integer is a TypeError.
        number = operator.index(index)
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"the plan has {len(self)} fragments: fragment {index} does not exist")
        return self._task(place)

    def __iter__(self) -> Iterator[LanceTask]:
        return map(self._task, range(len(self)))

    def _task(self, place: int) -> LanceTask:
        task = self._inner.task(place)
        files = tuple(
            LanceDataFile(location, version, tuple(fields), size)
            for location, version, fields, size in task.pop("data_files")
        )
        return LanceTask(**task, data_files=files)

    def to_arrow(self) -> pa.Table:
        """The plan's columns: a row for each fragment.

        `fragment_id`, `physical_rows`, `deleted_rows` (null if the manifest does not say it), `data_files` and
        `deletion_file`.

        Returns:
            A `pyarrow.Table`.

        Examples:
            >>> lance_table.scan().plan_files().to_arrow()["deleted_rows"].to_pylist()
            [1, 1, 0]
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        batch = pa.record_batch(cast("Any", self._inner.to_batch()))
        return cast("pa.Table", pa.Table.from_batches([batch]))

    def split(
        self,
        target_size: int | None = None,
        *,
        most_groups: int | None = None,
        least_size: int | None = None,
    ) -> list[LanceTaskGroup]:
        """Splits the plan into groups of about equal size, for workers.

        Groups are in the order of the plan. A large fragment is split by rows.

        Args:
            target_size: The target size of a group, in bytes. By default, 128 MiB.
            most_groups: The number of groups that occupies all workers. There are fewer if they would be smaller than
                `least_size`, more if they would be larger than `target_size`.
            least_size: With `most_groups`, the minimum size of a group, in bytes. By default, 16 MiB.

        Returns:
            The groups, which can be pickled.

        Raises:
            InvalidInputError: A number is less than 1.

        Examples:
            >>> [len(group) for group in lance_table.scan().plan_files().split()]
            [3]
        """
        target = _TARGET_SIZE if target_size is None else checked_size("target_size", target_size, 1)
        least = _LEAST_SIZE if least_size is None else checked_size("least_size", least_size, 1)
        if most_groups is not None:
            share = -(-self._inner.weight // checked_size("most_groups", most_groups, 1))
            target = min(target, max(share, least))
        return [LanceTaskGroup(group) for group in self._inner.split(target)]

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return cast("Any", self.to_arrow()).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"LancePlan({len(self)} fragments)"

    def _repr_html_(self) -> str:
        return facts_html("LancePlan", {"fragments": len(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a LancePlan cannot be pickled: send the groups of LancePlan.split, or the LanceScan")
