"""What does the reading for other engines ask of a scan?

In: nothing. Out: a protocol that `Scan` has, which keeps the modules that a scan uses from importing the scan; and who
may read its files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, cast

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from typing_extensions import Self

    from floeberg import _native
    from floeberg.expressions import AnyFilter
    from floeberg.scan.batch_stream import BatchStream
    from floeberg.types import Schema

__all__ = ["PlannedScan", "Reader", "checked_reader"]

Reader: TypeAlias = Literal["auto", "native", "arrow"]
"""Who reads files for an engine: the engine or Floeberg, for each file; the engine; Floeberg."""
_READERS = ("auto", "native", "arrow")


def checked_reader(reader: str) -> Reader:
    """Checks the name of a reader.

    Raises:
        InvalidInputError: There is no such reader.
    """
    if reader not in _READERS:
        raise InvalidInputError(f"reader: expected one of {', '.join(map(repr, _READERS))}, found {reader!r}")
    return cast("Reader", reader)


class PlannedScan(Protocol):
    """A scan of an Iceberg table."""

    @property
    def _inner(self) -> _native.Scan: ...
    def projection(self) -> Schema:
        """The columns that are read."""
        ...

    def filter(self, row_filter: AnyFilter) -> Self:
        """Adds a filter."""
        ...

    def select(self, *field_names: str) -> Self:
        """Reads these columns."""
        ...

    def count(self) -> int:
        """Counts the rows."""
        ...

    def _open(self) -> BatchStream: ...
    def _open_first(self, rows: int) -> BatchStream: ...
    def _row_limit(self) -> int | None: ...
    def __arrow_c_schema__(self) -> object: ...
