"""Which operations add, delete and change rows of a Lance table?

In: a version, and what a user wants. Out: the operation, with the data files that it needs.

Invariant: rows are found in one version, which the operation names. New values are converted only where none changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.column_casts import one_batch, plain_batch, plain_schema
from floeberg.errors import CommitConflictError, UnsupportedError
from floeberg.expressions import as_expression
from floeberg.lance.committing import Made
from floeberg.lance.conforming import conformed_batches
from floeberg.lance.new_files import NewFiles, bytes_of_numbers
from floeberg.lance.scan import LanceScan
from floeberg.write.input_rows import converted_stream_errors, reader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.commit.new_values import Assignments, Functions
    from floeberg.expressions import AnyFilter
    from floeberg.lance.committing import InsertedKeys

__all__ = [
    "AppendedRows",
    "LanceDeltaWriter",
    "addresses_of",
    "check_columns",
    "deleted",
    "files_of",
    "overwritten",
    "schema_of_table",
    "updated",
]

Array: TypeAlias = Any
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
        self._written: tuple[_native.LanceTable, NewFiles, list[tuple[str, int, int, bytes]]] | None = None

    def make(self, table: _native.LanceTable) -> Made:
        """The operation on a version."""
        schema = schema_of_table(table)
        if self._written is None:
            new = files_of(table)
            try:
                reader = reader_of(self._data, lambda: schema)
                with converted_stream_errors(self._data):
                    batches = conformed_batches(reader, schema)
                    files = new.write(batches, schema, rows_per_file=self._rows_per_file)
            except BaseException:
                new.remove()
                raise
            self._written = table, new, files
        written_for, new, files = self._written
        if not files:
            return Made(None)
        try:
            check_columns(written_for, table)
            operation = _native.LanceOperation.append(table, files)
        except BaseException:
            new.remove()
            raise
        return Made(operation, new, keeps_files=True)


def check_columns(
    before: _native.LanceTable, table: _native.LanceTable, written: pa.Schema | None = None
) -> None:
    """Checks that a version has the columns that files of rows were written for.

    Args:
        before: The version that they were written for.
        table: The version.
        written: The columns of the files, if these are not those of the version before.

    Raises:
        CommitConflictError: It has others, or a column was replaced by another one of its name.
    """
    was = schema_of_table(before) if written is None else written
    schema = schema_of_table(table)
    replaced = [] if table is before else table.incomparable_columns(before)
    if was.equals(schema) and not replaced:
        return
    names = dict.fromkeys([*was.names, *schema.names])
    changed = [name for name in names if name in replaced or _fields(was, name) != _fields(schema, name)]
    what = f"of {', '.join(map(repr, changed))}" if changed else "in their order"
    again = "append" if written is None else "write"
    raise CommitConflictError(
        f"the columns of the table were changed meanwhile, {what}: {again} the rows again"
    )


def _fields(schema: pa.Schema, name: str) -> list[pa.Field]:
    return [each for each in schema if each.name == name]


def overwritten(
    table: _native.LanceTable, data: object, config: Mapping[str, str], rows_per_file: int
) -> Made:
    """Replaces all rows and columns."""
    new = NewFiles(table.folder, table.storage_options, cast("str", table.facts()["data_storage_version"]))
    reader = reader_of(data, lambda: schema_of_table(table))
    schema = plain_schema(reader.schema, keeps_dictionaries=True)
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


def addresses_of(table: _native.LanceTable, row_filter: AnyFilter, *, case_sensitive: bool) -> Array:
    """The addresses of rows that match a filter."""
    _check_names(table)
    found = _scan(table, row_filter, [ADDRESS], case_sensitive=case_sensitive).to_arrow()
    return found.column(ADDRESS)


def deleted(
    table: _native.LanceTable, row_filter: AnyFilter, *, case_sensitive: bool, dry_run: bool = False
) -> Made:
    """Deletes rows that match a filter."""
    addresses = addresses_of(table, row_filter, case_sensitive=case_sensitive)
    if dry_run or not len(addresses):
        return Made(None, counts={"deleted_rows": len(addresses)})
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


class LanceDeltaWriter:
    """Writes the rows that a change makes, and collects where the rows were that they replace.

    Batches of rows of the table have its columns, their addresses, and with stable row ids their ids.
    """

    def __init__(self, table: _native.LanceTable, *, counts_only: bool = False) -> None:
        """Of one operation on a version.

        Args:
            table: The version.
            counts_only: Whether nothing is written.
        """
        _check_names(table)
        self._table = table
        self._counts_only = counts_only
        self._files = files_of(table)
        self._addresses: list[Array] = []
        self._row_ids: list[Array] = []
        self.is_stable = bool(table.facts()["has_stable_row_ids"])
        self.schema = schema_of_table(table)
        self.deleted_rows = self.updated_rows = self.inserted_rows = 0

    @property
    def position_columns(self) -> list[str]:
        """The columns that say where rows are."""
        return [ADDRESS, ROW_ID] if self.is_stable else [ADDRESS]

    def changed(
        self,
        changer: _native.RowChanger,
        found: Iterable[pa.RecordBatch],
        unmatched: Callable[[], _native.Column] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """New rows: those that replace others come before inserted ones.

        Args:
            changer: The change.
            found: Rows of the table, with their positions, and the numbers of their rows of a source.
            unmatched: The rows of the source whose keys no row has. It is asked last.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        for batch in found:
            rows, addresses, replaced, row_ids = changer.apply(one_batch(batch))
            self._addresses.append(pa.array(cast("Any", addresses)))
            self.deleted_rows += len(self._addresses[-1])
            self.updated_rows += replaced
            if self.is_stable:
                self._row_ids.append(pa.array(cast("Any", row_ids)))
            yield pa.record_batch(cast("Any", rows))
        if unmatched is None or not changer.inserts:
            return
        new = pa.RecordBatch.from_arrays([pa.array(cast("Any", unmatched()))], names=["row"])
        for rows_of_source in changer.inserted(one_batch(new)):
            for made in pa.table(cast("Any", changer.inserted_rows(rows_of_source))).to_batches():
                self.inserted_rows += made.num_rows
                yield made

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        columns: Sequence[str],
        inserted_keys: InsertedKeys | None = None,
    ) -> Made:
        """Writes rows while they are made.

        Args:
            batches: The rows that this made.
            columns: The columns that have new values.
            inserted_keys: Whether rows have keys that were missing.

        Returns:
            The operation that puts the rows into the table.
        """
        try:
            some = (batch for batch in batches if batch.num_rows)
            if self._counts_only:
                for _ in some:
                    pass
                return Made(None, None, self._counts())
            files = self._files.write(some, self.schema, row_ids=self._row_ids)
            if not files and not self.deleted_rows:
                return Made(None, None, self._counts(), inserted_keys=inserted_keys)
            operation = _native.LanceOperation.update(
                self._table,
                files,
                columns=list(columns),
                addresses=b"".join(bytes_of_numbers(each) for each in self._addresses),
            )
        except BaseException:
            self._files.remove()
            raise
        keys = inserted_keys if self.inserted_rows else None
        return Made(operation, self._files, self._counts(), inserted_keys=keys)

    def _counts(self) -> dict[str, Any]:
        return {
            "deleted_rows": self.deleted_rows,
            "updated_rows": self.updated_rows,
            "inserted_rows": self.inserted_rows,
            "keeps_row_ids": self.is_stable and self.updated_rows > 0,
        }


def updated(  # noqa: PLR0913 - keywords
    table: _native.LanceTable,
    assignments: Assignments,
    row_filter: AnyFilter,
    *,
    functions: Functions,
    case_sensitive: bool,
    dry_run: bool = False,
) -> Made:
    """Sets columns of rows that match a filter."""
    writer = LanceDeltaWriter(table, counts_only=dry_run)
    schema = writer.schema
    every = [*schema.names, *writer.position_columns]
    update = _native.RowChange.update(
        assignments.of(schema, case_sensitive=case_sensitive), case_sensitive=case_sensitive
    )
    changer = _native.RowChanger.of(update, schema, functions=functions)
    scan = _scan(table, row_filter, ["*", *writer.position_columns], case_sensitive=case_sensitive)
    found = (batch.select(every) for batch in scan.to_arrow_batch_reader())
    return writer.write(writer.changed(changer, found), changer.updated_columns)
