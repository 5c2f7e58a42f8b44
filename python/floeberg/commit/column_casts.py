"""How do values become those of a column's type, and columns of a source those that every table can have?

In: arrays and batches of any form of Arrow. Out: the same values in other types.

Invariant: values are converted by Rust alone, where none changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["converted", "one_batch", "plain_batch", "plain_schema"]

Array: TypeAlias = Any


def converted(name: str, values: Array, field: pa.Field[Any]) -> Array:
    """An array in the type of a column.

    Args:
        name: The full name of the column, for errors.
        values: The values.
        field: The type, and whether the column is required.

    Raises:
        InvalidInputError: The type has another meaning, a value would change, or one is null in a required column.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if values.type == field.type and (field.nullable or not values.null_count):
        return values
    given = pa.RecordBatch.from_arrays([values], names=["values"])
    return pa.array(cast("Any", _native.cast_to_column(name, one_batch(given), pa.schema([field]))))


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
