"""Which rows did a range of versions of a Lance table insert, delete and update?

In: a range of versions. Out: batches of changed rows, with what was done to them, and by which version.

```text
selected columns | _change_type | _change_ordinal | _commit_version
```

Invariant: changes come version by version, and in each the old rows before the new ones, in the order of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg._keywords import says_keywords_of_methods
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.lance.changed_rows import OF_ROWS, changed_rows
from floeberg.lance.found_rows import batches_in, rows_at
from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import ADDRESS
from floeberg.lance.rows import FragmentStream
from floeberg.lance.scan import LanceScan
from floeberg.scan.rows import ArrowRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from floeberg import _native
    from floeberg.scan.rows import BatchStream

__all__ = ["ChangesRequest", "LanceChangelogScan"]

Array: TypeAlias = Any
_OF_CHANGES = ("_change_type", "_change_ordinal", "_commit_version")


@dataclass(frozen=True)
class ChangesRequest:
    """What is read of changed rows.

    Args:
        row_filter: The rows, as a tree.
        selected_fields: The columns.
        case_sensitive: Whether the case of names counts.
        net: Whether the two ends alone are compared.
    """

    row_filter: Any
    selected_fields: Sequence[str]
    case_sensitive: bool
    net: bool


@says_keywords_of_methods
class LanceChangelogScan(ArrowRows):
    """Changes of rows, as `LanceTable.changelog_scan` describes them.

    It is immutable and can be pickled, as a scan. Nothing is read until you ask for rows.

    Examples:
        >>> lance_table.changelog_scan(1, selected_fields=("id",)).to_arrow()["_change_type"].to_pylist()
        ['DELETE', 'DELETE', 'INSERT']
    """

    __slots__ = ("_end", "_request", "_schema", "_start")

    def __init__(
        self, start: _native.LanceTable | None, end: _native.LanceTable, request: ChangesRequest
    ) -> None:
        """Use `LanceTable.changelog_scan`."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        self._start = start
        self._end = end
        self._request = request
        columns = end.with_columns_of(end)
        whole = cast("pa.Schema", pa.schema(cast("Any", columns)))
        self._schema = cast("pa.Schema", pa.schema(cast("Any", self._scan(columns))))
        hidden = [name for name in OF_ROWS if name in whole.names]
        if hidden:
            raise UnsupportedError(
                f"changes of a table with a column {hidden[0]!r} cannot be read: the name is reserved. Rename the "
                "column"
            )
        for name in self._schema.names:
            if name in _OF_CHANGES:
                raise InvalidInputError(
                    f"the table has a column {name!r}, which is a name of changes: select other columns"
                )
            if name in whole.names and not whole.field(name).equals(self._schema.field(name)):
                raise InvalidInputError(f"a part of the column {name!r} cannot be selected: select all of it")

    @property
    def from_version_exclusive(self) -> int | None:
        """The version after which changes are read; `None` where it is from the first on."""
        return None if self._start is None else self._start.version

    @property
    def to_version_inclusive(self) -> int:
        """The last version whose changes are read."""
        return self._end.version

    def _read_all(self) -> object:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.Table.from_batches(list(self._batches()), pa.schema(cast("Any", self)))

    def _open(self) -> BatchStream:
        return _Stream(self._batches())

    def __arrow_c_schema__(self) -> object:
        import pyarrow as pa  # noqa: PLC0415

        return pa.schema(
            [
                *self._schema,
                pa.field("_change_type", pa.string(), nullable=False),
                pa.field("_change_ordinal", pa.int32(), nullable=False),
                pa.field("_commit_version", pa.int64(), nullable=False),
            ]
        ).__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return cast("Any", self.to_arrow_batch_reader()).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"LanceChangelogScan(from={self.from_version_exclusive}, to={self.to_version_inclusive})"

    def __reduce__(self) -> tuple[type[LanceChangelogScan], tuple[object, ...]]:
        return type(self), (self._start, self._end, self._request)

    def _scan(self, table: _native.LanceTable) -> _native.LanceScan:
        return table.scan(
            row_filter=self._request.row_filter,
            selected_fields=list(self._request.selected_fields),
            case_sensitive=self._request.case_sensitive,
            limit=None,
        )

    def _batches(self) -> Iterator[pa.RecordBatch]:
        start, end = self._start, self._end
        if start is not None and start.version == end.version:
            return
        if self._request.net:
            replaces = start is not None and self._may_replace(start)
            yield from self._step(start, end, 0, may_replace_values=replaces)
            return
        before, ordinal = start, 0
        for version in range(1 if start is None else start.version + 1, end.version + 1):
            after = end if version == end.version else end.at_version(version)
            yield from self._step(before, after, ordinal, may_replace_values=False)
            before, ordinal = after, ordinal + 1

    def _may_replace(self, start: _native.LanceTable) -> bool:
        """Whether a version of the range may have given rows other values without a word about them.

        Raises:
            UnsupportedError: Rows have no stable ids, and one may have moved rows.
        """
        is_stable = all(each.facts()["has_stable_row_ids"] for each in (start, self._end))
        found = False
        for version in range(start.version + 1, self._end.version + 1):
            made = self._end.at_version(version).made_by()
            if not is_stable and (made is None or made[0] == "Rewrite"):
                raise UnsupportedError(
                    f"version {version} moved rows, or may have, and rows have no stable ids: net changes cannot tell "
                    "rows that moved from new ones. Read them with net=False"
                )
            found |= made is None or made[1]
        return found

    def _step(
        self,
        before: _native.LanceTable | None,
        after: _native.LanceTable,
        ordinal: int,
        *,
        may_replace_values: bool,
    ) -> Iterator[pa.RecordBatch]:
        """The changes that lead from one version to another."""
        new, what = after.with_columns_of(self._end), (ordinal, after.version)
        self._check_comparable(after)
        if before is None:
            for batch in LanceScan(self._scan(new)).to_arrow_batch_reader():
                yield self._made(batch, "INSERT", what)
            return
        self._check_comparable(before)
        old = before.with_columns_of(self._end)
        found = changed_rows(
            old,
            new,
            columns=self._compared(before, after),
            is_one_commit=not self._request.net,
            may_replace_values=may_replace_values,
        )
        if found is None:
            return
        of_old, of_new = self._matching(old, found.before), self._matching(new, found.after)
        for table, alone, pairs, here, there, names in (
            (old, found.deleted, found.before, of_old, of_new, ("DELETE", "UPDATE_BEFORE")),
            (new, found.inserted, found.after, of_new, of_old, ("INSERT", "UPDATE_AFTER")),
        ):
            single = alone.filter(self._matching(table, alone))
            # An update of which only one side matches is not one to those who read the matching rows.
            rows = _Rows.of(single, pairs.filter(here), there.filter(here), names)
            yield from self._read(table, rows, what)

    def _check_comparable(self, version: _native.LanceTable) -> None:
        """Raises `UnsupportedError` where a column is another one in the last version."""
        other = set(self._end.incomparable_columns(version)).intersection(self._schema.names)
        if other:
            raise UnsupportedError(
                f"the column {min(other)!r} has another type in version {version.version} than in version "
                f"{self._end.version}, or was dropped and added again: select other columns, or read up to the version "
                "before that"
            )

    def _compared(self, before: _native.LanceTable, after: _native.LanceTable) -> list[str]:
        """The columns whose values count where they have to be compared: all that are the same in both versions."""
        import pyarrow as pa  # noqa: PLC0415

        other = {*self._end.incomparable_columns(before), *self._end.incomparable_columns(after)}
        names = cast("pa.Schema", pa.schema(cast("Any", self._end))).names
        return [name for name in names if name not in other]

    def _matching(self, table: _native.LanceTable, addresses: Array) -> Array:
        """For each row whether it matches the filter."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        if self._request.row_filter == ("true",) or not len(addresses):
            return pa.repeat(pa.scalar(True), len(addresses))
        of_rows = pc.shift_right(addresses, pa.scalar(32, pa.uint64()))
        plan = self._scan(table).select([ADDRESS]).plan()
        group = plan.of_fragments(set(of_rows.unique().to_pylist()))
        stream = FragmentStream(group, pages_of(table.storage_options))
        found = [batch.column(ADDRESS) for batch in batches_in(stream)]
        return pc.is_in(addresses, value_set=pa.chunked_array(found, pa.uint64()))

    def _read(
        self, table: _native.LanceTable, rows: _Rows, what: tuple[int, int]
    ) -> Iterator[pa.RecordBatch]:
        start = 0
        for batch in rows_at(table, rows.addresses, [*self._schema.names, ADDRESS]):
            types = rows.types.slice(start, batch.num_rows)
            start += batch.num_rows
            yield self._made(batch, types, what)

    def _made(self, rows: pa.RecordBatch, types: str | Array, what: tuple[int, int]) -> pa.RecordBatch:
        """Rows with what was done to them."""
        import pyarrow as pa  # noqa: PLC0415

        number = rows.num_rows
        ordinal, version = what
        columns = [
            *(rows.column(name) for name in self._schema.names),
            pa.repeat(pa.scalar(types), number) if isinstance(types, str) else types,
            pa.repeat(pa.scalar(ordinal, pa.int32()), number),
            pa.repeat(pa.scalar(version, pa.int64()), number),
        ]
        schema = cast("pa.Schema", pa.schema(cast("Any", self)))
        return pa.RecordBatch.from_arrays(columns, schema=schema)


@dataclass(frozen=True)
class _Rows:
    """Rows of one version, by their ascending addresses, and what was done to them."""

    addresses: Array
    types: Array

    @classmethod
    def of(cls, alone: Array, pairs: Array, is_pair: Array, names: tuple[str, str]) -> _Rows:
        """Rows without another side, and rows that may have one."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        addresses = pa.concat_arrays([alone, pairs])
        types = pa.concat_arrays(
            [pa.repeat(pa.scalar(names[0]), len(alone)), pc.if_else(is_pair, names[1], names[0])]
        )
        order = pc.array_sort_indices(addresses)
        return cls(addresses.take(order), types.take(order))


class _Stream:
    """Batches, one at a time."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches

    def next_batch(self) -> pa.RecordBatch | None:
        """The next batch; `None` after the last one."""
        return next(self._batches, None)
