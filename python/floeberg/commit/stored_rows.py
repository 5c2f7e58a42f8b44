"""Where are the rows of a source until its merge is done?

In: batches. Out: the same rows, which can be read again, and taken by their numbers.

Invariant: rows beyond a number of bytes are in a temporary file that has no name. It is gone when nobody refers to the
rows, and however the process ends.
"""

from __future__ import annotations

import mmap
import tempfile
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.errors import InvalidInputError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

__all__ = ["StoredRows", "as_batch", "one_batch"]

Array: TypeAlias = Any
_PIECES = 8
"""A piece of a file is at most this part of what is kept in memory."""
_LARGEST_PIECE = 1 << 16
"""The most rows in a piece of a file, and the most that are taken at once."""


class StoredRows:
    """Rows in memory, or in a temporary file."""

    def __init__(
        self, schema: pa.Schema, pieces: list[pa.RecordBatch], rows_of_piece: int, at_once: int
    ) -> None:
        """Use `of`.

        Args:
            schema: The columns.
            pieces: The rows, in pieces of the same number of rows; the last one may be shorter.
            rows_of_piece: That number.
            at_once: The most rows that are given at once.
        """
        self.schema = schema
        self._pieces = pieces
        self._rows_of_piece = rows_of_piece
        self._at_once = at_once
        self.num_rows = sum(each.num_rows for each in pieces)

    @classmethod
    def of(cls, batches: Iterable[pa.RecordBatch], schema: pa.Schema, memory: int) -> StoredRows:
        """Reads all batches.

        Args:
            batches: The rows.
            schema: Their columns.
            memory: The most bytes that are kept in memory. Rows beyond them are written to a file.

        Raises:
            StorageError: The file cannot be written.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        iterator, kept, size = iter(batches), [], 0
        for batch in iterator:
            kept.append(batch)
            size += batch.nbytes
            if size > memory:
                rows = sum(each.num_rows for each in kept)
                number = _rows_of_piece(rows, size, memory)
                pieces = _in_pieces(chain(kept, iterator), schema, number)
                return cls(schema, _in_file(pieces, schema), number, number)
        one = as_batch(pa.Table.from_batches(kept, schema))
        # Rows in other types may take more: they too are made in parts of what is kept in memory.
        at_once = _rows_of_piece(one.num_rows, size, memory)
        return cls(schema, [one], max(one.num_rows, 1), at_once)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, in their order."""
        for piece in self._pieces:
            for start in range(0, max(piece.num_rows, 1), self._at_once):
                yield piece.slice(start, self._at_once)

    def reader(self, names: Sequence[str]) -> pa.RecordBatchReader:
        """Some columns of all rows."""
        import pyarrow as pa  # noqa: PLC0415

        schema = pa.schema([self.schema.field(name) for name in names])
        batches = (each.select(list(names)) for each in self._pieces)
        return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(schema, batches))

    def taken(self, numbers: Array) -> Iterator[pa.RecordBatch]:
        """Rows by their numbers, some at a time; at least one batch, which may have no rows."""
        most = self._at_once
        yield self.take(numbers.slice(0, most))
        for start in range(most, len(numbers), most):
            yield self.take(numbers.slice(start, most))

    def take(self, numbers: Array) -> pa.RecordBatch:
        """Rows by their numbers, in the order of these."""
        import pyarrow.compute as pc  # noqa: PLC0415

        if len(self._pieces) == 1:
            return self._pieces[0].take(numbers)
        order = pc.array_sort_indices(numbers)
        ascending = numbers.take(order).cast("int64")
        of_piece = pc.divide(ascending, self._rows_of_piece)
        runs = pc.run_end_encode(of_piece)
        taken, start = [], 0
        for piece, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            within = pc.subtract(ascending.slice(start, end - start), piece * self._rows_of_piece)
            taken.append(self._pieces[piece].take(within))
            start = end
        return as_batch(_table(taken, self.schema)).take(pc.array_sort_indices(order))


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
                yield as_batch(_table(waiting, schema))
                waiting, rows = [], 0
    if waiting:
        yield as_batch(_table(waiting, schema))


def _table(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    return pa.Table.from_batches(batches, schema)


def as_batch(rows: pa.Table) -> pa.RecordBatch:
    """One batch of all rows."""
    import pyarrow as pa  # noqa: PLC0415

    made = rows.combine_chunks().to_batches()
    if len(made) > 1:
        raise InvalidInputError(
            "a column of the source has more than 2 GiB of text: change the table in several steps"
        )
    return made[0] if made else pa.RecordBatch.from_pylist([], schema=rows.schema)


def one_batch(batch: pa.RecordBatch) -> pa.RecordBatchReader:
    """A reader of one batch."""
    import pyarrow as pa  # noqa: PLC0415

    return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(batch.schema, [batch]))
