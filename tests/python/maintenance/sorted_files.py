"""What order are the rows of data files in?"""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq

import floeberg as fb
from maintenance.disk import path_of


def rows_of_files(table: fb.Table, *names: str) -> list[list[tuple[Any, ...]]]:
    """The rows of each file, as they are stored, in the order in which the files were written."""
    found = []
    for task in sorted(table.scan().plan_files(), key=lambda task: task.file.file_path):
        stored = pq.ParquetFile(path_of(task.file.file_path)).read(columns=list(names))
        found.append([tuple(row[name] for name in names) for row in stored.to_pylist()])
    return found


def order_ids(table: fb.Table) -> set[int | None]:
    """The sort orders that files say."""
    return set(table.inspect.files()["sort_order_id"].to_pylist())


def lineage(table: fb.Table, *names: str) -> list[tuple[Any, ...]]:
    """The rows, with their ids and their last changes where they have any, in one order."""
    more = ("_row_id", "_last_updated_sequence_number") if table.format_version > 2 else ()
    found = table.scan(selected_fields=(*names, *more)).to_arrow().to_pylist()
    return sorted((tuple(each.values()) for each in found), key=repr)
