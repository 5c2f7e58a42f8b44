"""How do the rows of fragments become batches?

Rust says which columns of which data files are read, and makes batches of the table out of theirs. It asks a `Pages`
for the batches of data files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.scan.rows import ArrowRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.scan.rows import BatchStream

__all__ = ["FragmentRows", "batches_in"]


def batches_in(stream: BatchStream) -> Iterator[pa.RecordBatch]:
    """The batches of a stream."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    while (batch := stream.next_batch()) is not None:
        yield pa.record_batch(cast("Any", batch))


class FragmentRows(ArrowRows):
    """Rows of fragments: a scan, or a group of its tasks."""

    __slots__ = ()

    def _read_all(self) -> object:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        schema = pa.schema(cast("Any", self))
        return pa.Table.from_batches(list(batches_in(self._open())), schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return cast("Any", self.to_arrow_batch_reader()).__arrow_c_stream__(requested_schema)
