"""Which rows did a range of versions of a Lance table insert, delete and update?

In: a range of versions. Out: batches of changed rows, with what was done to them, and by which version.

```text
selected columns | _change_type | _change_ordinal | _commit_version
```

Invariant: changes come version by version, and in each the old rows before the new ones, in the order of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._keywords import says_keywords_of_methods
from floeberg.lance.pages import pages_of
from floeberg.scan.rows import StreamedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.scan.batch_stream import BatchStream

__all__ = ["ChangesRequest", "LanceChangelogScan"]


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
class LanceChangelogScan(StreamedRows):
    """Changes of rows, as `LanceTable.changelog_scan` describes them.

    It is immutable and can be pickled, as a scan. Nothing is read until you ask for rows.

    Examples:
        >>> lance_table.changelog_scan(1, selected_fields=("id",)).to_arrow()["_change_type"].to_pylist()
        ['DELETE', 'DELETE', 'INSERT']
    """

    __slots__ = ("_end", "_inner", "_request", "_start")

    def __init__(
        self, start: _native.LanceTable | None, end: _native.LanceTable, request: ChangesRequest
    ) -> None:
        """Use `LanceTable.changelog_scan`."""
        self._start = start
        self._end = end
        self._request = request
        self._inner = _native.LanceChangelog.of(
            start,
            end,
            row_filter=request.row_filter,
            selected_fields=list(request.selected_fields),
            case_sensitive=request.case_sensitive,
            net=request.net,
        )

    @property
    def from_version_exclusive(self) -> int | None:
        """The version after which changes are read; `None` where it is from the first on."""
        return None if self._start is None else self._start.version

    @property
    def to_version_inclusive(self) -> int:
        """The last version whose changes are read."""
        return self._end.version

    def _open(self) -> BatchStream:
        return self._inner.rows(pages_of(self._end.storage_options))

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"LanceChangelogScan(from={self.from_version_exclusive}, to={self.to_version_inclusive})"

    def __reduce__(self) -> tuple[type[LanceChangelogScan], tuple[object, ...]]:
        return type(self), (self._start, self._end, self._request)
