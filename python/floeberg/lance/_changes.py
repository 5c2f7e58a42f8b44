"""How are changes of the rows of a Lance table read?"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_names, checked_size
from floeberg._timestamps import microseconds
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.lance._base import LanceTableBase
from floeberg.lance.changes import ChangesRequest, LanceChangelogScan

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LanceTableChanges"]


class LanceTableChanges(LanceTableBase):
    """The methods of `floeberg.lance.LanceTable` that read changes."""

    def changelog_scan(  # noqa: PLR0913 - all but two are keywords
        self,
        from_version_exclusive: int | str | datetime | None = None,
        to_version_inclusive: int | str | datetime | None = None,
        *,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,
        net: bool = False,
    ) -> LanceChangelogScan:
        """Describes the rows that versions inserted, deleted and updated. Nothing is read yet.

        It is as `floeberg.Table.changelog_scan`. The columns are those of the end, then:

        - `_change_type`: `INSERT`, `DELETE`, `UPDATE_BEFORE` or `UPDATE_AFTER`;
        - `_change_ordinal`: the order of the versions, from 0;
        - `_commit_version`: the version that made the change.

        Changes come version by version, the oldest first, and in each the old rows before the new ones. With stable row
        ids, a row is known by its id, and was updated if the version of its last update is another one. A row that a
        compaction only moved did not change. Without stable row ids, a row is known by its address: an update is a
        `DELETE` and an `INSERT`.

        Columns that a version added with values are no change of rows: the rows before have nulls in them.

        Args:
            from_version_exclusive: Reads changes after this version: a number, the name of a tag, or a datetime. By
                default, from the first version of the table on.
            to_version_inclusive: The last version, given likewise. By default, the one that the table is at.
            row_filter: SQL text, a comparison of `fb.col`, or another filter. It is tested on each row that was
                inserted or deleted: an update is a `DELETE` where only the old row matches.
            selected_fields: Names of columns; `*` is all. `_rowid` and `_rowaddr` can be selected, a part of a column
                cannot.
            case_sensitive: Whether the case of column names counts.
            net: Whether to read only what differs between the two ends, as if one commit had made it.

        Returns:
            The changes to read.

        Raises:
            InvalidInputError: The start is not before the end, a version between them is gone or on another branch, or
                a column is unknown.
            NotFoundError: The end does not exist.
            UnsupportedError: A column is another one in the range. Or rows have no stable ids, and nothing says
                which of them only moved. Reading raises it.

        Examples:
            >>> changes = lance_table.changelog_scan(1, 2, selected_fields=("id",))
            >>> changes.to_arrow().column_names
            ['id', '_change_type', '_change_ordinal', '_commit_version']
        """
        request = ChangesRequest(
            as_expression(row_filter).as_tree(),
            checked_names("selected_fields", selected_fields),
            checked_bool("case_sensitive", case_sensitive),
            checked_bool("net", net),
        )
        known = self._inner.version_numbers()
        name = "to_version_inclusive"
        last = self._numbered(name, to_version_inclusive, self._inner.version)
        if last not in known:
            raise NotFoundError(f"{name}: {self._line()} has no version {last}, or not any more")
        first = 0
        if from_version_exclusive is not None:
            first = self._numbered("from_version_exclusive", from_version_exclusive, 0)
        self._check_range(known, first, last, begins=from_version_exclusive is None)
        start = None if from_version_exclusive is None else self._inner.at_version(first)
        end = self._inner if last == self._inner.version else self._inner.at_version(last)
        return LanceChangelogScan(start, end, request)

    def _check_range(self, known: list[int], first: int, last: int, *, begins: bool) -> None:
        if first > last:
            raise InvalidInputError(
                f"expected a start before the end, found version {first} and version {last}"
            )
        there = set(known)
        gone = [each for each in range(1 if begins else first, last + 1) if each not in there]
        if not gone:
            return
        after = min(each for each in known if each > gone[-1])
        raise InvalidInputError(
            f"{self._line()} has no version {gone[-1]}, or not any more, so that its changes are not known: the "
            f"earliest start is from_version_exclusive={after}"
        )

    def _numbered(self, name: str, version: int | str | datetime | None, default: int) -> int:
        """The number of a version that is given in one of several ways."""
        if version is None:
            return default
        if isinstance(version, str):
            tag = next((each for each in self._inner.tags() if each[0] == version), None)
            if tag is None:
                raise NotFoundError(f"{name}: the table has no tag {version!r}")
            if tag[2] != self._inner.branch:
                raise InvalidInputError(
                    f"{name}: the tag {version!r} is of another branch than {self._line()}"
                )
            return tag[1]
        if isinstance(version, datetime):
            return _native.LanceTable.open(
                self._inner.location,
                relocate=[],
                storage_options=self._inner.storage_options,
                version=None,
                tag=None,
                branch=self._inner.branch,
                as_of_us=microseconds(version, name),
            ).version
        return checked_size(name, version, 1)

    def _line(self) -> str:
        branch = self._inner.branch
        return "the main branch" if branch is None else f"the branch {branch!r}"
