"""Which operations join a source to a Lance table: upserts, merges and feeds of changes?

In: a version, and a source. Out: the operation, with the data files that it needs.

Invariant: what rows become is decided where tables of all formats decide it. A key that is inserted was in no row of
the version that was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg.commit.joined_rows import JoinedColumns, inserted_rows, updated_rows
from floeberg.commit.merge_clauses import MergeRun, key_columns, resolved_keys
from floeberg.commit.new_values import fitted
from floeberg.commit.stored_rows import StoredRows
from floeberg.lance.found_rows import FoundRows, batches_of
from floeberg.lance.row_changes import MovedRows, schema_of_table
from floeberg.lance.source_keys import SourceKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.commit.change_feed import ChangeFeed
    from floeberg.commit.merge_clauses import Clause, JoinKeys
    from floeberg.commit.source_rows import SourceRows
    from floeberg.lance.committing import Made

__all__ = ["MissingKeys", "Upsert", "applied", "merged", "upserted"]


@dataclass(frozen=True)
class MissingKeys:
    """Keys of a source, some of which were in no row of the version that was read."""

    keys: SourceKeys

    def may_be_in(self, read: _native.LanceTable, newest: _native.LanceTable) -> bool:
        """Whether a row that came since has one of them: in a new fragment, or by a new value."""
        before, now = schema_of_table(read), schema_of_table(newest)
        for name in self.keys.names:
            if name not in now.names or not now.field(name).equals(before.field(name)):
                return True
        _, after, same_rows, other_values = newest.differences(read)
        changed = set(after) - (set(same_rows) - set(other_values))
        return bool(changed) and any(
            self.keys.has_any(batch) for batch in batches_of(newest, self.keys.names, changed)
        )


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


def upserted(table: _native.LanceTable, source: SourceRows, upsert: Upsert, *, dry_run: bool) -> Made:
    """Updates rows that have the keys of the source, and inserts the others."""
    moved = MovedRows(table, counts_only=dry_run)
    schema, raw = moved.schema, source.rows()
    columns = JoinedColumns.of(
        raw.schema, schema, upsert.keys, case_sensitive=upsert.case_sensitive, replaces=upsert.updates
    )
    rows = _conformed(raw.batches(), columns.used, schema)
    index = SourceKeys.of(rows.reader(columns.keys), nulls=upsert.null_keys, repeats=False)
    found = FoundRows(table, index, lists_all=False)

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
    index = SourceKeys.of(key_columns(keys, rows, schema), nulls="unequal", repeats=True)
    lists_all = any(each.rows == "not matched by source" for each in clauses)
    inserts = any(each.rows == "not matched" for each in clauses)
    found = FoundRows(table, index, lists_all=lists_all)
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
    index = SourceKeys.of(cast("pa.RecordBatchReader", reader), nulls=feed.null_keys, repeats=False)
    found = FoundRows(table, index, lists_all=False)

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
