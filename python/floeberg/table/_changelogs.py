"""How are changes of the rows of a table read?"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_names
from floeberg._timestamps import milliseconds
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.scan.changelog import ChangelogScan
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TableChangelogs"]


class TableChangelogs(TableBase):
    """The methods of `floeberg.Table` that read changes."""

    def changelog_scan(  # noqa: PLR0913 - all but two are keywords
        self,
        from_snapshot_id_exclusive: int | str | datetime | None = None,
        to_snapshot_id_inclusive: int | str | datetime | None = None,
        *,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,
        identifier_columns: Sequence[str] | None = None,
        net: bool = False,
    ) -> ChangelogScan:
        """Describes the rows that snapshots inserted, deleted and updated. Nothing is read yet.

        The columns are those of the end's schema, then:

        - `_change_type`: `INSERT`, `DELETE`, `UPDATE_BEFORE` or `UPDATE_AFTER`;
        - `_change_ordinal`: the order of the snapshots, from 0;
        - `_commit_snapshot_id`: the snapshot that made the change.

        Changes come snapshot by snapshot, the oldest first, and in each the deleted rows before the inserted ones. A
        row that a snapshot only wrote again did not change. In format version 3 it is known by its row id, in
        others by the values of all columns. `replace` snapshots change no row and are skipped.

        An update is one deleted and one inserted row of a snapshot with the same identifier columns, or, where there
        are none, with the same row id.

        Args:
            from_snapshot_id_exclusive: Reads changes after this snapshot: an id, the name of a branch or tag, or a
                datetime. By default, from the first snapshot of the table on.
            to_snapshot_id_inclusive: The last snapshot, given likewise. By default, the one that the table was opened
                at, or the current one.
            row_filter: SQL text, a comparison of `fb.col`, or another filter. It is tested on each row that was
                inserted or deleted: an update is a delete where only the old row matches.
            selected_fields: Names of columns; `*` is all. A part of a column cannot be selected.
            case_sensitive: Whether the case of column names counts.
            identifier_columns: The columns that identify a row. By default, the identifier fields of the schema, if
                there are some.
            net: Whether to read only what differs between the two ends, as if one commit had made it.

        Returns:
            The changes to read.

        Raises:
            InvalidInputError: The start is not an ancestor of the end, a snapshot between them was expired, or a
                column is unknown.
            NotFoundError: The end does not exist.

        Examples:
            >>> first = table.snapshots()[0].snapshot_id
            >>> changes = table.changelog_scan(first, selected_fields=("id",)).to_arrow()
            >>> changes.column_names
            ['id', '_change_type', '_change_ordinal', '_commit_snapshot_id']
        """
        flag = checked_bool("case_sensitive", case_sensitive)
        scan = self._at("to_snapshot_id_inclusive", to_snapshot_id_inclusive, case_sensitive=flag)
        names = checked_names("selected_fields", selected_fields)
        if names != ["*"]:
            scan = scan.select(names)
        if row_filter is not ALWAYS_TRUE:
            scan = scan.filter(as_expression(row_filter).as_tree())
        start = None
        if from_snapshot_id_exclusive is not None:
            start = self._start(from_snapshot_id_exclusive)
        keys = None if identifier_columns is None else checked_names("identifier_columns", identifier_columns)
        return ChangelogScan(_native.ChangelogScan.of(scan, start, keys, checked_bool("net", net)))

    def _start(self, start: int | str | datetime) -> int | None:
        """The id of the snapshot before the changes. It may be expired: then reading it says what to do."""
        name = "from_snapshot_id_exclusive"
        if isinstance(start, (str, datetime)):
            return self._at(name, start, case_sensitive=True).snapshot_id
        return checked_int(name, start)

    def _at(self, name: str, snapshot: int | str | datetime | None, *, case_sensitive: bool) -> _native.Scan:
        """All rows at a snapshot that is given in one of several ways."""
        is_named = isinstance(snapshot, (str, datetime)) or snapshot is None
        scan = self._inner.scan(
            row_filter=ALWAYS_TRUE.as_tree(),
            selected_fields=["*"],
            case_sensitive=case_sensitive,
            snapshot_id=None if is_named else checked_int(name, snapshot),
            limit=None,
            wap_branch=self._wap_branch() if snapshot is None or isinstance(snapshot, datetime) else None,
        )
        if isinstance(snapshot, str):
            return scan.use_ref(snapshot)
        return scan.as_of(milliseconds(snapshot)) if isinstance(snapshot, datetime) else scan
