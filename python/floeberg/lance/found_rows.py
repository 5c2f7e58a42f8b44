"""What are the columns of rows of a Lance table that a source may change?

In: a version, and the keys of a source. Out: batches of all columns, where the rows are, and the row of the source that
has the key of each.

```text
columns of the table | _rowaddr | with stable row ids: _rowid | number of the row of the source, or null
```

Invariant: a row comes once for each row of the source with its key, all in one batch, in the order of the table. Of
other rows only keys are read.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import ADDRESS, ROW_ID, schema_of_table
from floeberg.lance.rows import FragmentStream
from floeberg.lance.take import taken_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from floeberg import _native
    from floeberg.lance.source_keys import SourceKeys

__all__ = ["FoundRows", "batches_in", "batches_of", "rows_at"]

Array: TypeAlias = Any
_PIECE = 1 << 16
"""The number of single rows that are read at once."""
_FEW = 64
"""A fragment is read whole where more than one in this number of its rows is wanted: single rows cost as much."""


class FoundRows:
    """Rows of a version with a key of a source."""

    def __init__(self, table: _native.LanceTable, keys: SourceKeys, *, lists_all: bool) -> None:
        """Looks for them.

        Args:
            table: The version.
            keys: The keys.
            lists_all: Whether all other rows are given too. Then they are looked for while they are given.
        """
        self._table = table
        self._keys = keys
        self._lists_all = lists_all
        self._matched: list[Array] = []
        self._found = [] if lists_all else list(self._pairs(batches_of(table, [*keys.names, ADDRESS], None)))

    def _pairs(self, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Array, Array]]:
        for batch in batches:
            rows, of_source = self._keys.find(batch)
            if len(rows):
                self._matched.append(of_source)
                yield batch.column(ADDRESS).take(rows), of_source

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, with all columns."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
        import pyarrow.compute as pc  # noqa: PLC0415

        schema = schema_of_table(self._table)
        places = [ADDRESS, ROW_ID] if self._table.facts()["has_stable_row_ids"] else [ADDRESS]
        columns = [*schema.names, *places]
        if self._lists_all:
            for batch in batches_of(self._table, ["*", *places], None):
                rows, of_source = self._keys.find(batch, lists_all=True)
                self._matched.append(of_source.drop_null())
                yield _with_source(batch.select(columns).take(rows), of_source)
            return
        if not self._found:
            return
        addresses = pa.chunked_array([each for each, _ in self._found], pa.uint64()).combine_chunks()
        of_source = pa.chunked_array([each for _, each in self._found], pa.uint32()).combine_chunks()
        ids = [fragment for fragment, _ in self._table.fragment_rows()]
        if ids != sorted(ids):
            order = pc.array_sort_indices(addresses)
            addresses, of_source = addresses.take(order), of_source.take(order)
        start = 0
        for batch in rows_at(self._table, addresses, ["*", *places]):
            end = start + batch.num_rows
            yield _with_source(batch.select(columns), of_source.slice(start, end - start))
            start = end

    def unmatched(self) -> Array:
        """The rows of the source whose keys no row has. Where all rows are listed, they were given before."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        every = pc.indices_nonzero(pa.repeat(pa.scalar(True), self._keys.rows)).cast(pa.uint32())
        matched = pa.chunked_array(self._matched, pa.uint32())
        return every.filter(pc.invert(pc.is_in(every, value_set=matched)))


def _with_source(rows: pa.RecordBatch, of_source: Array) -> pa.RecordBatch:
    return rows.append_column("_source_row", of_source)


def batches_of(
    table: _native.LanceTable, columns: Sequence[str], fragments: set[int] | None
) -> Iterator[pa.RecordBatch]:
    """Some columns of all rows, or of those of some fragments by their ids."""
    plan = table.scan(
        row_filter=("true",), selected_fields=list(columns), case_sensitive=True, limit=None
    ).plan()
    group = plan.whole() if fragments is None else plan.of_fragments(fragments)
    yield from batches_in(FragmentStream(group, pages_of(table.storage_options)))


def batches_in(stream: FragmentStream) -> Iterator[pa.RecordBatch]:
    """The batches of a stream."""
    import pyarrow as pa  # noqa: PLC0415

    while (batch := stream.next_batch()) is not None:
        yield pa.record_batch(cast("Any", batch))


def rows_at(table: _native.LanceTable, addresses: Array, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Rows by their addresses, which ascend. Some may be there several times.

    Rows of one address are in one batch.
    """
    waiting: list[Array] = []
    for fragment, rows, some in _by_fragment(table, addresses):
        if len(some) * _FEW > rows:
            yield from _taken(table, waiting, columns)
            waiting = []
            yield from _of_fragment(table, fragment, some, columns)
            continue
        waiting.append(some)
        if sum(map(len, waiting)) >= _PIECE:
            yield from _taken(table, waiting, columns)
            waiting = []
    yield from _taken(table, waiting, columns)


def _by_fragment(table: _native.LanceTable, addresses: Array) -> Iterator[tuple[int, int, Array]]:
    """The ids of fragments, their rows, and the addresses in them."""
    rows_of = dict(table.fragment_rows())
    start = 0
    while start < len(addresses):
        fragment = addresses[start].as_py() >> 32
        end = bisect_right(addresses, fragment, start, key=lambda address: address.as_py() >> 32)
        yield fragment, rows_of[fragment], addresses.slice(start, end - start)
        start = end


def _of_fragment(
    table: _native.LanceTable, fragment: int, addresses: Array, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    import pyarrow.compute as pc  # noqa: PLC0415

    start = 0
    for batch in batches_of(table, columns, {fragment}):
        known = batch.column(ADDRESS)
        end = bisect_right(addresses, known[-1].as_py(), start, key=lambda address: address.as_py())
        if end > start:
            yield batch.take(pc.index_in(addresses.slice(start, end - start), value_set=known))
        start = end


def _taken(table: _native.LanceTable, parts: list[Array], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415

    if not parts:
        return
    addresses = pa.concat_arrays(parts)
    start = 0
    while start < len(addresses):
        end = min(start + _PIECE, len(addresses))
        # The rows of one address stay together.
        last = addresses[end - 1].as_py()
        end = bisect_right(addresses, last, end - 1, key=lambda address: address.as_py())
        rows = taken_rows(
            table,
            row_ids=None,
            addresses=addresses.slice(start, end - start).to_pylist(),
            selected_fields=columns,
            case_sensitive=True,
        )
        yield from rows.combine_chunks().to_batches()
        start = end
