"""How are two versions of a Lance table, or two tables, compared?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from floeberg._arguments import checked_bool, checked_names
from floeberg.comparing.sides import Comparable
from floeberg.comparing.two_tables import TwoTablesDiff
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.lance._changes import LanceTableChanges
from floeberg.lance.difference import LanceTableDiff
from floeberg.lance.side import LanceSide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import pyarrow as pa

    from floeberg import _native

__all__ = ["LanceTableComparisons"]


class LanceTableComparisons(LanceTableChanges, Comparable):
    """The method of `floeberg.lance.LanceTable` that compares versions, or two tables."""

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
    ) -> LanceTableDiff: ...
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
    ) -> LanceTableDiff | TwoTablesDiff | pa.RecordBatch:
        """Compares two versions of the branch, or two tables: rows, files, columns and settings.

        Nothing is read at first. The two may be in any order. Only fragments that differ are read: one that both
        versions have with the same data files and the same deletion file has the same rows. Nothing is read where the
        history proves that no row changed: see `LanceTableDiff.proof`.

        The rows are as those of `floeberg.Table.diff`: `_change`, `_changed_columns`, `before` and `after`. Columns are
        found by their field ids. A column that the first version lacks is null in its rows.

        A row of the first version and one of the second are one row, if they have the same values in the columns of
        `key`. Equal rows are matched first: a key that several of the other rows of a side have counts for nothing.
        Without `key`, stable row ids say it. A table without these is compared by the unenforced primary key of its
        schema; without such a key by addresses, which is refused where rows may have been moved.

        Of two tables, columns are found by their names, all rows of both are read, and a row of the one and one of the
        other are one row by `key`, by the unenforced primary key, where both tables have its columns, or else by the
        values of all columns that are compared. See `floeberg.Table.diff`.

        Args:
            a: The first version: a number, the name of a tag of the branch, or a datetime. Or another table, a
                `LanceTable` or a `floeberg.Table`, which is compared as it is opened.
            b: The second version, given likewise. By default, the one that is open.
            key: The columns that identify a row.
            row_filter: Compares only rows that match: a row that matches no more is a delete.
            selected_fields: Compares these columns; `*` is all. A part of a column cannot be selected.
            preview: Whether to read manifests alone, and to say how many rows of each fragment differ at most.

        Returns:
            What differs. With `preview`, a row for each fragment that differs: `fragment_id`, `inserted_rows` and
            `deleted_rows`. An update counts on both sides, and so does a row that was only moved.

        Raises:
            InvalidInputError: `a` is `None`. Or a column is unknown, or is a part of another one, or has a type of
                another meaning in the other table. Or a tag is of another branch, or a `preview` of two tables is asked
                for.
            NotFoundError: A version does not exist, or was removed.
            UnsupportedError: A column has another type in the first version, or was dropped and added again. Or rows
                have addresses alone, and may have been moved: reading raises it.

        Examples:
            >>> diff = lance_table.diff(1, 2, selected_fields=("id",))
            >>> diff.to_arrow().column_names
            ['_change', '_changed_columns', 'before', 'after']
            >>> lance_table.diff(2, 2, preview=True).num_rows
            0
        """
        names = checked_names("selected_fields", selected_fields)
        keys = None if key is None else checked_names("key", key)
        if a is None:
            raise InvalidInputError(
                "a: expected the number of a version, the name of a tag, a datetime, or a table, found None"
            )
        tree = None if row_filter is ALWAYS_TRUE else as_expression(row_filter).as_tree()
        if isinstance(a, Comparable):
            if checked_bool("preview", preview):
                raise InvalidInputError("preview: expected False for two tables, found True: see summary()")
            before, after = a._side(), _side_of(self._version_of("b", b))  # noqa: SLF001 - of this package
            if tree is not None:
                before, after = before.with_filter(tree), after.with_filter(tree)
            return TwoTablesDiff(before, after, keys, names)
        found = LanceTableDiff(self._version_of("a", a), self._version_of("b", b), keys, names, tree)
        return found._preview() if checked_bool("preview", preview) else found  # noqa: SLF001 - its own

    def _side(self) -> LanceSide:
        return _side_of(self._inner)

    def _version_of(self, name: str, version: int | str | datetime | None) -> _native.LanceTable:
        number = self._numbered(name, version, self._inner.version)
        if number == self._inner.version:
            return self._inner
        if number not in self._inner.version_numbers():
            raise NotFoundError(f"{name}: {self._line()} has no version {number}, or not any more")
        return self._inner.at_version(number)


def _side_of(table: _native.LanceTable) -> LanceSide:
    scan = table.scan(
        row_filter=ALWAYS_TRUE.as_tree(), selected_fields=["*"], case_sensitive=True, limit=None
    )
    return LanceSide(table, scan)
