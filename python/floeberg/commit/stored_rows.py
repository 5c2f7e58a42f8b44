"""Where are the rows of a source until its merge is done?

In: batches. Out: the same rows, which Rust takes by their numbers.

Invariant: rows beyond a number of bytes are in a temporary file that has no name. It is gone when nobody refers to the
rows, and however the process ends. The file is mapped here, since the Rust code has no `unsafe` block.
"""

from __future__ import annotations

import mmap
import tempfile
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg.errors import LimitExceededError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["stored_rows"]

_PIECES = 8
"""A piece of a file is at most this part of what is kept in memory."""
_LARGEST_PIECE = 1 << 16
"""The most rows in a piece of a file."""


def stored_rows(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, memory: int, *, stays_in_memory: bool
) -> _native.SourceRows:
    """Reads all batches.

    Args:
        batches: The rows.
        schema: Their columns.
        memory: The most bytes that are kept in memory. Rows beyond them are written to a file.
        stays_in_memory: Whether no file may be written: the rows are for an encrypted table.

    Raises:
        LimitExceededError: The rows stay in memory, and are more.
        StorageError: The file cannot be written.
    """
    iterator, kept, size = iter(batches), [], 0
    for batch in iterator:
        kept.append(batch)
        size += batch.nbytes
        if size > memory and stays_in_memory:
            raise LimitExceededError(
                f"the rows of the source have more than {memory} bytes, and those of an encrypted table are not "
                "written to a temporary file: set FLOEBERG_MEMORY to more, or pass the source in parts"
            )
        if size > memory:
            rows = sum(each.num_rows for each in kept)
            number = _rows_of_piece(rows, size, memory)
            pieces = _in_pieces(chain(kept, iterator), schema, number)
            return _native.SourceRows.of(_reader(_in_file(pieces, schema), schema), in_file=True)
    return _native.SourceRows.of(_reader(kept, schema), in_file=False)


def _reader(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatchReader:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(schema, batches))


def _rows_of_piece(rows: int, size: int, memory: int) -> int:
    """How many rows of this size a piece has."""
    fitting = memory * rows // (_PIECES * max(size, 1))
    return min(max(fitting, 1), _LARGEST_PIECE)


def _in_file(pieces: Iterable[pa.RecordBatch], schema: pa.Schema) -> list[pa.RecordBatch]:
    """The same rows, mapped from a file."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import ipc  # noqa: PLC0415

    with _converted_errors():
        file = tempfile.TemporaryFile(prefix="floeberg-")  # noqa: SIM115 - it is closed below
    with file:
        with _converted_errors():
            writer = ipc.new_file(file, schema)
        for piece in pieces:
            with _converted_errors():
                writer.write_batch(piece)
        with _converted_errors():
            writer.close()
            file.flush()
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reader = ipc.open_file(pa.py_buffer(mapped))
    return [reader.get_batch(each) for each in range(reader.num_record_batches)]


@contextmanager
def _converted_errors() -> Iterator[None]:
    """Turns errors of the file into `StorageError`s."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"the rows of the source do not fit into memory, and cannot be written to a temporary file: {error}. Free "
            "space there, or set TMPDIR to another folder",
            context={"path": tempfile.gettempdir()},
        ) from error


def _in_pieces(batches: Iterable[pa.RecordBatch], schema: pa.Schema, number: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of the same number of rows."""
    import pyarrow as pa  # noqa: PLC0415

    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            some = batch.slice(start, number - rows)
            waiting.append(some)
            start += some.num_rows
            rows += some.num_rows
            if rows == number:
                yield from pa.Table.from_batches(waiting, schema).combine_chunks().to_batches()
                waiting, rows = [], 0
    if waiting:
        yield from pa.Table.from_batches(waiting, schema).combine_chunks().to_batches()
