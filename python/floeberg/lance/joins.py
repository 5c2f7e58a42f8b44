"""Which operations join a source to a Lance table: upserts, merges and feeds of changes?

In: a version, and a source. Out: the operation, with the data files that it needs.

Invariant: what rows become is decided where tables of all formats decide it. A key that is inserted was in no row of
the version that was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.joined_rows import JoinedColumns, inserted_rows, updated_rows
from floeberg.commit.merge_clauses import MergeRun, key_columns, resolved_keys
from floeberg.commit.new_values import fitted
from floeberg.commit.stored_rows import StoredRows
from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import MovedRows
from floeberg.lance.rows import batches_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.commit.change_feed import ChangeFeed
    from floeberg.commit.merge_clauses import Clause, JoinKeys
    from floeberg.commit.source_rows import SourceRows
    from floeberg.lance.committing import Made

__all__ = ["MissingKeys", "Upsert", "applied", "merged", "upserted"]

Array: TypeAlias = Any


@dataclass(frozen=True)
class MissingKeys:
    """Keys of a source, some of which were in no row of the version that was read."""

    keys: _native.LanceKeys

    def may_be_in(self, read: _native.LanceTable, newest: _native.LanceTable) -> bool:
        """Whether a row that came since has one of them: in a new fragment, or by a new value."""
        return self.keys.may_have_come(read, newest, pages_of(newest.storage_options))


@dataclass(frozen=True)
class Upsert:
    """What an upsert does.

    Args:
        keys: The key columns.
        updates: Whether rows with known keys are updated.
        inserts: Whether rows with new keys are inserted.
        case_sensitive: Whether the case of names counts.
        null_keys: What a null in a key means.
    """

    keys: Sequence[str]
    updates: bool
    inserts: bool
    case_sensitive: bool
    null_keys: str


class _Found:
    """The rows of a version with a key of a source."""

    def __init__(self, table: _native.LanceTable, keys: _native.LanceKeys, *, lists_all: bool) -> None:
        self._pages = pages_of(table.storage_options)
        self._found = keys.find(table, self._pages, lists_all=lists_all)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All columns of the rows, where they are, and the numbers of their rows of the source."""
        return batches_in(self._found.stream(self._pages))

    def unmatched(self) -> Array:
        """The numbers of the rows of the source whose keys no row has. Where all rows are listed, they come first."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.array(cast("Any", self._found.unmatched()))


def upserted(table: _native.LanceTable, source: SourceRows, upsert: Upsert, *, dry_run: bool) -> Made:
    """Updates rows that have the keys of the source, and inserts the others."""
    moved = MovedRows(table, counts_only=dry_run)
    schema, raw = moved.schema, source.rows()
    columns = JoinedColumns.of(
        raw.schema, schema, upsert.keys, case_sensitive=upsert.case_sensitive, replaces=upsert.updates
    )
    rows = _conformed(raw.batches(), columns.used, schema)
    index = _native.LanceKeys.of(rows.reader(columns.keys), nulls=upsert.null_keys, repeats=False)
    found = _Found(table, index, lists_all=False)

    def batches() -> Iterator[pa.RecordBatch]:
        if upsert.updates:
            for batch in found.batches():
                yield updated_rows(batch, rows, moved)
        if upsert.inserts:
            yield from inserted_rows(found.unmatched(), rows, moved)

    return moved.write(batches(), columns.others, MissingKeys(index) if upsert.inserts else None)


def merged(  # noqa: PLR0913 - keywords
    table: _native.LanceTable,
    source: SourceRows,
    joined_by: JoinKeys,
    clauses: Sequence[Clause],
    *,
    case_sensitive: bool,
    dry_run: bool,
) -> Made:
    """Changes, deletes and inserts rows by clauses."""
    moved = MovedRows(table, counts_only=dry_run)
    schema, rows = moved.schema, source.rows()
    keys = resolved_keys(joined_by, rows.schema, schema, case_sensitive=case_sensitive)
    run = MergeRun(keys, clauses, rows, moved, case_sensitive=case_sensitive)
    index = _native.LanceKeys.of(key_columns(keys, rows, schema), nulls="unequal", repeats=True)
    lists_all = any(each.rows == "not matched by source" for each in clauses)
    inserts = any(each.rows == "not matched" for each in clauses)
    found = _Found(table, index, lists_all=lists_all)
    batches = run.batches(found.batches(), found.unmatched)
    return moved.write(batches, lambda: run.updated_columns, MissingKeys(index) if inserts else None)


def applied(table: _native.LanceTable, source: SourceRows, feed: ChangeFeed, *, dry_run: bool) -> Made:
    """Makes the rows of a table those that a feed of changes leaves."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    moved = MovedRows(table, counts_only=dry_run)
    schema, rows = moved.schema, source.rows()
    there, gone = feed.last(rows)
    columns = feed.columns(rows.schema, schema)
    keys = columns.keys
    last = _conformed(rows.taken(there), columns.used, schema)
    deleted = _conformed(rows.taken(gone), columns.of_keys(), schema)
    # The rows that there are come first, and then the keys of those that go.
    every = chain(last.reader(keys), deleted.reader(keys))
    reader = pa.RecordBatchReader.from_batches(last.reader(keys).schema, every)
    index = _native.LanceKeys.of(cast("pa.RecordBatchReader", reader), nulls=feed.null_keys, repeats=False)
    found = _Found(table, index, lists_all=False)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in found.batches():
            stays = pc.less(batch.column(batch.num_columns - 1), last.num_rows)
            moved.delete(batch.filter(pc.invert(stays)))
            yield updated_rows(batch.filter(stays), last, moved)
        new = found.unmatched()
        yield from inserted_rows(new.filter(pc.less(new, last.num_rows)), last, moved)

    return moved.write(batches(), columns.others, MissingKeys(index) if last.num_rows else None)


def _conformed(
    batches: Iterable[pa.RecordBatch], columns: Mapping[str, str], schema: pa.Schema
) -> StoredRows:
    """Columns of a source, by the names and in the types of the table.

    Raises:
        InvalidInputError: A value does not fit its column.
    """
    import pyarrow as pa  # noqa: PLC0415

    made = pa.schema([schema.field(name) for name in columns])

    def conformed() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            arrays = [
                fitted(name, batch.column(given), made.field(name), batch.num_rows)
                for name, given in columns.items()
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=made)

    return StoredRows.of(conformed(), made, _native.source_memory())
