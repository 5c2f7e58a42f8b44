"""How do the rows of fragments become batches?

Rust says which columns of which data files are read, and makes batches of the table out of theirs. Python asks for the
batches of data files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from floeberg.scan.rows import ArrowRows

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native
    from floeberg.lance.pages import PageBatches, Pages

__all__ = ["FragmentRows", "FragmentStream", "Fragments"]


class Fragments(Protocol):
    """Rows of some fragments."""

    def __len__(self) -> int:
        """The number of fragments."""
        ...

    def open(self, number: int) -> _native.LanceRows:
        """Begins to read a fragment."""
        ...

    def __arrow_c_schema__(self) -> object: ...


class FragmentStream:
    """Batches of fragments, one fragment after another."""

    def __init__(self, fragments: Fragments, pages: Pages, limit: int | None = None) -> None:
        self._fragments = fragments
        self._pages = pages
        self._left = limit
        self._number = 0
        self._rows: _native.LanceRows | None = None

    def next_batch(self) -> _native.Batch | pa.RecordBatch | None:
        """The next batch that has rows; `None` after the last one."""
        while self._left is None or self._left > 0:
            if self._rows is None:
                if self._number == len(self._fragments):
                    return None
                self._rows = self._started(self._fragments.open(self._number))
                self._number += 1
            batch = self._rows.next_batch()
            if batch is None:
                self._rows = None
            elif len(batch) > 0:
                return self._limited(batch)
        return None

    def count(self) -> int:
        """The number of rows of all batches."""
        rows = 0
        while (batch := self.next_batch()) is not None:
            rows += len(batch)
        return rows

    def _started(self, rows: _native.LanceRows) -> _native.LanceRows:
        rows.start([self._reader(*file) for file in rows.files()])
        return rows

    def _reader(
        self, location: str, columns: list[str], span: tuple[int, int], single: list[int] | None
    ) -> PageBatches:
        if single is None:
            return self._pages.read_range(location, columns, *span)
        return self._pages.read_rows(location, columns, single)

    def _limited(self, batch: _native.Batch) -> _native.Batch | pa.RecordBatch:
        if self._left is None:
            return batch
        if len(batch) <= self._left:
            self._left -= len(batch)
            return batch
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        left, self._left = self._left, 0
        return cast("pa.RecordBatch", pa.record_batch(cast("Any", batch))).slice(0, left)


class FragmentRows(ArrowRows):
    """Rows of fragments: a scan, or a group of its tasks."""

    __slots__ = ()

    def _read_all(self) -> object:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        schema = pa.schema(cast("Any", self))
        stream, batches = self._open(), []
        while (batch := stream.next_batch()) is not None:
            batches.append(pa.record_batch(cast("Any", batch)))
        return pa.Table.from_batches(batches, schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return cast("Any", self.to_arrow_batch_reader()).__arrow_c_stream__(requested_schema)
