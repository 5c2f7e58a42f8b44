"""Which operations add, delete and change rows of a Lance table?

In: a version, and what a user wants. Out: the operation, with the data files that it needs.

Invariant: rows are found, changed and written by Rust, of one version, which the operation names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.commit.column_casts import plain_schema
from floeberg.errors import CommitConflictError
from floeberg.expressions import as_expression
from floeberg.lance.committing import Made
from floeberg.lance.new_files import ROWS_PER_FILE, Folder, written_rows
from floeberg.lance.pages import pages_of
from floeberg.write.input_rows import reader_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from floeberg.commit.new_values import Assignments, Functions
    from floeberg.expressions import AnyFilter

__all__ = ["AppendedRows", "changed", "check_columns", "deleted", "overwritten", "schema_of_table", "updated"]


def schema_of_table(table: _native.LanceTable) -> pa.Schema:
    """The columns of a version."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return cast("pa.Schema", pa.schema(cast("Any", table)))


def _scan(table: _native.LanceTable, row_filter: AnyFilter, *, case_sensitive: bool) -> _native.LanceScan:
    return table.scan(
        row_filter=as_expression(row_filter).as_tree(),
        selected_fields=["*"],
        case_sensitive=case_sensitive,
        limit=None,
    )


class AppendedRows:
    """Rows that are appended. They are written once, and kept for further attempts."""

    def __init__(self, data: object, rows_per_file: int) -> None:
        self._data = data
        self._rows_per_file = rows_per_file
        self._written: tuple[_native.LanceTable, _native.LanceDataFiles] | None = None

    def make(self, table: _native.LanceTable) -> Made:
        """The operation on a version."""
        if self._written is None:
            # Columns that cannot be written are refused before anything is.
            _native.LanceOperation.append(table, [])
            schema = schema_of_table(table)
            reader = reader_of(self._data, lambda: schema)
            new = written_rows(
                self._data,
                reader,
                schema,
                Folder.of(table),
                rows_per_file=self._rows_per_file,
                of_table=True,
            )
            self._written = table, new
        written_for, new = self._written
        if not len(new):
            return Made(None)
        try:
            check_columns(written_for, table)
            operation = _native.LanceOperation.append(table, new.parts())
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
    reader = reader_of(data, lambda: schema_of_table(table))
    schema = plain_schema(reader.schema, keeps_dictionaries=True)
    # Columns that cannot be written are refused before anything is.
    _native.LanceOperation.overwrite(table, schema, [], config=[])
    new = written_rows(data, reader, schema, Folder.of(table), rows_per_file=rows_per_file, of_table=False)
    try:
        operation = _native.LanceOperation.overwrite(table, schema, new.parts(), config=list(config.items()))
    except BaseException:
        new.remove()
        raise
    return Made(operation, new)


def deleted(
    table: _native.LanceTable, row_filter: AnyFilter, *, case_sensitive: bool, dry_run: bool = False
) -> Made:
    """Deletes rows that match a filter."""
    operation, rows = _native.LanceOperation.delete(
        str(as_expression(row_filter)),
        _scan(table, row_filter, case_sensitive=case_sensitive),
        pages_of(table.storage_options),
    )
    return Made(None if dry_run or not rows else operation, counts={"deleted_rows": rows})


def changed(
    table: _native.LanceTable,
    change: _native.RowChange,
    *,
    scan: _native.LanceScan | None = None,
    functions: Functions | None = None,
    dry_run: bool = False,
) -> tuple[Made, _native.LanceKeys | None]:
    """Changes rows of a version, and writes the new ones.

    Args:
        table: The version.
        change: An update, an upsert, a merge or a feed.
        scan: The rows that an update changes; `None` for those that have a key of a source.
        functions: The functions of the user.
        dry_run: Whether rows are only counted.

    Returns:
        The operation that puts the rows into the table, and the keys of a source of which some may be inserted.
    """
    done = _native.change_lance_rows(
        change,
        table,
        pages_of(table.storage_options),
        scan=scan,
        rows_per_file=None if dry_run else ROWS_PER_FILE,
        functions=functions,
    )
    counts = {
        "deleted_rows": done.deleted_rows,
        "updated_rows": done.updated_rows,
        "inserted_rows": done.inserted_rows,
        "keeps_row_ids": bool(table.facts()["has_stable_row_ids"]) and done.updated_rows > 0,
    }
    return Made(done.operation, done.files, counts), done.keys


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
    update = _native.RowChange.update(
        assignments.of(schema_of_table(table), case_sensitive=case_sensitive), case_sensitive=case_sensitive
    )
    scan = _scan(table, row_filter, case_sensitive=case_sensitive)
    return changed(table, update, scan=scan, functions=functions, dry_run=dry_run)[0]
