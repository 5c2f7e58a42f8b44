"""How do rows of any library become rows of a Lance table?

In: batches in any form of Arrow. Out: batches with the columns of the table, in its types.

Invariant: each write of a table takes its rows through here, so that all take the same. Values are converted only where
none changes, see `exact_values`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.exact_types import field_mismatches
from floeberg.commit.new_values import fitted
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

__all__ = ["check_fits", "conformed", "conformed_batches"]

_PIECE = 1 << 16
"""The number of rows that are converted at once."""


def check_fits(given: pa.Schema, schema: pa.Schema) -> None:
    """Checks whether rows fit the columns of a table, as far as their types say.

    Args:
        given: The columns of the rows.
        schema: Those of the table.

    Raises:
        InvalidInputError: They do not. The error lists every mismatch.
    """
    wrong = [] if given.equals(schema) else field_mismatches(given, schema)
    if wrong:
        raise InvalidInputError(f"the rows do not fit the table: {'; '.join(wrong)}")


def conformed_batches(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows with the columns of a table.

    Raises:
        InvalidInputError: They do not fit, as a whole or a value.
    """
    check_fits(reader.schema, schema)
    for given in reader:
        batch = _native.with_buffers(given)
        size = max(batch.num_rows, 1) if batch.schema.equals(schema) else _PIECE
        for start in range(0, batch.num_rows, size):
            yield conformed(batch.slice(start, size), schema)


def conformed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch with the columns of a table, by their names. Columns that it lacks are null.

    Raises:
        InvalidInputError: It has another column, lacks a required one, or a value does not fit.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    check_fits(batch.schema, schema)
    columns = []
    for each in schema:
        if each.name in batch.schema.names:
            columns.append(fitted(each.name, batch.column(each.name), each, batch.num_rows))
        else:
            columns.append(pa.nulls(batch.num_rows, each.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
