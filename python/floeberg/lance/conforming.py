"""How do rows of any library become rows of a Lance table?

In: batches in any form of Arrow. Out: batches with the columns of the table, in its types.

Invariant: each write of a table takes its rows through here, so that all take the same. Values are converted only where
none changes, and by Rust alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.commit.column_casts import one_batch

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
    if not given.equals(schema):
        _native.check_fits(given, schema)


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

    made = pa.record_batch(cast("Any", _native.conform_batch(one_batch(batch), schema)))
    return cast("pa.RecordBatch", pa.RecordBatch.from_arrays(made.columns, schema=schema))
