"""How do values become those of a column's type, and columns of a source those that every table can have?

In: arrays and batches of any form of Arrow. Out: the same values in other types.

Invariant: values are converted by Rust alone, where none changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["one_batch", "plain_batch", "plain_schema"]


def plain_schema(schema: pa.Schema, *, keeps_dictionaries: bool = False) -> pa.Schema:
    """The schema with plain types, at every depth: without dictionaries, views, and runs.

    Lists of one length stay where their elements are of one size.

    Args:
        schema: The columns of rows from any library.
        keeps_dictionaries: Whether dictionaries of texts, bytes, numbers and bools stay, as tables have them. Those of
            views become dictionaries of large texts and bytes.
    """
    import pyarrow as pa  # noqa: PLC0415

    return pa.schema(cast("Any", _native.plain_schema(schema, keeps_dictionaries=keeps_dictionaries)))


def plain_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The rows with the types of a plain schema.

    Raises:
        InvalidInputError: A column cannot be converted.
    """
    import pyarrow as pa  # noqa: PLC0415

    if batch.schema.equals(schema):
        return cast("pa.RecordBatch", _native.with_buffers(batch))
    made = pa.record_batch(cast("Any", _native.plain_batch(one_batch(batch), schema)))
    return cast("pa.RecordBatch", pa.RecordBatch.from_arrays(made.columns, schema=schema))


def one_batch(batch: pa.RecordBatch) -> pa.RecordBatchReader:
    """A reader of one batch."""
    import pyarrow as pa  # noqa: PLC0415

    return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(batch.schema, [batch]))
