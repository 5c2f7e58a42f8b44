"""Which operations add columns to a Lance table, or change their types?

In: a version, and what gives the values of new columns. Out: the operation, with a file for each fragment.

Invariant: a file has a row for each row of its fragment. Rows that are deleted get null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.commit.column_casts import plain_schema
from floeberg.commit.new_values import Functions, value_of_new_column
from floeberg.errors import InvalidInputError
from floeberg.lance.committing import Made
from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import schema_of_table
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["added_columns", "changed_types", "is_stream"]


def is_stream(columns: object) -> bool:
    """Whether new columns are rows, which can be read once and are in the order of the table's."""
    import pyarrow as pa  # noqa: PLC0415

    return not isinstance(columns, (pa.Schema, pa.Field, list, tuple, Mapping))


def added_columns(table: _native.LanceTable, columns: object) -> Made:
    """Adds columns: fields of Arrow for columns that are null, new values by names, or rows with nothing else."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(columns, pa.Field):
        columns = pa.schema([columns])
    elif isinstance(columns, (list, tuple)):
        columns = pa.schema(list(columns))
    if isinstance(columns, pa.Schema):
        given = plain_schema(columns, keeps_dictionaries=True)
        return Made(_native.LanceOperation.add_columns(table, given))
    if not isinstance(columns, Mapping):
        return _added_rows(table, columns)
    if not columns:
        raise InvalidInputError("columns: expected new values by names, found none")
    own = schema_of_table(table).names
    functions = Functions(lambda _names: {})
    values = {
        checked_text("columns", name): value_of_new_column(name, value, own, functions)
        for name, value in columns.items()
    }
    pages, each = pages_of(table.storage_options), list(values.values())
    types = _native.lance_column_types(table, pages, list(values), each, functions=functions)
    schema = cast("pa.Schema", pa.schema(cast("Any", types)))
    return _with_files(table, schema, [None] * len(schema), values=each, functions=functions)


def _added_rows(table: _native.LanceTable, data: object) -> Made:
    """Adds the columns of a stream that has a row for each row of the table, in the order of a scan."""
    reader = reader_of(data, lambda: schema_of_table(table))
    names = reader.schema.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInputError(f"columns: two columns are named {twice!r}")
    schema = plain_schema(reader.schema, keeps_dictionaries=True).remove_metadata()
    with converted_stream_errors(data):
        return _with_files(table, schema, [None] * len(schema), reader=reader)


def changed_types(table: _native.LanceTable, types: Mapping[str, pa.DataType]) -> Made:
    """Gives columns other types, where no value changes."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    schema = schema_of_table(table)
    for name in types:
        if name not in schema.names:
            raise InvalidInputError(f"the table has no column {name!r}")
    becomes = pa.schema([schema.field(name).with_type(kind) for name, kind in types.items()])
    values = [_native.NewValue.column(name) for name in types]
    return _with_files(table, becomes, list(types), values=values)


def _with_files(  # noqa: PLR0913 - keywords
    table: _native.LanceTable,
    schema: pa.Schema,
    replaces: Sequence[str | None],
    *,
    values: Sequence[_native.NewValue] = (),
    functions: Functions | None = None,
    reader: pa.RecordBatchReader | None = None,
) -> Made:
    """Writes a file of new columns for each fragment.

    Args:
        table: The version.
        schema: The new columns.
        replaces: The columns whose place they take; `None` for new ones.
        values: What gives them, where they are computed.
        functions: The functions of the user.
        reader: Rows that have them, in the order of a scan.
    """
    operation, files = _native.write_lance_columns(
        table,
        pages_of(table.storage_options),
        schema,
        replaces=list(replaces),
        values=list(values),
        reader=reader,
        functions=functions,
    )
    return Made(operation, files)
