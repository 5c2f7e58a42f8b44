"""Which rows differ between two versions of a Lance table?

In: two versions. Out: addresses of rows that were deleted or changed in the first, and inserted or changed in the
second.

```text
row of both    with stable row ids: the same id, which came in the same version; else the same address in the same file
changed        its last update is of another version, or its columns lie in other files and a value differs
```

Invariant: a row that was only moved did not change. Only fragments that differ are looked at, and data files are opened
only where values have to be compared.

Spec: Lance, Stable Row IDs; Row Lineage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.stored_rows import as_batch, one_batch
from floeberg.errors import UnsupportedError
from floeberg.lance.found_rows import batches_of
from floeberg.lance.row_changes import ADDRESS, ROW_ID
from floeberg.lance.take import taken_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["OF_ROWS", "ChangedRows", "changed_rows"]

Array: TypeAlias = Any
_CREATED, _UPDATED = "_row_created_at_version", "_row_last_updated_at_version"
OF_ROWS = (ROW_ID, ADDRESS, _CREATED, _UPDATED)
"""Columns that say which row it is."""
_PIECE = 1 << 16
"""The number of rows that are compared at once."""


@dataclass(frozen=True)
class ChangedRows:
    """Rows by their addresses.

    Args:
        deleted: Of the earlier version, without a row in the later one.
        inserted: Of the later version, without a row in the earlier one.
        before: Of the earlier version, that the later one has otherwise.
        after: The same rows in the later version.
    """

    deleted: Array
    inserted: Array
    before: Array
    after: Array


def changed_rows(
    before: _native.LanceTable,
    after: _native.LanceTable,
    *,
    columns: Sequence[str],
    is_one_commit: bool,
    may_replace_values: bool,
) -> ChangedRows | None:
    """The rows that differ; `None` where none does.

    Args:
        before: The earlier version, with the columns of the last one.
        after: The later version, likewise.
        columns: The columns whose values count, where they have to be compared.
        is_one_commit: Whether one commit made the later version of the earlier one.
        may_replace_values: Whether rows that moved may have got other values on the way without a word.

    Raises:
        UnsupportedError: Nothing says which rows only moved.
    """
    old_ids, new_ids, same_rows, other_values = after.differences(before)
    if not old_ids and not new_ids:
        return None
    same = set(same_rows)
    is_stable = all(each.facts()["has_stable_row_ids"] for each in (before, after))
    has_moved = not same.issuperset(old_ids) and not same.issuperset(new_ids)
    if is_one_commit and has_moved:
        made = after.made_by()
        if made is not None and made[0] == "Rewrite":
            return None
        if made is None and not is_stable:
            raise UnsupportedError(
                f"nothing says what made version {after.version}, and rows have no stable ids: rows that only moved "
                "cannot be told from new ones. Read changes up to the version before, or after it"
            )
    old, new = _rows_of(before, set(old_ids)), _rows_of(after, set(new_ids))
    if is_stable:
        return _by_row_ids(
            _Sides(before, old, after, new), columns, set(other_values), may_replace_values=may_replace_values
        )
    return _by_addresses(_Sides(before, old, after, new), columns, same, set(other_values))


@dataclass(frozen=True)
class _Sides:
    """Two versions, and the ids, addresses and versions of their rows."""

    before: _native.LanceTable
    old: pa.Table
    after: _native.LanceTable
    new: pa.Table

    def result(self, of_old: Array, of_new: Array, is_changed: Array) -> ChangedRows:
        """The rows, where some of the old ones, by their numbers, are some of the new ones."""
        import pyarrow.compute as pc  # noqa: PLC0415

        return ChangedRows(
            _others(self.old, of_old),
            _others(self.new, of_new),
            pc.take(_column(self.old, ADDRESS), of_old.filter(is_changed)),
            pc.take(_column(self.new, ADDRESS), of_new.filter(is_changed)),
        )

    def differing(self, of_old: Array, of_new: Array, asked: Array, columns: Sequence[str]) -> Array:
        """For each pair whether it was asked for and a value differs."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        numbers = pc.indices_nonzero(asked)
        different = []
        for start in range(0, len(numbers), _PIECE):
            some = numbers.slice(start, _PIECE)
            sides = [
                _values(table, pc.take(_column(rows, ADDRESS), of_side.take(some)), columns)
                for table, rows, of_side in (
                    (self.before, self.old, of_old),
                    (self.after, self.new, of_new),
                )
            ]
            arrays = [*sides[0].columns, *sides[1].columns]
            pairs = pa.RecordBatch.from_arrays(arrays, names=[str(at) for at in range(len(arrays))])
            differs = pa.array(cast("Any", _native.differing(one_batch(pairs))))
            different.append(some.filter(differs))
        found = pa.chunked_array(different, pa.uint64()).combine_chunks()
        every = pa.array(range(len(asked)), pa.uint64())
        return pc.is_in(every, value_set=found)


def _by_row_ids(
    sides: _Sides, columns: Sequence[str], other_values: set[int], *, may_replace_values: bool
) -> ChangedRows:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    ids = pa.RecordBatch.from_arrays([_column(sides.old, ROW_ID).view(pa.int64())], names=["id"])
    index = _native.LanceKeys.of(one_batch(ids), nulls_are_equal=False)
    wanted = pa.RecordBatch.from_arrays([_column(sides.new, ROW_ID).view(pa.int64())], names=["id"])
    rows, found = index.find(one_batch(wanted), lists_all=False)
    of_new, of_old = pa.array(cast("Any", rows)), pa.array(cast("Any", found))
    # An id that came again in another version is another row.
    created = _equal(sides, _CREATED, of_old, of_new)
    is_same = pc.fill_null(created, True)
    of_old, of_new = of_old.filter(is_same), of_new.filter(is_same)
    updated = _equal(sides, _UPDATED, of_old, of_new)
    is_changed = pc.invert(pc.fill_null(updated, True))
    addresses = pc.take(_column(sides.new, ADDRESS), of_new)
    has_moved = pc.not_equal(addresses, pc.take(_column(sides.old, ADDRESS), of_old))
    if not may_replace_values:
        has_moved = pc.and_(has_moved, pc.is_null(updated))
    asked = pc.or_(_in_fragments(addresses, other_values), has_moved)
    asked = pc.and_(asked, pc.invert(is_changed))
    is_changed = pc.or_(is_changed, sides.differing(of_old, of_new, asked, columns))
    return sides.result(of_old, of_new, is_changed)


def _by_addresses(
    sides: _Sides, columns: Sequence[str], same_rows: set[int], other_values: set[int]
) -> ChangedRows:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    old, new = _column(sides.old, ADDRESS), _column(sides.new, ADDRESS)
    every = pa.array(range(len(new)), pa.uint64())
    found = pc.index_in(new, value_set=old)
    is_same = pc.and_(pc.is_valid(found), _in_fragments(new, same_rows))
    of_new, of_old = every.filter(is_same), found.filter(is_same)
    asked = _in_fragments(new.take(of_new), other_values)
    return sides.result(of_old, of_new, sides.differing(of_old, of_new, asked, columns))


def _rows_of(table: _native.LanceTable, fragments: set[int]) -> pa.Table:
    """What says which rows fragments have. No data file is opened."""
    import pyarrow as pa  # noqa: PLC0415

    schema = pa.schema([pa.field(name, pa.uint64()) for name in OF_ROWS])
    found = list(batches_of(table, OF_ROWS, fragments))
    _native.check_source_memory(sum(each.nbytes for each in found))
    return pa.Table.from_batches([each.cast(schema) for each in found], schema).combine_chunks()


def _column(rows: pa.Table, name: str) -> Array:
    return rows.column(name).combine_chunks()


def _others(rows: pa.Table, numbers: Array) -> Array:
    """The addresses of all rows but some, by their numbers."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    every = pa.array(range(rows.num_rows), pa.uint64())
    is_one = pc.is_in(every, value_set=numbers.cast(pa.uint64()))
    return _column(rows, ADDRESS).filter(pc.invert(is_one))


def _equal(sides: _Sides, name: str, of_old: Array, of_new: Array) -> Array:
    """For each pair whether a column is equal; null where it is null on a side."""
    import pyarrow.compute as pc  # noqa: PLC0415

    old, new = _column(sides.old, name), _column(sides.new, name)
    return pc.equal(pc.take(old, of_old), pc.take(new, of_new))


def _in_fragments(addresses: Array, fragments: set[int]) -> Array:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    of_rows = pc.shift_right(addresses, pa.scalar(32, pa.uint64()))
    return pc.is_in(of_rows, value_set=pa.array(sorted(fragments), pa.uint64()))


def _values(table: _native.LanceTable, addresses: Array, columns: Sequence[str]) -> pa.RecordBatch:
    rows = taken_rows(
        table,
        row_ids=None,
        addresses=addresses.to_pylist(),
        selected_fields=columns,
        case_sensitive=True,
    )
    return as_batch(rows)
