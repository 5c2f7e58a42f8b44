"""How do new rows become data files?

In: rows from any library. Out: data files that no version names yet.

Invariant: a file is on the disk, with its name, before anything is committed. A write that fails leaves no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg.lance.pages import pages_of
from floeberg.write.input_rows import converted_stream_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["ROWS_PER_FILE", "Folder", "written_rows"]

ROWS_PER_FILE = 1 << 20
"""The most rows of a new fragment."""


class Folder:
    """Where new data files go.

    Args:
        folder: The folder of the table or of its branch.
        storage_options: The options of its storage.
        version: The version of data files, such as `2.2`.
    """

    def __init__(self, folder: str, storage_options: Mapping[str, str], version: str) -> None:
        self.folder = folder
        self.storage_options = dict(storage_options)
        self.version = version

    @classmethod
    def of(cls, table: _native.LanceTable) -> Folder:
        """Where files of a table go, in the version that its files have."""
        version = cast("str", table.facts()["data_storage_version"])
        return cls(table.folder, table.storage_options, version)


def written_rows(  # noqa: PLR0913 - keywords
    data: object,
    reader: pa.RecordBatchReader,
    schema: pa.Schema,
    folder: Folder,
    *,
    rows_per_file: int,
    of_table: bool,
) -> _native.LanceDataFiles:
    """Writes rows to as many files as they need.

    Args:
        data: What the rows were given as, for errors.
        reader: The rows.
        schema: The columns of the files.
        folder: Where they go.
        rows_per_file: The most rows of a file.
        of_table: Whether the columns are those of a table, of which rows may lack some; otherwise they are the rows'
            own, in plain types.

    Raises:
        InvalidInputError: The rows do not fit the columns.
    """
    with converted_stream_errors(data):
        return _native.write_lance_rows(
            reader,
            schema,
            pages_of(folder.storage_options),
            folder=folder.folder.rstrip("/"),
            storage_options=folder.storage_options,
            data_storage_version=folder.version,
            rows_per_file=rows_per_file,
            of_table=of_table,
        )
