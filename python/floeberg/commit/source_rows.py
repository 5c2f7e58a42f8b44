"""Which rows does an upsert or a merge join to the table?

In: rows of any library. Out: one table in memory, which is kept for further attempts.

Invariant: a source that is larger than `FLOEBERG_MEMORY` is an error before it takes more. It is read once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg import _native
from floeberg.commit.plain_columns import plain_batch, plain_schema
from floeberg.errors import InvalidInputError
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

__all__ = ["PIECE", "SourceRows", "pieces"]

Array: TypeAlias = Any
PIECE = 1 << 16
"""So many rows are inserted at once."""


class SourceRows:
    """Rows of a source, read when they are needed first."""

    def __init__(self, data: object, schema: Callable[[], pa.Schema]) -> None:
        """Nothing is read yet, but what gives no rows is an error.

        Args:
            data: The rows, as `Table.append` takes them.
            schema: The Arrow schema of the table, for rows that are dicts.
        """
        self._data = data
        self._reader: pa.RecordBatchReader | None = reader_of(data, schema)
        self.schema: pa.Schema = plain_schema(self._reader.schema)
        self._rows: pa.Table | None = None
        names = self.schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInputError(f"the source has two columns {twice!r}")

    def rows(self) -> pa.Table:
        """All rows."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        if self._rows is None:
            if self._reader is None:
                raise InvalidInputError("the source ended with an error: pass it again")
            reader, self._reader = self._reader, None
            with converted_stream_errors(self._data):
                self._rows = pa.Table.from_batches(_bounded(reader, self.schema), self.schema)
        return self._rows


def _bounded(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    size = 0
    for batch in reader:
        _native.check_source_memory(size + batch.nbytes)
        plain = plain_batch(batch, schema)
        size += plain.nbytes
        _native.check_source_memory(size)
        yield plain


def pieces(rows: Array) -> Iterator[Array]:
    """Numbers of rows, some at a time."""
    for start in range(0, len(rows), PIECE):
        yield rows.slice(start, PIECE)
