"""What differs between two snapshots of a table, or between two tables?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, overload

from floeberg import _native
from floeberg._arguments import checked_bool, checked_names
from floeberg.comparing.sides import Comparable, IcebergSide
from floeberg.comparing.table_diff import TableDiff
from floeberg.comparing.two_tables import TwoTablesDiff
from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.table._read import TableReads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import pyarrow as pa

__all__ = ["TableComparison"]


class TableComparison(TableReads, Comparable):
    """The method of `floeberg.Table` that compares two snapshots, or two tables."""

    @overload
    def diff(
        self,
        a: Comparable,
        b: int | str | datetime | None = None,
        *,
        key: Sequence[str] | None = None,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        preview: Literal[False] = False,
    ) -> TwoTablesDiff: ...

    @overload
    def diff(
        self,
        a: int | str | datetime,
        b: int | str | datetime | None = None,
        *,
        key: Sequence[str] | None = None,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        preview: Literal[False] = False,
    ) -> TableDiff: ...
    @overload
    def diff(
        self,
        a: int | str | datetime,
        b: int | str | datetime | None = None,
        *,
        key: Sequence[str] | None = None,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        preview: Literal[True],
    ) -> pa.RecordBatch: ...
    def diff(  # noqa: PLR0913 - all but two are keywords
        self,
        a: int | str | datetime | Comparable,
        b: int | str | datetime | None = None,
        *,
        key: Sequence[str] | None = None,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        preview: bool = False,
    ) -> TableDiff | pa.RecordBatch:
        """Compares two snapshots, or two tables: rows, files, columns and settings. Nothing is read at first.

        The two may be on different branches, and in any order. Only files that one of them has alone are read, and the
        deletes of files that both have. Nothing is read where the history proves that no row changed: see
        `TableDiff.proof`.

        The rows are:

        - `_change`: `insert`, `delete` or `update`;
        - `_changed_columns`: the columns of an update whose values differ, or null;
        - `before` and `after`: structs of the columns of the second schema, or null where there is no row.

        Columns are found by their field ids. A column that was added has its default, or null, in rows from before; one
        that was dropped is in `TableDiff.schema` alone. A column that was promoted has the wider type.

        A row of the first snapshot and one of the second are one row, if their keys are equal: `key`, or else the
        identifier fields of the schema. A key that several rows of a side have counts for nothing. Without a key, row
        ids say it in format version 3; in others, rows of equal values are one, and all others are inserts and deletes.

        Of two tables, columns are found by their names, and all rows of both are read. A row of the one and one of the
        other are one row by `key`; or by the identifier fields, where both tables have these columns; or else by the
        values of all columns that are compared. A type that can be promoted is compared in the wider type.

        Args:
            a: The first snapshot: an id, the name of a branch or tag, or a datetime. Or another table, a `Table` or a
                `LanceTable`, which is compared as it is opened.
            b: The second snapshot, given likewise. By default, the one that the table was opened at, or the current
                one.
            key: The columns that identify a row.
            row_filter: Compares only rows that match: a row that matches no more is a delete.
            selected_fields: Compares these columns; `*` is all. A part of a column cannot be selected.
            preview: Whether to read manifests alone, and to say how many rows and bytes of each partition differ at
                most.

        Returns:
            What differs. With `preview`, a row for each partition with files that differ: `spec_id`, `partition`,
            `files`, `inserted_rows`, `inserted_bytes`, `deleted_rows` and `deleted_bytes`. An update counts on both
            sides, and so does a row that was only written again.

        Raises:
            InvalidInputError: `a` is `None`. Or a column is unknown, or is a part of another one, or has a type of
                another meaning in the other table. Or a `preview` of two tables is asked for.
            NotFoundError: A snapshot does not exist, or was expired. The error names it.

        Examples:
            >>> first = table.snapshots()[0].snapshot_id
            >>> diff = table.diff(first, selected_fields=("id",))
            >>> diff.to_arrow().column_names
            ['_change', '_changed_columns', 'before', 'after']
            >>> table.diff(first, preview=True)["inserted_rows"].to_pylist()
            [5]
        """
        names = checked_names("selected_fields", selected_fields)
        keys = None if key is None else checked_names("key", key)
        if a is None:
            raise InvalidInputError(
                "a: expected a snapshot id, the name of a branch or tag, a datetime, or a table, found None"
            )
        if isinstance(a, Comparable):
            if checked_bool("preview", preview):
                raise InvalidInputError("preview: expected False for two tables, found True: see summary()")
            before, scan = a._side(), self._at("b", b, case_sensitive=True)  # noqa: SLF001 - of this package
            after = self._side_at(scan, self._then(b, scan))
            if row_filter is not ALWAYS_TRUE:
                tree = as_expression(row_filter).as_tree()
                before, after = before.with_filter(tree), after.with_filter(tree)
            return TwoTablesDiff(before, after, keys, names)
        start = self._at("a", a, case_sensitive=True)
        scan = self._at("b", b, case_sensitive=True)
        then = {"before": self._then(a, start), "after": self._then(b, scan)}
        if names != ["*"]:
            scan = scan.select(names)
        if row_filter is not ALWAYS_TRUE:
            scan = scan.filter(as_expression(row_filter).as_tree())
        native = _native.TableDiff.of(scan, start.snapshot_id, keys)
        if not checked_bool("preview", preview):
            return TableDiff(native, start, then)
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.record_batch(cast("Any", native.preview()))

    def _side(self) -> IcebergSide:
        return self._side_at(self._at("a", None, case_sensitive=True), None)

    def _side_at(self, scan: _native.Scan, then: int | None) -> IcebergSide:
        metadata = self._metadata()
        return IcebergSide(scan, metadata["location"], metadata.get("table-uuid", ""), then)

    def _then(self, chosen: int | str | datetime | None, scan: _native.Scan) -> int | None:
        """The snapshot with whose metadata settings are compared; `None` for the metadata as it is now."""
        refs = self._metadata().get("refs", {})
        is_branch = isinstance(chosen, str) and refs.get(chosen, {}).get("type") == "branch"
        return None if chosen is None or is_branch else scan.snapshot_id
