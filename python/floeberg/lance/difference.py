"""What differs between two versions of a Lance table?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg._keywords import says_keywords_of_methods
from floeberg.comparing.settings import (
    Changed,
    ColumnChange,
    LanceField,
    changed_fields,
    changed_properties,
)
from floeberg.comparing.table_diff import TableDiff
from floeberg.lance.pages import pages_of
from floeberg.scan.rows import StreamedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg.scan.batch_stream import BatchStream

__all__ = ["LanceTableDiff"]


@says_keywords_of_methods
class LanceTableDiff(StreamedRows, TableDiff):
    """What differs between two versions, as `LanceTable.diff` describes it.

    It has the methods of `floeberg.TableDiff`. The two snapshots are versions. It is immutable and can be pickled.
    Nothing is read until it is asked for, and counts are kept then.

    Examples:
        >>> diff = lance_table.diff(lance_table.version)
        >>> diff.has_changed_rows(), diff.proof()
        (False, 'same version')
    """

    _of_what = "version"

    def __init__(
        self,
        before: _native.LanceTable,
        after: _native.LanceTable,
        key: Sequence[str] | None,
        selected_fields: Sequence[str],
        row_filter: Any = None,  # noqa: ANN401 - a tree of the native module
    ) -> None:
        """Use `LanceTable.diff`."""
        self._before = before
        self._after = after
        self._key = None if key is None else list(key)
        self._selected = list(selected_fields)
        self._filter = row_filter
        self._lance = _native.LanceDiff.of(before, after, self._key, self._selected, row_filter)
        self._counts = None

    @property
    def from_snapshot_id(self) -> int:
        """The first version."""
        return self._before.version

    @property
    def to_snapshot_id(self) -> int:
        """The second version."""
        return self._after.version

    def proof(self) -> str | None:
        """What proves, without reading rows, that none differs.

        Returns:
            `same version`; `same fragments` where both have the same data files and deletion files; or `rewrites only`
            where all versions from the one to the other only wrote rows again, or changed indices and settings, and the
            counts of rows do not contradict that. `None` where rows have to be compared.

        Raises:
            InvalidDataError: A manifest, or a transaction, is damaged.

        Examples:
            >>> lance_table.diff(lance_table.version).proof()
            'same version'
        """
        return self._lance.proof()

    def schema(self) -> list[ColumnChange]:
        """The fields of the two schemas that differ, by their ids.

        Returns:
            A `ColumnChange` for each, with a `LanceField` before and after, those of the second schema first.

        Examples:
            >>> [str(each) for each in lance_table.diff(1, 1).schema()]
            []
        """
        before, after = ([LanceField(*parts) for parts in fields] for fields in self._lance.fields())
        return changed_fields(before, after)

    def spec(self) -> None:
        """Lance tables have no partition specs.

        Returns:
            `None`.
        """

    def sort_order(self) -> None:
        """Lance tables have no sort orders.

        Returns:
            `None`.
        """

    def properties(self) -> dict[str, Changed[str]]:
        """The settings of the table that differ.

        Returns:
            The values before and after, by key.

        Examples:
            >>> lance_table.diff(1).properties()
            {}
        """
        return changed_properties(self._before.facts()["config"], self._after.facts()["config"])

    def table_metadata(self) -> dict[str, Changed[str]]:
        """The metadata of the table that differ, which users set.

        Returns:
            The values before and after, by key.

        Examples:
            >>> lance_table.diff(1).table_metadata()
            {}
        """
        key = "table_metadata"
        return changed_properties(self._before.facts()[key], self._after.facts()[key])

    def files(self) -> pa.RecordBatch:
        """The files that differ. No data file and no deletion file is opened.

        Returns:
            A row for each: `change` (`added`, `removed`, or `other deletes` for a data file that both have), `content`
            (`data` or `deletion file`), `file_path`, `fragment_id`, `record_count` and `file_size_in_bytes` (0 where
            the manifest does not say it).

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.

        Examples:
            >>> lance_table.diff(lance_table.version).files().num_rows
            0
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.record_batch(cast("Any", self._lance.files()))

    def _preview(self) -> pa.RecordBatch:
        import pyarrow as pa  # noqa: PLC0415

        return pa.record_batch(cast("Any", self._lance.preview()))

    def _counted(self) -> tuple[int, int, int, dict[str, int]]:
        if self._counts is None:
            self._counts = self._lance.counts(pages_of(self._after.storage_options))
        return self._counts

    def _open(self) -> BatchStream:
        return self._lance.rows(pages_of(self._after.storage_options))

    def __arrow_c_schema__(self) -> object:
        return self._lance.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"LanceTableDiff(from_version={self.from_snapshot_id}, to_version={self.to_snapshot_id})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._before, self._after, self._key, self._selected, self._filter)
