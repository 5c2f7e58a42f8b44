"""How do columns of a source become columns that everything can read?

In: dictionaries, views and runs. Out: the same values, each stored by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["plain_batch", "plain_schema"]


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with plain types."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    fields = [each.with_type(_plain(each.type)) for each in schema]
    return pa.schema(fields, metadata=schema.metadata)


def plain_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The rows with the types of a plain schema.

    Raises:
        UnsupportedError: pyarrow cannot convert a column.
    """
    import pyarrow as pa  # noqa: PLC0415

    columns = [_column(column, field) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(column: Any, field: pa.Field[Any]) -> Any:  # noqa: ANN401 - arrays
    import pyarrow as pa  # noqa: PLC0415

    try:
        return _decoded(column, field.type)
    except pa.ArrowException as error:
        raise UnsupportedError(
            f"the column {field.name!r} of the source is of type {column.type}, which is not supported: convert it "
            f"to {field.type}"
        ) from error


def _decoded(column: Any, kind: pa.DataType) -> Any:  # noqa: ANN401 - arrays
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if isinstance(column.type, pa.RunEndEncodedType):
        column = pc.run_end_decode(column)
    if pa.types.is_dictionary(column.type):
        values = _decoded(column.dictionary, kind)
        column = pa.DictionaryArray.from_arrays(column.indices, values).dictionary_decode()
    return column if column.type == kind else column.cast(kind)


def _plain(kind: Any) -> pa.DataType:  # noqa: ANN401, PLR0911 - one return a type
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if types.is_dictionary(kind) or isinstance(kind, pa.RunEndEncodedType):
        return _plain(kind.value_type)
    if types.is_string_view(kind):
        return pa.large_string()
    if types.is_binary_view(kind):
        return pa.large_binary()
    if types.is_struct(kind):
        return pa.struct([each.with_type(_plain(each.type)) for each in kind])
    if types.is_map(kind):
        key, item = (each.with_type(_plain(each.type)) for each in (kind.key_field, kind.item_field))
        return pa.map_(key, item, kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(_plain(kind.value_type)), kind.list_size)
    if types.is_list(kind) or types.is_list_view(kind):
        return pa.list_(kind.value_field.with_type(_plain(kind.value_type)))
    if types.is_large_list(kind) or types.is_large_list_view(kind):
        return pa.large_list(kind.value_field.with_type(_plain(kind.value_type)))
    return kind
