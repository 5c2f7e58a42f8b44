"""Which change of a feed is the last of its key?

In: rows that say whether they insert, update or delete. Out: the rows that there are then, and the keys of those that
are gone. Tables of all formats apply feeds by this.

Invariant: the order of the rows of a feed does not matter. What `order_by` leaves open is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.joined_rows import JoinedColumns
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg.commit.stored_rows import StoredRows

__all__ = ["ChangeFeed"]

Array: TypeAlias = Any
_WORDS = ("insert", "update", "delete")
_BEFORE, _AFTER = "update_before", "update_after"
"""What a changelog says of the old and of the new row of an update: the old one goes first."""
_SHOWN = 3
"""The most keys that an error shows."""


@dataclass(frozen=True)
class ChangeFeed:
    """What a feed says of its rows.

    Args:
        keys: The key columns.
        operation: The column with `insert`, `update` or `delete`.
        order_by: The columns by which the last change of a key is found.
        null_keys: What a null in a key means.
    """

    keys: Sequence[str]
    operation: str
    order_by: Sequence[str]
    null_keys: str

    def check(self, feed: pa.Schema) -> None:
        """Raises `InvalidInputError` where the feed has no such columns, or nested ones."""
        from pyarrow import types  # noqa: PLC0415 - importing floeberg imports nothing large

        for what, names in (
            ("keys", self.keys),
            ("operation", [self.operation]),
            ("order_by", self.order_by),
        ):
            if not names:
                raise InvalidInputError(f"{what}: expected at least one column")
            for name in names:
                if name not in feed.names:
                    known = ", ".join(map(repr, feed.names))
                    raise InvalidInputError(f"{what}: the changes have no column {name!r}, only {known}")
                kind = feed.field(name).type
                if types.is_nested(kind):
                    raise InvalidInputError(
                        f"{what}: column {name!r} is of type {kind}, expected a column of a primitive type"
                    )

    def columns(self, feed: pa.Schema, table: pa.Schema) -> JoinedColumns:
        """The columns of the feed that are written to the table. The operation column is not.

        Raises:
            InvalidInputError: A column is missing or unknown, or a struct lacks a field.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        control = {self.operation, *(name for name in self.order_by if name not in table.names)}
        given = pa.schema([field for field in feed if field.name not in control])
        return JoinedColumns.of(given, table, self.keys, case_sensitive=True, replaces=True)

    def last(self, rows: StoredRows) -> tuple[Array, Array]:
        """The last change of each key, by the numbers of rows: inserts and updates, and then deletes.

        Raises:
            InvalidInputError: An operation is unknown, a place in the order is null, or two changes of a key
                have the same place.
            LimitExceededError: The columns of keys, operations and order do not fit into memory.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
        import pyarrow.compute as pc  # noqa: PLC0415

        names = [*self.keys, *self.order_by]
        feed = rows.reader(list(dict.fromkeys([*names, self.operation]))).read_all()
        _native.check_source_memory(feed.nbytes)
        words = self._words(feed)
        for name in self.order_by:
            if feed[name].null_count:
                raise InvalidInputError(
                    f"order_by: column {name!r} is null in {feed[name].null_count} changes"
                )
        plain = pa.table(
            [*(_storage(feed[name]) for name in names), pc.not_equal(words, _BEFORE)],
            names=[str(each) for each in range(len(names) + 1)],
        )
        order = pc.sort_indices(plain, sort_keys=[(name, "ascending") for name in plain.column_names])
        columns = [plain.column(name).take(order).combine_chunks() for name in plain.column_names]
        same_key = _all_same(columns[: len(self.keys)])
        tied = pc.and_(same_key, _all_same(columns[len(self.keys) :]))
        if pc.any(tied).as_py():
            self._raise_tied(feed, order.take(pc.indices_nonzero(tied).slice(0, _SHOWN)))
        is_last = pa.chunked_array([pc.invert(same_key), pa.array([True] if len(order) else [], pa.bool_())])
        last = order.filter(is_last.combine_chunks())
        is_gone = pc.is_in(words.take(last), pa.array(("delete", _BEFORE))).combine_chunks()
        return last.filter(pc.invert(is_gone)), last.filter(is_gone)

    def _words(self, feed: pa.Table) -> Array:
        """The operations, in lower case."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        try:
            words: Array = pc.utf8_lower(feed[self.operation].cast(pa.string()))
        except pa.ArrowException as error:
            raise InvalidInputError(
                f"operation: expected text in column {self.operation!r}: {error}"
            ) from error
        known = pa.array((*_WORDS, _BEFORE, _AFTER))
        wrong = words.filter(pc.invert(pc.is_in(words, known)))
        if len(wrong):
            raise InvalidInputError(
                f"operation: expected insert, update or delete in column {self.operation!r}, found {wrong[0].as_py()!r}"
            )
        return words

    def _raise_tied(self, feed: pa.Table, rows: Array) -> None:
        keys = feed.select(list(self.keys)).take(rows).to_pylist()
        shown = "; ".join(", ".join(f"{name} = {value!r}" for name, value in key.items()) for key in keys)
        raise InvalidInputError(
            f"order_by: two changes of a key have the same {', '.join(map(repr, self.order_by))}, so it is not known "
            f"which is the last: {shown}"
        )


def _storage(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values that pyarrow sorts and compares: of extension types what is stored, and nulls of some type."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_null(column.type):
        return column.cast(pa.int8())

    if isinstance(column.type, pa.BaseExtensionType):
        chunks = [cast("Any", chunk).storage for chunk in column.chunks]
        return pa.chunked_array(chunks, column.type.storage_type)
    return column


def _all_same(columns: Sequence[Array]) -> Array:
    """For each row but the last whether the next one has the same values; null is null, and NaN is NaN."""
    import pyarrow.compute as pc  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    found: Array = None
    for column in columns:
        one, next_one = column.slice(0, max(len(column) - 1, 0)), column.slice(1)
        both = pc.and_(pc.is_null(one), pc.is_null(next_one))
        same = pc.or_(both, pc.fill_null(pc.equal(one, next_one), False))
        if types.is_floating(column.type):
            nan = pc.and_(pc.is_nan(one), pc.is_nan(next_one))
            same = pc.or_(same, pc.fill_null(nan, False))
        found = same if found is None else pc.and_(found, same)
    return found
