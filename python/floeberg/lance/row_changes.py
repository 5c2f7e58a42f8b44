"""Which operations add, delete and change rows of a Lance table?

In: a version, and what a user wants. Out: the operation, with the data files that it needs.

Invariant: rows are found in one version, which the operation names. New values are converted only where none changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.new_values import Rows, fitted, settings_of
from floeberg.commit.plain_columns import plain_batch, plain_schema
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError
from floeberg.expressions import as_expression
from floeberg.lance.committing import Made
from floeberg.lance.new_files import ROWS_PER_FILE, NewFiles, bytes_of_numbers, conformed
from floeberg.lance.scan import LanceScan
from floeberg.lance.take import taken_rows
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.commit.new_values import NewValue
    from floeberg.commit.source_rows import SourceRows
    from floeberg.expressions import AnyFilter

__all__ = [
    "AppendedRows",
    "addresses_of",
    "deleted",
    "files_of",
    "overwritten",
    "schema_of_table",
    "updated",
    "upserted",
]

Array: TypeAlias = Any
_PIECE = 1 << 16
"""So many rows are written at once."""
ADDRESS = "_rowaddr"
ROW_ID = "_rowid"


def schema_of_table(table: _native.LanceTable) -> pa.Schema:
    """The columns of a version."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return cast("pa.Schema", pa.schema(cast("Any", table)))


def files_of(table: _native.LanceTable) -> NewFiles:
    """New data files of a table, in the version that its files have."""
    # Columns that cannot be written are refused before anything is.
    _native.LanceOperation.append(table, [])
    return NewFiles(table.folder, table.storage_options, cast("str", table.facts()["data_storage_version"]))


def _scan(
    table: _native.LanceTable, row_filter: AnyFilter, columns: Sequence[str], *, case_sensitive: bool = True
) -> LanceScan:
    return LanceScan(
        table.scan(
            row_filter=as_expression(row_filter).as_tree(),
            selected_fields=list(columns),
            case_sensitive=case_sensitive,
            limit=None,
        )
    )


class AppendedRows:
    """Rows that are appended. They are written once, and kept for further attempts."""

    def __init__(self, data: object, rows_per_file: int) -> None:
        self._data = data
        self._rows_per_file = rows_per_file
        self._written: tuple[pa.Schema, NewFiles, list[tuple[str, int, int, bytes]]] | None = None

    def make(self, table: _native.LanceTable) -> Made:
        """The operation on a version."""
        schema = schema_of_table(table)
        if self._written is None:
            new = files_of(table)
            try:
                reader = reader_of(self._data, lambda: schema)
                with converted_stream_errors(self._data):
                    files = new.write(_conformed(reader, schema), schema, rows_per_file=self._rows_per_file)
            except BaseException:
                new.remove()
                raise
            self._written = schema, new, files
        written_for, new, files = self._written
        if not written_for.equals(schema) or (files and not new.locations):
            raise CommitConflictError(
                "the columns of the table were changed meanwhile: append the rows again"
            )
        if not files:
            return Made(None)
        return Made(_native.LanceOperation.append(table, files), new)


def overwritten(
    table: _native.LanceTable, data: object, config: Mapping[str, str], rows_per_file: int
) -> Made:
    """Replaces all rows and columns."""
    new = NewFiles(table.folder, table.storage_options, cast("str", table.facts()["data_storage_version"]))
    reader = reader_of(data, lambda: schema_of_table(table))
    schema = plain_schema(reader.schema)
    # Columns that cannot be written are refused before anything is.
    _native.LanceOperation.overwrite(table, schema, [], config=[])
    try:
        with converted_stream_errors(data):
            batches = (plain_batch(batch, schema) for batch in reader)
            files = new.write(batches, schema, rows_per_file=rows_per_file)
        operation = _native.LanceOperation.overwrite(table, schema, files, config=list(config.items()))
    except BaseException:
        new.remove()
        raise
    return Made(operation, new)


def _conformed(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        yield conformed(batch, schema)


def addresses_of(table: _native.LanceTable, row_filter: AnyFilter, *, case_sensitive: bool) -> Array:
    """The addresses of rows that match a filter."""
    _check_names(table)
    found = _scan(table, row_filter, [ADDRESS], case_sensitive=case_sensitive).to_arrow()
    return found.column(ADDRESS)


def deleted(table: _native.LanceTable, row_filter: AnyFilter, *, case_sensitive: bool) -> Made:
    """Deletes rows that match a filter."""
    addresses = addresses_of(table, row_filter, case_sensitive=case_sensitive)
    if not len(addresses):
        return Made(None)
    operation = _native.LanceOperation.delete(
        str(as_expression(row_filter)), addresses=bytes_of_numbers(addresses)
    )
    return Made(operation, counts={"deleted_rows": len(addresses)})


def _check_names(table: _native.LanceTable) -> None:
    """Checks that no column hides where rows are.

    Raises:
        UnsupportedError: One does.
    """
    for name in (ADDRESS, ROW_ID):
        if name in schema_of_table(table).names:
            raise UnsupportedError(
                f"rows of a table with a column {name!r} cannot be changed: the name is reserved. Rename the column"
            )


class _Moved:
    """Rows that get new values, and where they were."""

    def __init__(self, table: _native.LanceTable) -> None:
        _check_names(table)
        self.is_stable = bool(table.facts()["has_stable_row_ids"])
        self.addresses: list[Array] = []
        self.row_ids: list[Array] = []

    @property
    def columns(self) -> list[str]:
        """The metadata columns to read."""
        return [ADDRESS, ROW_ID] if self.is_stable else [ADDRESS]

    def add(self, batch: Any) -> None:  # noqa: ANN401 - a batch or a table
        self.addresses.append(batch.column(ADDRESS))
        if self.is_stable:
            self.row_ids.append(batch.column(ROW_ID))

    @property
    def rows(self) -> int:
        return sum(len(each) for each in self.addresses)

    def operation(
        self, table: _native.LanceTable, files: list[tuple[str, int, int, bytes]], columns: Sequence[str]
    ) -> _native.LanceOperation:
        addresses = b"".join(bytes_of_numbers(each) for each in self.addresses)
        return _native.LanceOperation.update(table, files, columns=list(columns), addresses=addresses)


def updated(
    table: _native.LanceTable,
    updates: Mapping[str, NewValue],
    row_filter: AnyFilter,
    *,
    case_sensitive: bool,
) -> Made:
    """Sets columns of rows that match a filter."""
    import pyarrow as pa  # noqa: PLC0415

    schema = schema_of_table(table)
    settings = settings_of(updates, schema, case_sensitive=case_sensitive)
    aliases = {f"target.{name}": name for name in schema.names}
    moved, new = _Moved(table), files_of(table)
    scan = _scan(table, row_filter, ["*", *moved.columns], case_sensitive=case_sensitive)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in scan.to_arrow_batch_reader():
            moved.add(batch)
            old = pa.RecordBatch.from_arrays([batch.column(name) for name in schema.names], schema=schema)
            rows = Rows(old, aliases, case_sensitive)
            given = {each.name: each.of(rows, schema.field(each.name)) for each in settings}
            columns = [given.get(name, old.column(name)) for name in schema.names]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    try:
        files = new.write(batches(), schema, row_ids=moved.row_ids)
        if not moved.rows:
            return Made(None)
        operation = moved.operation(table, files, [each.name for each in settings])
    except BaseException:
        new.remove()
        raise
    counts = {"deleted_rows": moved.rows, "updated_rows": moved.rows, "keeps_row_ids": moved.is_stable}
    return Made(operation, new, counts)


def upserted(
    table: _native.LanceTable,
    source: SourceRows,
    keys: Sequence[str],
    *,
    updates: bool,
    inserts: bool,
) -> Made:
    """Updates rows that have the keys of the source, and inserts the others."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    schema = schema_of_table(table)
    rows = _source_table(source, schema, keys)
    moved, new = _Moved(table), files_of(table)
    found = _joined(table, rows, keys, moved.columns)
    every = pa.array(range(rows.num_rows), pa.uint32())
    inserted = rows.filter(pc.invert(pc.is_in(every, value_set=found.column("__row").combine_chunks())))
    if not updates:
        found = found.slice(0, 0)
    count = inserted.num_rows if inserts else 0
    moved.add(found)

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, found.num_rows, _PIECE):
            yield from _with_old_columns(table, schema, rows, found.slice(start, _PIECE))
        for batch in inserted.to_batches(max_chunksize=_PIECE) if inserts else ():
            yield conformed(batch, schema)

    try:
        files = new.write(batches(), schema, row_ids=moved.row_ids)
        if not files:
            return Made(None)
        changed = [name for name in rows.schema.names if name not in keys]
        operation = moved.operation(table, files, changed)
    except BaseException:
        new.remove()
        raise
    counts = {
        "deleted_rows": moved.rows,
        "updated_rows": moved.rows,
        "inserted_rows": count,
        "keeps_row_ids": moved.is_stable and moved.rows > 0,
    }
    return Made(operation, new, counts, inserts_missing_keys=inserts)


def _with_old_columns(
    table: _native.LanceTable, schema: pa.Schema, rows: pa.Table, found: pa.Table
) -> Iterator[pa.RecordBatch]:
    """Rows of the source, with the columns that it lacks as the rows of the table have them."""
    values = rows.take(found.column("__row"))
    missing = [name for name in schema.names if name not in rows.schema.names]
    if missing:
        old = _taken(table, found.column(ADDRESS), missing)
        for name in missing:
            values = values.append_column(schema.field(name), old.column(name))
    for batch in values.select(schema.names).combine_chunks().to_batches():
        yield conformed(batch, schema)


def _source_table(source: SourceRows, schema: pa.Schema, keys: Sequence[str]) -> pa.Table:
    """The rows of the source in the types of the table.

    Raises:
        InvalidInputError: A column is unknown, or keys are missing, null or there twice.
        LimitExceededError: The rows do not fit into memory.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    kept = source.rows()
    rows = kept.reader(kept.schema.names).read_all().combine_chunks()
    _native.check_source_memory(rows.nbytes)
    unknown = [name for name in rows.schema.names if name not in schema.names]
    if unknown:
        raise InvalidInputError(f"the table has no column {unknown[0]!r}")
    for key in keys:
        if key not in schema.names or key not in rows.schema.names:
            side = "table" if key not in schema.names else "source"
            raise InvalidInputError(f"the {side} has no column {key!r} to join by")
    columns = [
        fitted(name, rows.column(name), schema.field(name), rows.num_rows) for name in rows.schema.names
    ]
    made = pa.table(columns, schema=pa.schema([schema.field(name) for name in rows.schema.names]))
    for key in keys:
        if pa.types.is_nested(made.schema.field(key).type):
            raise InvalidInputError(
                f"rows cannot be joined by {key!r}, which is of type {made.schema.field(key).type}: name columns of a "
                "primitive type"
            )
        if made.column(key).null_count:
            raise InvalidInputError(f"a row of the source has no key: {key!r} is null in it")
    counted = _as_keys(made, keys).group_by(list(keys)).aggregate([([], "count_all")])
    if counted.num_rows < made.num_rows:
        twice = counted.filter(pc.greater(counted.column("count_all"), 1)).slice(0, 1)
        shown = ", ".join(f"{key} = {twice.column(key)[0].as_py()!r}" for key in keys)
        raise InvalidInputError(f"more than one row of the source has the key {shown}: keep one of them")
    return made


def _as_keys(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Some columns, where zero has one sign: `-0.0` is the key `0.0`."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    found = rows.select(list(keys))
    for at, field in enumerate(found.schema):
        if pa.types.is_floating(field.type):
            wide = found.column(at).cast(pa.float64())
            found = found.set_column(at, field.name, pc.add(wide, pa.scalar(0.0)))
    return found


def _joined(
    table: _native.LanceTable, rows: pa.Table, keys: Sequence[str], columns: Sequence[str]
) -> pa.Table:
    """Addresses of rows of the table, with the rows of the source that have their keys, in the order of the table."""
    import pyarrow as pa  # noqa: PLC0415

    numbered = _as_keys(rows, keys).append_column("__row", pa.array(range(rows.num_rows), pa.uint32()))
    scan = _scan(table, True, [*keys, *columns])
    parts: list[pa.Table] = []
    waiting: list[pa.RecordBatch] = []
    size = 0
    out = [*columns, "__row"]

    def join() -> None:
        if waiting:
            part = pa.Table.from_batches(waiting)
            part = pa.table(
                [*_as_keys(part, keys).columns, *part.select(columns).columns], names=[*keys, *columns]
            )
            parts.append(part.join(numbered, list(keys), join_type="inner", use_threads=False).select(out))

    for batch in scan.to_arrow_batch_reader():
        waiting.append(batch)
        size += batch.num_rows
        if size >= ROWS_PER_FILE:
            join()
            waiting, size = [], 0
    join()
    empty = pa.schema([*(pa.field(name, pa.uint64()) for name in columns), pa.field("__row", pa.uint32())])
    if not parts:
        return empty.empty_table()
    return pa.concat_tables([part.cast(empty) for part in parts]).sort_by(ADDRESS).combine_chunks()


def _taken(table: _native.LanceTable, addresses: Array, columns: Sequence[str]) -> pa.Table:
    return taken_rows(
        table, row_ids=None, addresses=addresses.to_pylist(), selected_fields=columns, case_sensitive=True
    )
