"""Which metadata tables does a Lance table have?"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from floeberg.lance.versions import version_of

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native

__all__ = ["LanceInspect"]


class LanceInspect:
    """The metadata tables of a Lance table, as `pyarrow.Table`.

    Raises:
        InvalidDataError: A file is damaged. The error names it.
        NotFoundError: A file is missing.

    Examples:
        >>> lance_table.inspect.fragments().num_rows
        3
    """

    _inner: _native.LanceTable

    def __init__(self, native: _native.LanceTable) -> None:
        """Made by the table."""
        self._inner = native

    def versions(self) -> pa.Table:
        """All versions of the branch, oldest first. Each manifest is opened.

        Returns:
            Columns `version`, `timestamp` and `written_by`.

        Examples:
            >>> lance_table.inspect.versions()["version"].to_pylist()
            [1, 2, 3, 4, 5, 6, 7]
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        versions = [version_of(parts) for parts in self._inner.versions()]
        return _table(
            {
                "version": pa.array([each.version for each in versions], pa.uint64()),
                "timestamp": pa.array([each.timestamp for each in versions], pa.timestamp("us", "UTC")),
                "written_by": pa.array([each.written_by for each in versions], pa.string()),
            }
        )

    def fragments(self) -> pa.Table:
        """The fragments, in the order of a scan.

        Returns:
            Columns `fragment_id`, `physical_rows`, `deleted_rows` (null if the manifest does not say it), `data_files`
            and `deletion_file`.
        """
        import pyarrow as pa  # noqa: PLC0415

        plan = self._inner.scan(row_filter=("true",), selected_fields=["*"], case_sensitive=True, limit=None)
        batch = pa.record_batch(plan.plan().to_batch())
        return cast("pa.Table", pa.Table.from_batches([batch]))

    def data_files(self) -> pa.Table:
        """The data files of all fragments.

        Returns:
            Columns `fragment_id`, `location`, `version` (of the file format), `fields` (ids; negative ones are of
            fields that were rewritten) and `size_bytes` (0 if the manifest does not say it).

        Examples:
            >>> lance_table.inspect.data_files()["fields"].to_pylist()[:3]
            [[0, 1, 2], [3, 4], [5]]
        """
        import pyarrow as pa  # noqa: PLC0415

        columns = list(zip(*self._inner.data_files(), strict=True)) or [()] * 5
        types = (pa.uint64(), pa.string(), pa.string(), pa.list_(pa.int32()), pa.uint64())
        names = ("fragment_id", "location", "version", "fields", "size_bytes")
        return _table(
            {
                name: pa.array(list(column), kind)
                for name, kind, column in zip(names, types, columns, strict=True)
            }
        )

    def refs(self) -> pa.Table:
        """Tags and branches, by name.

        Returns:
            Columns `name`, `type` (`BRANCH` or `TAG`), `version` (the parent version of a branch) and `branch` (of the
            tagged version, or the parent branch; null is the main one).
        """
        import pyarrow as pa  # noqa: PLC0415

        refs = [(name, "BRANCH", version, parent) for name, parent, version, _ in self._inner.branches()]
        refs += [(name, "TAG", version, branch) for name, version, branch in self._inner.tags()]
        columns = list(zip(*sorted(refs, key=lambda ref: ref[:2]), strict=True)) or [()] * 4
        types = (pa.string(), pa.string(), pa.uint64(), pa.string())
        return _table(
            {
                name: pa.array(list(column), kind)
                for name, kind, column in zip(
                    ("name", "type", "version", "branch"), types, columns, strict=True
                )
            }
        )


def _table(columns: dict[str, pa.Array]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    return cast("pa.Table", pa.table(columns))
