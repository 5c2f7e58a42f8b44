"""Which rows did a range of snapshots insert, delete and update?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.scan.rows import RowSource

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ChangelogScan"]


class ChangelogScan(RowSource[_native.ChangelogScan]):
    """Changes of rows, as `Table.changelog_scan` describes them.

    It is immutable and can be pickled, as a `Scan`. Nothing is read until you ask for rows or files.

    Examples:
        >>> changes = table.changelog_scan("first")
        >>> sorted(set(changes.to_arrow()["_change_type"].to_pylist()))
        ['INSERT']
    """

    @property
    def from_snapshot_id_exclusive(self) -> int | None:
        """The snapshot after which changes are read; `None` where it is from the first on."""
        return self._inner.start

    @property
    def to_snapshot_id_inclusive(self) -> int | None:
        """The last snapshot whose changes are read; `None` for an empty table."""
        return self._inner.scan().snapshot_id

    def plan_files(self) -> pa.RecordBatch:
        """Finds the files with changed rows.

        Returns:
            A row for each file and snapshot: `change_ordinal`, `commit_snapshot_id`, `change_type` (`INSERT` or
            `DELETE`), `file_path`, `record_count` and `file_size_in_bytes` of the file, and `changed_rows`, with rows
            that were only carried over. `changed_rows` is null where the file has to be read to know it.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest or a delete file is missing.

        Examples:
            >>> plan = table.changelog_scan().plan_files()
            >>> plan["change_type"].to_pylist()[:2]
            ['INSERT', 'INSERT']
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.record_batch(cast("Any", self._inner.plan()))
