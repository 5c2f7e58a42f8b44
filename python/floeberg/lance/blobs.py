"""How are blobs read piece by piece?

A blob is a file-like object that reads what it is asked for. Where its bytes are is asked of the decoder of data files.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.lance.pages import blob_files
from floeberg.lance.take import taken_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native
    from floeberg.lance.pages import BlobSource

__all__ = ["LanceBlob", "blobs_of"]

ADDRESS = "_rowaddr"


class LanceBlob(io.RawIOBase):
    """A blob of a Lance table, as a file that can be read and not written.

    Nothing is read before it is asked for, and only that is. `io.BufferedReader` reads ahead.
    """

    def __init__(self, source: BlobSource) -> None:
        """Use `LanceTable.blobs`."""
        super().__init__()
        self._source = source
        self._position = 0

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self._source.size()

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to a position, as files do."""
        self._check_open()
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}
        if whence not in starts:
            raise ValueError(f"whence: expected 0, 1 or 2, found {whence}")
        position = starts[whence] + offset
        if position < 0:
            raise ValueError(f"a position before the start: {position}")
        self._position = position
        return position

    def tell(self) -> int:
        """The position."""
        self._check_open()
        return self._position

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - what the standard library takes
        """Reads as many bytes as there are and fit."""
        self._check_open()
        view = memoryview(buffer).cast("B")
        length = max(0, min(len(view), self.size - self._position))
        if length:
            view[:length] = self._source.read_range(self._position, length)
            self._position += length
        return length

    def readall(self) -> bytes:
        """Reads all that is left."""
        self._check_open()
        length = max(0, self.size - self._position)
        found = self._source.read_range(self._position, length) if length else b""
        self._position += length
        return found

    def __repr__(self) -> str:
        return f"LanceBlob({self.size} bytes)"

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the blob is closed")


def blobs_of(
    table: _native.LanceTable,
    column: str,
    *,
    row_ids: pa.UInt64Array | None,
    addresses: pa.UInt64Array | None,
) -> list[LanceBlob | None]:
    """Blobs of rows, in the order of their ids or addresses.

    Args:
        table: The version.
        column: The column.
        row_ids: The ids of the rows, or
        addresses: their addresses.

    Returns:
        A blob for each row; `None` is null.

    Raises:
        InvalidInputError: The column is not there, or has no blobs.
        NotFoundError: A row does not exist or is deleted, or another table is here now.
        UnsupportedError: The table has base paths, as branches and clones do.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    schema: pa.Schema = pa.schema(cast("Any", table))
    names = schema.names
    if column not in names:
        raise InvalidInputError(
            f"the table has no column {column!r}; its columns are {', '.join(map(repr, names))}"
        )
    metadata = schema.field(column).metadata or {}
    is_blob = b"lance-encoding:blob" in metadata or metadata.get(b"ARROW:extension:name") == b"lance.blob.v2"
    if not is_blob and getattr(schema.field(column).type, "extension_name", "") != "lance.blob.v2":
        raise InvalidInputError(f"the column {column!r} has no blobs: read it with scan or take")
    features = cast("list[str]", table.facts()["features"])
    if any(each.startswith("base paths") for each in features):
        # pylance looks for them in the folder of the table alone.
        raise UnsupportedError(
            "blobs of branches, clones and other tables with base paths are read as bytes: use scan or take"
        )
    # Missing rows are an error before anything is opened.
    found = taken_rows(
        table, row_ids=row_ids, addresses=addresses, selected_fields=[ADDRESS], case_sensitive=True
    )
    places = cast("list[int]", found.column(ADDRESS).to_pylist())
    sources = blob_files(table.folder, table.version, column, places, table.storage_options)
    # pylance opened the version by its number.
    table.check_same()
    return [None if source is None else LanceBlob(source) for source in sources]
