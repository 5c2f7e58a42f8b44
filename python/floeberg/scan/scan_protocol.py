"""What does the reading for other engines ask of a scan?

In: nothing. Out: a protocol that `Scan` has. It keeps the modules that a scan uses from importing the scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing_extensions import Self

    from floeberg import _native
    from floeberg.expressions import AnyFilter
    from floeberg.scan.rows import BatchStream
    from floeberg.types import Schema

__all__ = ["PlannedScan"]


class PlannedScan(Protocol):
    """A scan of an Iceberg table."""

    @property
    def _inner(self) -> _native.Scan: ...
    def projection(self) -> Schema: ...
    def filter(self, row_filter: AnyFilter) -> Self: ...
    def select(self, *field_names: str) -> Self: ...
    def count(self) -> int: ...
    def _open(self) -> BatchStream: ...
    def _open_first(self, rows: int) -> BatchStream: ...
    def _row_limit(self) -> int | None: ...
    def __arrow_c_schema__(self) -> object: ...
