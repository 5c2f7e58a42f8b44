"""Which operations add columns to a Lance table, or change their types?

In: a version, and what gives the values of new columns. Out: the operation, with a file for each fragment.

Invariant: a file has a row for each row of its fragment. Rows that are deleted get null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.commit.column_casts import converted, one_batch, plain_batch, plain_schema
from floeberg.commit.new_values import Functions, value_of_new_column
from floeberg.errors import InvalidInputError
from floeberg.lance.committing import Made
from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import ADDRESS, files_of, schema_of_table
from floeberg.lance.rows import batches_in
from floeberg.lance.scan import LanceScan
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa


__all__ = ["added_columns", "changed_types", "is_stream", "live_batches"]

Array: TypeAlias = Any
_FEW = 100
Values: TypeAlias = "Callable[[pa.RecordBatch], Sequence[Array]]"
"""Gives the new columns of live rows, in their order."""


def live_batches(
    table: _native.LanceTable, group: _native.LanceTaskGroup, number: int
) -> Iterator[pa.RecordBatch]:
    """The rows of a fragment that are not deleted."""
    return batches_in(group.rows(pages_of(table.storage_options), part=number))


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
        none: list[str | None] = [None] * len(given)
        return Made(_native.LanceOperation.add_columns(table, given, replaces=none, files=[]))
    if not isinstance(columns, Mapping):
        return _added_rows(table, columns)
    if not columns:
        raise InvalidInputError("columns: expected new values by names, found none")
    own = schema_of_table(table)
    functions = Functions(lambda _names: {})
    values = {
        checked_text("columns", name): value_of_new_column(name, value, own.names, functions)
        for name, value in columns.items()
    }
    empty, some = _empty(own), _first_rows(table) if any(map(callable, columns.values())) else None
    found = pa.schema(
        [
            pa.field(
                name,
                _type(
                    name, value, some if some is not None and callable(columns[name]) else empty, functions
                ),
            )
            for name, value in values.items()
        ]
    )
    schema = plain_schema(found, keeps_dictionaries=True)
    return _with_files(
        table, schema, _values_by_row(own, schema, list(values.values()), functions), [None] * len(schema)
    )


def _added_rows(table: _native.LanceTable, data: object) -> Made:
    """Adds the columns of a stream that has a row for each row of the table, in the order of a scan."""
    reader = reader_of(data, lambda: _empty(schema_of_table(table)).schema)
    rows = _RowByRow(reader)
    with converted_stream_errors(data):
        none: list[str | None] = [None] * len(rows.schema)
        return _with_files(table, rows.schema, rows, none, selected=[ADDRESS], is_over=rows.check_is_over)


class _RowByRow:
    """Rows of a stream, as many at a time as are asked for."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        names = reader.schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInputError(f"columns: two columns are named {twice!r}")
        self.schema = plain_schema(reader.schema, keeps_dictionaries=True).remove_metadata()
        self._batches = (plain_batch(batch, self.schema) for batch in reader)
        self._rest: pa.RecordBatch | None = None
        self._taken = 0

    def __call__(self, batch: pa.RecordBatch) -> Sequence[Array]:
        """The next rows, one for each row of a batch.

        Raises:
            InvalidInputError: The rows end before.
        """
        import pyarrow as pa  # noqa: PLC0415

        parts, missing = [], batch.num_rows
        while missing:
            rest = self._next()
            if rest is None:
                raise InvalidInputError(
                    f"columns: expected a row for each row of the table, found only {self._taken}"
                )
            part, self._rest = rest.slice(0, missing), rest.slice(missing)
            self._taken += part.num_rows
            missing -= part.num_rows
            parts.append(part)
        found = pa.Table.from_batches(parts, self.schema)
        return [
            converted(field.name, column.combine_chunks(), field)
            for field, column in zip(self.schema, found.columns, strict=True)
        ]

    def check_is_over(self) -> None:
        """Raises `InvalidInputError` where there are more rows."""
        if self._next() is not None:
            raise InvalidInputError(
                f"columns: expected a row for each of the {self._taken} rows of the table, found more"
            )

    def _next(self) -> pa.RecordBatch | None:
        """What is left of the batch, or another one that has rows."""
        while self._rest is None or not self._rest.num_rows:
            self._rest = next(self._batches, None)
            if self._rest is None:
                break
        return self._rest


def _values_by_row(
    own: pa.Schema, schema: pa.Schema, values: Sequence[_native.NewValue], functions: Functions | None
) -> Values:
    """New columns that are computed of the columns that are there."""
    import pyarrow as pa  # noqa: PLC0415

    def of(batch: pa.RecordBatch) -> Sequence[Array]:
        old = pa.RecordBatch.from_arrays([batch.column(name) for name in own.names], schema=own)
        made = _native.computed_columns(list(values), one_batch(old), schema=schema, functions=functions)
        return pa.record_batch(cast("Any", made)).columns

    return of


def _first_rows(table: _native.LanceTable) -> pa.RecordBatch:
    """A few rows, by which the type of a function's values is known."""
    scan = LanceScan(table.scan(row_filter=("true",), selected_fields=["*"], case_sensitive=True, limit=_FEW))
    schema = schema_of_table(table)
    found = scan.to_arrow().select(schema.names).cast(schema).combine_chunks().to_batches()
    return found[0] if found else cast("pa.RecordBatch", _empty(schema))


def changed_types(table: _native.LanceTable, types: Mapping[str, pa.DataType]) -> Made:
    """Gives columns other types, where no value changes."""
    import pyarrow as pa  # noqa: PLC0415

    schema = schema_of_table(table)
    fields, values = [], []
    for name, kind in types.items():
        if name not in schema.names:
            raise InvalidInputError(f"the table has no column {name!r}")
        fields.append(schema.field(name).with_type(kind))
        values.append(_native.NewValue.column(name))
    becomes = pa.schema(fields)
    return _with_files(table, becomes, _values_by_row(schema, becomes, values, None), list(types))


def _type(name: str, value: _native.NewValue, rows: pa.RecordBatch, functions: Functions) -> pa.DataType:
    """The type of the values of a new column.

    Raises:
        InvalidInputError: It has none.
    """
    import pyarrow as pa  # noqa: PLC0415

    made = _native.computed_columns([value], one_batch(rows), schema=None, functions=functions)
    kind = cast("pa.DataType", pa.record_batch(cast("Any", made)).column(0).type)
    if pa.types.is_null(kind):
        raise InvalidInputError(f"the new column {name!r} has no type: pass a pyarrow.field to add nulls")
    return kind


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa  # noqa: PLC0415

    return pa.RecordBatch.from_arrays([pa.nulls(0, each.type) for each in schema], schema=schema)


def _with_files(  # noqa: PLR0913 - keywords
    table: _native.LanceTable,
    schema: pa.Schema,
    values: Values,
    replaces: Sequence[str | None],
    *,
    selected: Sequence[str] = ("*", ADDRESS),
    is_over: Callable[[], None] = lambda: None,
) -> Made:
    """Writes a file of new columns for each fragment.

    Args:
        table: The version.
        schema: The new columns.
        values: What gives them.
        replaces: The columns whose place they take; `None` for new ones.
        selected: What `values` needs of each row, its address among it.
        is_over: Raises where `values` has more.
    """
    new = files_of(table)
    plan = table.scan(
        row_filter=("true",), selected_fields=list(selected), case_sensitive=True, limit=None
    ).plan()
    try:
        # All mistakes but those of single values are found before a file is written.
        if not len(plan):
            is_over()
            operation = _native.LanceOperation.add_columns(table, schema, replaces=list(replaces), files=[])
            return Made(operation, new)
        group, files = plan.whole(), []
        for number, (fragment, rows) in enumerate(table.fragment_rows()):
            made = _column_batch(live_batches(table, group, number), schema, values, rows)
            (file,) = new.write([made], schema, rows_per_file=rows)
            files.append((fragment, file))
        is_over()
        operation = _native.LanceOperation.add_columns(table, schema, replaces=list(replaces), files=files)
    except BaseException:
        new.remove()
        raise
    return Made(operation, new)


def _column_batch(
    live: Iterator[pa.RecordBatch], schema: pa.Schema, values: Values, rows: int
) -> pa.RecordBatch:
    """The new columns of a fragment, for all of its rows."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    places, parts = [], []
    for batch in live:
        parts.append(pa.RecordBatch.from_arrays(list(values(batch)), schema=schema))
        places.append(pc.bit_wise_and(batch.column(ADDRESS), pa.scalar(0xFFFFFFFF, pa.uint64())))
    found = pa.Table.from_batches(parts, schema)
    if found.num_rows < rows:
        at = pa.chunked_array(places, pa.uint64()).combine_chunks()
        every = pc.indices_nonzero(pa.repeat(pa.scalar(True), rows))
        number = pc.index_in(every, value_set=at)
        required = [field.name for field in schema if not field.nullable]
        if required:
            raise InvalidInputError(
                f"the required column {required[0]!r} cannot be added: some rows are deleted. Compact the table first"
            )
        found = found.take(number)
    arrays = [column.combine_chunks() for column in found.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
