"""How are some files of a scan read as if they were all of them?

In: a scan, and the files by their locations. Out: a scan of these files, which can be narrowed as the scan itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floeberg import _native
    from floeberg.expressions import AnyFilter
    from floeberg.scan.batch_stream import BatchStream
    from floeberg.scan.scan_protocol import PlannedScan

__all__ = ["SomeFiles", "stream_of"]

_LARGEST = (1 << 62) - 1


class SomeFiles:
    """Some files of a scan. It can be pickled, as the scan can."""

    def __init__(self, scan: PlannedScan, locations: frozenset[str]) -> None:
        """Takes the files.

        Args:
            scan: The scan. It has no limit.
            locations: The files, by the column `location` of the plan.
        """
        self._scan, self._locations = scan, locations

    @property
    def _inner(self) -> _native.Scan:
        return self._scan._inner  # noqa: SLF001 - the package's own

    def filter(self, row_filter: AnyFilter) -> SomeFiles:
        """The same files, of which fewer may be read."""
        return SomeFiles(self._scan.filter(row_filter), self._locations)

    def select(self, *field_names: str) -> SomeFiles:
        """The same files, of which fewer columns are read."""
        return SomeFiles(self._scan.select(*field_names), self._locations)

    def count(self) -> int:
        """Counts the rows, by reading a column."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        stream, rows = self._open(), 0
        while (batch := stream.next_batch()) is not None:
            rows += pa.record_batch(_any(batch)).num_rows
        return rows

    def _open(self) -> BatchStream:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        plan = self._inner.plan()
        is_taken = pc.is_in(pa.table(_any(plan))["location"], pa.array(sorted(self._locations), pa.string()))
        return stream_of(plan, pc.indices_nonzero(is_taken).to_pylist())

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"{len(self._locations)} files of {self._scan!r}"


class _NoRows:
    """A stream that has ended."""

    def next_batch(self) -> None:
        """Nothing."""


def stream_of(plan: _native.Plan, numbers: list[int]) -> BatchStream:
    """Begins to read some files of a plan, by their numbers."""
    if not numbers:
        return _NoRows()
    (group,) = plan.only(numbers).split(target_size=_LARGEST, most_groups=1)
    return group.stream()


def _any(value: object) -> Any:  # noqa: ANN401 - pyarrow has no types
    return value
