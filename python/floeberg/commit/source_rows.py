"""Which rows does an upsert or a merge join to the table?

In: rows of any library. Out: the same rows, which are kept for further attempts.

Invariant: a source is read once. What is beyond `FLOEBERG_MEMORY` is in a temporary file.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.commit.plain_columns import plain_batch, plain_schema
from floeberg.commit.stored_rows import StoredRows, as_batch, one_batch
from floeberg.errors import FloebergError, InvalidInputError
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

__all__ = ["SourceRows", "conformed_source"]


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
        self._rows: StoredRows | None = None
        names = self.schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInputError(f"the source has two columns {twice!r}")

    def rows(self) -> StoredRows:
        """All rows."""
        if self._rows is None:
            if self._reader is None:
                raise InvalidInputError("the source ended with an error: pass it again")
            reader, self._reader = self._reader, None
            with converted_stream_errors(self._data):
                batches = (plain_batch(_native.with_buffers(batch), self.schema) for batch in reader)
                self._rows = StoredRows.of(batches, self.schema, _native.source_memory())
        return self._rows


def conformed_source(
    recipe: _native.WriteRecipe, batches: Iterable[pa.RecordBatch], columns: Mapping[str, str]
) -> StoredRows:
    """The columns of a source, by the names and in the types of the table.

    Args:
        recipe: The recipe of the table.
        batches: The rows, in at least one batch.
        columns: The columns of the source, by their names in the table.

    Raises:
        InvalidInputError: A value does not fit its column. The error names the column and the row.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    names = list(columns)

    def conformed() -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in batches:
            some = batch.select(list(columns.values()))
            fields = [field.with_name(name) for field, name in zip(some.schema, names, strict=True)]
            renamed = pa.RecordBatch.from_arrays(some.columns, schema=pa.schema(fields))
            try:
                made = recipe.conform(one_batch(renamed), columns=names)
            except FloebergError as error:
                raise _at_row(error, rows) from error
            yield as_batch(pa.table(cast("Any", made)))
            rows += batch.num_rows

    found = conformed()
    first = next(found)
    return StoredRows.of(chain([first], found), first.schema, _native.source_memory())


def _at_row(error: FloebergError, first: int) -> FloebergError:
    """An error of a batch, of which the first row has a number."""
    row = error.context.get("row", "")
    if not row.isdecimal():
        return error
    return type(error)(error.message, context={**error.context, "row": str(int(row) + first)})
