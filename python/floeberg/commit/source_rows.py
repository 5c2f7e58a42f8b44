"""Which rows does an upsert or a merge join to the table?

In: rows of any library. Out: the same rows, which are kept for further attempts.

Invariant: a source is read once. What is beyond `FLOEBERG_MEMORY` is in a temporary file, and an
error where the table is encrypted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.column_casts import plain_batch, plain_schema
from floeberg.commit.stored_rows import stored_rows
from floeberg.errors import InvalidInputError
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["SourceRows"]


class SourceRows:
    """Rows of a source, read when they are needed first."""

    def __init__(
        self, data: object, schema: Callable[[], pa.Schema], *, stays_in_memory: bool = False
    ) -> None:
        """Nothing is read yet, but what gives no rows is an error.

        Args:
            data: The rows, as `Table.append` takes them.
            schema: The Arrow schema of the table, for rows that are dicts.
            stays_in_memory: Whether no temporary file may hold the rows: they are for an encrypted table.
        """
        self._data = data
        self._stays_in_memory = stays_in_memory
        self._reader: pa.RecordBatchReader | None = reader_of(data, schema)
        self.schema: pa.Schema = plain_schema(self._reader.schema)
        self._rows: _native.SourceRows | None = None
        names = self.schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInputError(f"the source has two columns {twice!r}")

    def rows(self) -> _native.SourceRows:
        """All rows."""
        if self._rows is None:
            if self._reader is None:
                raise InvalidInputError("the source ended with an error: pass it again")
            reader, self._reader = self._reader, None
            with converted_stream_errors(self._data):
                batches = (plain_batch(batch, self.schema) for batch in reader)
                self._rows = stored_rows(
                    batches, self.schema, _native.source_memory(), stays_in_memory=self._stays_in_memory
                )
        return self._rows
