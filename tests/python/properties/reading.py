"""What do a random table and a reading of it hold, in one form that can be compared?"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import floeberg as fb
from properties.metrics import same_bits
from properties.predicates import Filter, holds
from properties.tables import NUMBER, Column, File, Table


def matches(table: Table, file: File, tree: Filter) -> set[int]:
    """The numbers of the rows of a data file that a filter holds for, deleted ones included."""
    columns = table.values(file)
    mask = holds(tree, columns, len(file.rows))
    return set(pc.filter(pa.array(columns[NUMBER.path], pa.int64()), mask).to_pylist())


def rows_of(table: Table, file: File) -> list[dict[str, Any]]:
    """The rows of a data file, as they are compared."""
    columns = {column.path: column for column in table.columns}
    plain = {
        path: [same_bits(value) for value in columns[path].now.plain_array(values).to_pylist()]
        for path, values in table.values(file).items()
    }
    return [{path: values[place] for path, values in plain.items()} for place in range(len(file.rows))]


def read(table: Table, scan: fb.Scan) -> dict[int, dict[str, Any]]:
    """The rows of a scan by number, as they are compared."""
    found = scan.to_arrow()
    columns = {column.path: plain(column, found) for column in table.columns}
    rows = [{path: values[place] for path, values in columns.items()} for place in range(found.num_rows)]
    by_number = {row[NUMBER.path]: row for row in rows}
    assert len(by_number) == len(rows), "a row came out twice"
    return by_number


def plain(column: Column, found: pa.Table) -> list[Any]:
    """A column of a reading, as it is compared."""
    chunks = found.column("st" if column.nested else column.name).chunks
    return [value for chunk in chunks for value in plain_of(column, chunk)]


def plain_of(column: Column, array: pa.Array) -> list[Any]:
    """The same of a chunk."""
    is_there = array.is_valid().to_pylist()
    if column.nested:
        array = array.field(column.name)
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_temporal(array.type):
        array = array.view(column.now.plain)
    values = array.to_pylist()
    return [same_bits(value) if valid else None for value, valid in zip(values, is_there, strict=True)]
