"""How do new rows become data files?

In: batches with the columns of a table. Out: data files that no version names yet.

Invariant: a file is on the disk, with its name, before anything is committed. Whoever writes files removes them where
no version can name them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg._folder_errors import folder_errors
from floeberg.commit.column_casts import one_batch
from floeberg.errors import FloebergError
from floeberg.lance.pages import writer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.lance.pages import PageWriter

__all__ = ["ROWS_PER_FILE", "NewFiles", "bytes_of_numbers"]

Array: TypeAlias = Any
ROWS_PER_FILE = 1 << 20
"""The most rows of a new fragment."""


@dataclass
class NewFiles:
    """Data files of one attempt.

    Args:
        folder: The folder of the table or of its branch.
        storage_options: The options of its storage.
        version: The version of data files, such as `2.2`.
    """

    folder: str
    storage_options: Mapping[str, str]
    version: str
    locations: list[str] = field(default_factory=list)
    rows: int = 0
    size_bytes: int = 0

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        *,
        row_ids: Sequence[Array] = (),
        rows_per_file: int = ROWS_PER_FILE,
    ) -> list[tuple[str, int, int, bytes]]:
        """Writes rows to as many files as they need.

        Args:
            batches: The rows.
            schema: Their columns.
            row_ids: The stable ids of the first rows; a list that may grow while batches are read.
            rows_per_file: The most rows of a file.

        Returns:
            Name, rows, bytes and row ids of each file.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        files: list[tuple[str, int, int]] = []
        writer: PageWriter | None = None
        name, rows = "", 0
        try:
            for given in _cut(batches, schema, rows_per_file):
                # pylance believes what it is given, and panics over structs that begin behind their first row.
                batch = pa.record_batch(cast("Any", _native.checked_batch(one_batch(given))))
                if writer is None:
                    name, rows = _native.lance_data_file_name(), 0
                    writer = self._open(name, schema)
                writer.write_batch(batch)
                rows += batch.num_rows
                if rows == rows_per_file:
                    files.append((name, rows, self._finish(writer, name)))
                    writer = None
            if writer is not None:
                files.append((name, rows, self._finish(writer, name)))
                writer = None
        finally:
            if writer is not None:
                with suppress(Exception):
                    writer.abandon()
        self.rows += sum(rows for _, rows, _ in files)
        self.size_bytes += sum(size for _, _, size in files)
        return _with_ids(files, row_ids)

    def remove(self) -> None:
        """Removes the files. What cannot be removed stays, and harms nobody."""
        if self.locations:
            with suppress(FloebergError):
                _native.remove_lance_files(self.locations, storage_options=dict(self.storage_options))
        self.locations = []

    def _location(self, name: str) -> str:
        return f"{self.folder.rstrip('/')}/data/{name}"

    def _open(self, name: str, schema: pa.Schema) -> PageWriter:
        location = self._location(name)
        self.locations.append(location)
        if (local := _native.local_path(location)) is not None:
            with folder_errors(location):
                Path(local).parent.mkdir(parents=True, exist_ok=True)
        return writer_of(location, schema, self.version, self.storage_options)

    def _finish(self, writer: PageWriter, name: str) -> int:
        size = writer.finish()
        if (local := _native.local_path(self._location(name))) is not None:
            for path in (Path(local), Path(local).parent, Path(local).parent.parent):
                _sync(path)
        return size


def _sync(path: Path) -> None:
    """Makes a file or the names in a folder durable."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cut(batches: Iterable[pa.RecordBatch], schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch]:
    """The batches, cut so that files end between two of them, with the metadata of the schema."""
    import pyarrow as pa  # noqa: PLC0415

    room = most
    for given in batches:
        batch = given
        if not given.schema.equals(schema, check_metadata=True):
            batch = pa.RecordBatch.from_arrays(given.columns, schema=schema)
        start = 0
        while start < batch.num_rows:
            rows = min(room, batch.num_rows - start)
            yield batch.slice(start, rows)
            start += rows
            room = room - rows or most


def _with_ids(
    files: list[tuple[str, int, int]], row_ids: Sequence[Array]
) -> list[tuple[str, int, int, bytes]]:
    import pyarrow as pa  # noqa: PLC0415

    if not row_ids:
        return [(*file, b"") for file in files]
    ids = pa.chunked_array(list(row_ids), pa.uint64()).combine_chunks()
    made, start = [], 0
    for name, rows, size in files:
        made.append((name, rows, size, bytes_of_numbers(ids.slice(start, rows))))
        start += rows
    return made


def bytes_of_numbers(numbers: Array) -> bytes:
    """The numbers of an array of uint64 without nulls, eight bytes for each."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(numbers, pa.ChunkedArray):
        return b"".join(bytes_of_numbers(chunk) for chunk in numbers.chunks)
    if not len(numbers):
        return b""
    buffer = numbers.buffers()[1]
    return bytes(memoryview(buffer)[numbers.offset * 8 : (numbers.offset + len(numbers)) * 8])
