"""Which operations add columns to a Lance table, or change their types?

In: a version, and what gives the values of new columns. Out: the operation, with a file for each fragment.

Invariant: a file has a row for each row of its fragment. Rows that are deleted get null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.exact_values import converted
from floeberg.commit.new_values import Rows, fitted, values_of_new_column
from floeberg.commit.stored_rows import as_batch
from floeberg.errors import InvalidInputError
from floeberg.lance.committing import Made
from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import ADDRESS, files_of, schema_of_table
from floeberg.lance.rows import FragmentStream
from floeberg.lance.scan import LanceScan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa


__all__ = ["OneFragment", "added_columns", "changed_types", "live_batches"]

Array: TypeAlias = Any
_FEW = 100
Values: TypeAlias = "Callable[[Rows], Array]"


class OneFragment:
    """One of the fragments of a plan."""

    def __init__(self, group: _native.LanceTaskGroup, number: int) -> None:
        self._group = group
        self._number = number

    def __len__(self) -> int:
        return 1

    def open(self, number: int) -> _native.LanceRows:
        """Begins to read it."""
        return self._group.open(self._number + number)

    def __arrow_c_schema__(self) -> object:
        return self._group.__arrow_c_schema__()


def live_batches(
    table: _native.LanceTable, group: _native.LanceTaskGroup, number: int
) -> Iterator[pa.RecordBatch]:
    """The rows of a fragment that are not deleted."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    stream = FragmentStream(OneFragment(group, number), pages_of(table.storage_options))
    while (batch := stream.next_batch()) is not None:
        yield pa.record_batch(cast("Any", batch))


def added_columns(table: _native.LanceTable, columns: object) -> Made:
    """Adds columns: fields of Arrow for columns that are null, or new values by names."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(columns, pa.Field):
        columns = pa.schema([columns])
    elif isinstance(columns, (list, tuple)):
        columns = pa.schema(list(columns))
    if isinstance(columns, pa.Schema):
        none: list[str | None] = [None] * len(columns)
        return Made(_native.LanceOperation.add_columns(table, columns, replaces=none, files=[]))
    if not isinstance(columns, Mapping) or not columns:
        raise InvalidInputError(
            f"columns: expected fields of Arrow, or new values by names, found {type(columns).__name__}"
        )
    values = {name: values_of_new_column(name, value) for name, value in columns.items()}
    empty = Rows(_empty(schema_of_table(table)), {}, case_sensitive=True)
    fields = [
        pa.field(name, _type(name, of(_first_rows(table) if callable(columns[name]) else empty)))
        for name, of in values.items()
    ]
    return _with_files(table, pa.schema(fields), list(values.values()), [None] * len(fields))


def _first_rows(table: _native.LanceTable) -> Rows:
    """A few rows, by which the type of a function's values is known."""
    scan = LanceScan(table.scan(row_filter=("true",), selected_fields=["*"], case_sensitive=True, limit=_FEW))
    schema = schema_of_table(table)
    found = as_batch(scan.to_arrow().select(schema.names).cast(schema))
    return Rows(found, {}, case_sensitive=True)


def changed_types(table: _native.LanceTable, types: Mapping[str, pa.DataType]) -> Made:
    """Gives columns other types, where no value changes."""
    import pyarrow as pa  # noqa: PLC0415

    schema = schema_of_table(table)
    fields, values = [], []
    for name, kind in types.items():
        if name not in schema.names:
            raise InvalidInputError(f"the table has no column {name!r}")
        fields.append(schema.field(name).with_type(kind))
        values.append(_cast(name, kind))
    return _with_files(table, pa.schema(fields), values, list(types))


def _cast(name: str, kind: pa.DataType) -> Values:
    return lambda rows: converted(name, rows.column(name), kind)


def _type(name: str, found: Array) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415

    kind = getattr(found, "type", None)
    if not isinstance(kind, pa.DataType):
        raise InvalidInputError(
            f"the values of {name!r} are of type {type(found).__name__}, expected an Arrow array"
        )
    if pa.types.is_null(kind):
        raise InvalidInputError(f"the new column {name!r} has no type: pass a pyarrow.field to add nulls")
    return kind


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa  # noqa: PLC0415

    return pa.RecordBatch.from_arrays([pa.nulls(0, each.type) for each in schema], schema=schema)


def _with_files(
    table: _native.LanceTable, schema: pa.Schema, values: Sequence[Values], replaces: Sequence[str | None]
) -> Made:
    new = files_of(table)
    columns = schema_of_table(table)
    plan = table.scan(
        row_filter=("true",), selected_fields=["*", ADDRESS], case_sensitive=True, limit=None
    ).plan()
    try:
        # All mistakes but those of single values are found before a file is written.
        if not len(plan):
            operation = _native.LanceOperation.add_columns(table, schema, replaces=list(replaces), files=[])
            return Made(operation, new)
        group, files = plan.whole(), []
        for number, (fragment, rows) in enumerate(table.fragment_rows()):
            live = live_batches(table, group, number)
            made = _column_batch(live, columns, schema, values, rows)
            (file,) = new.write([made], schema, rows_per_file=rows)
            files.append((fragment, file))
        operation = _native.LanceOperation.add_columns(table, schema, replaces=list(replaces), files=files)
    except BaseException:
        new.remove()
        raise
    return Made(operation, new)


def _column_batch(
    live: Iterator[pa.RecordBatch],
    columns: pa.Schema,
    schema: pa.Schema,
    values: Sequence[Values],
    rows: int,
) -> pa.RecordBatch:
    """The new columns of a fragment, for all of its rows."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    places, parts = [], []
    for batch in live:
        old = pa.RecordBatch.from_arrays([batch.column(name) for name in columns.names], schema=columns)
        view = Rows(old, {}, case_sensitive=True)
        made = [
            fitted(field.name, of(view), field, batch.num_rows)
            for field, of in zip(schema, values, strict=True)
        ]
        parts.append(pa.RecordBatch.from_arrays(made, schema=schema))
        places.append(pc.bit_wise_and(batch.column(ADDRESS), pa.scalar(0xFFFFFFFF, pa.uint64())))
    found = pa.Table.from_batches(parts, schema)
    if found.num_rows < rows:
        at = pa.chunked_array(places, pa.uint64()).combine_chunks()
        number = pc.index_in(pa.array(range(rows), pa.uint64()), value_set=at)
        required = [field.name for field in schema if not field.nullable]
        if required:
            raise InvalidInputError(
                f"the required column {required[0]!r} cannot be added: some rows are deleted. Compact the table first"
            )
        found = found.take(number)
    arrays = [column.combine_chunks() for column in found.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
