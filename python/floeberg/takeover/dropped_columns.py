"""Which columns do the files of a Delta table have that it dropped?

In: files of a table with column mapping, which drops columns without writing files again. Out: what they have beyond
its columns, so that they are known to be left out.

Only footers of local files are looked at. A file of an object store with such a column is refused when it is added.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from floeberg import _native
from floeberg.takeover.file_columns import footer_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.takeover.delta_columns import DeltaColumns

__all__ = ["DroppedColumns", "dropped_columns"]

DroppedColumns = dict[int | str, Any]
"""Columns by their field ids, as fields of a schema; and names of columns without ids."""

_FIELD_ID: Final = b"PARQUET:field_id"
_VERSION: Final = 3


def dropped_columns(
    files: Sequence[str], columns: DeltaColumns, options: Mapping[str, str]
) -> DroppedColumns:
    """The columns that files have and the table does not."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    ids = {each.field_id for each in columns.columns}
    names = {each.physical for each in columns.columns}
    found: DroppedColumns = {}
    for file in files:
        if _native.local_path(file) is None:
            continue
        for each in footer_of(file, options):
            text = (each.metadata or {}).get(_FIELD_ID)
            if text is None:
                if each.name not in names:
                    found[each.name] = None
            elif int(text) not in ids and int(text) not in found and not pa.types.is_nested(each.type):
                plain = pa.schema([pa.field(each.name, each.type)])
                kind = json.loads(_native.schema_from_arrow(plain, _VERSION))["fields"][0]["type"]
                found[int(text)] = {"name": each.name, "required": False, "type": kind}
    return found
