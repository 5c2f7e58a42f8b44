"""What differs between two tables, of one format or of both?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from floeberg import _native
from floeberg._keywords import says_keywords_of_methods
from floeberg.comparing.settings import (
    Changed,
    ColumnChange,
    changed_names,
    changed_properties,
)
from floeberg.comparing.table_diff import TableDiff
from floeberg.errors import UnsupportedError
from floeberg.scan.rows import StreamedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg.comparing.sides import ComparedTable
    from floeberg.scan.batch_stream import BatchStream
    from floeberg.types import PartitionSpec, SortOrder

__all__ = ["TwoTablesDiff"]


@says_keywords_of_methods
class TwoTablesDiff(StreamedRows, TableDiff):
    """What differs between two tables, as `Table.diff` and `LanceTable.diff` describe it.

    It has the methods of `floeberg.TableDiff`. The two snapshots are of two tables; of a Lance table they are versions.
    It is immutable and can be pickled. Nothing is read until it is asked for, and counts are kept then.

    Examples:
        >>> diff = table.diff(table, key=["id"])
        >>> diff.has_changed_rows(), diff.proof()
        (False, 'same table')
    """

    def __init__(
        self,
        before: ComparedTable,
        after: ComparedTable,
        key: Sequence[str] | None,
        selected_fields: Sequence[str],
    ) -> None:
        """Use `Table.diff` or `LanceTable.diff`."""
        self._before = before
        self._after = after
        self._key = None if key is None else list(key)
        self._selected = list(selected_fields)
        self._two = _native.TwoTables.of(
            before.scan, after.scan, self._selected, self._key, [] if key is not None else after.own_key()
        )
        self._counts = None

    @property
    def from_snapshot_id(self) -> int | None:
        """The snapshot, or the version, of the first table; `None` for a table without snapshots."""
        return self._before.snapshot_id

    @property
    def to_snapshot_id(self) -> int | None:
        """The snapshot, or the version, of the second table; `None` for a table without snapshots."""
        return self._after.snapshot_id

    def proof(self) -> str | None:
        """What proves, without reading rows, that none differs.

        Returns:
            `same table` where both are one table at one snapshot, with the same schema. `None` where rows have to be
            compared.

        Examples:
            >>> table.diff(table).proof()
            'same table'
        """
        return "same table" if self._before.identity() == self._after.identity() else None

    def schema(self) -> list[ColumnChange]:
        """The columns of the two schemas that differ, by their names.

        Field ids count for nothing. Of two tables of one format, parts of columns are columns of their own. Of an
        Iceberg table and a Lance table, whole columns are listed, with another type, or which may be null in one table
        alone.

        Returns:
            A `ColumnChange` for each, those of the second schema first.

        Examples:
            >>> table.diff(table).schema()
            []
        """
        before, after = self._before.fields(), self._after.fields()
        if self._is_of_one_format():
            return changed_names(before, after)
        return [
            ColumnChange(
                cast("Literal['added', 'dropped', 'changed']", change),
                name,
                before.get(name),
                after.get(name),
            )
            for name, change in self._two.columns()
        ]

    def spec(self) -> Changed[PartitionSpec] | None:
        """The default partition specs of two Iceberg tables. Columns are compared by their names.

        Returns:
            Both, or `None` where they do not differ, and for two Lance tables, which have none.

        Raises:
            NotFoundError: The metadata file of then is not in the metadata log, or was removed. The error names the
                snapshot.
            UnsupportedError: The tables are of two formats.
        """
        self._check_format()
        return _changed(self._before.spec(), self._after.spec())

    def sort_order(self) -> Changed[SortOrder] | None:
        """The default sort orders of two Iceberg tables. Columns are compared by their names.

        Returns:
            Both, or `None` where they do not differ, and for two Lance tables, which have none.

        Raises:
            NotFoundError: As for `spec`.
            UnsupportedError: The tables are of two formats.
        """
        self._check_format()
        return _changed(self._before.sort_order(), self._after.sort_order())

    def properties(self) -> dict[str, Changed[str]]:
        """The properties of two Iceberg tables, or the settings of two Lance tables, that differ.

        Returns:
            The values of both, by key.

        Raises:
            NotFoundError: As for `spec`.
            UnsupportedError: The tables are of two formats.

        Examples:
            >>> table.diff(table).properties()
            {}
        """
        self._check_format()
        return changed_properties(self._before.properties(), self._after.properties())

    def files(self) -> pa.RecordBatch:
        """The files that one of two tables of one format has alone. No data file and no delete file is opened.

        Returns:
            A row for each, as for `Table.diff` or `LanceTable.diff` of one table: `change` is `removed` for a file of
            the first table, and `added` for one of the second.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest is missing.
            UnsupportedError: The tables are of two formats.

        Examples:
            >>> table.diff(table).files().num_rows
            0
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        self._check_format()
        return pa.record_batch(cast("Any", self._two.files()))

    def _file_counts(self) -> tuple[int | None, int | None, int | None]:
        return super()._file_counts() if self._is_of_one_format() else (None, None, None)

    def _title(self) -> str:
        return f"From {self._before.name} to {self._after.name}"

    def _is_of_one_format(self) -> bool:
        return self._before.format_name == self._after.format_name

    def _check_format(self) -> None:
        if not self._is_of_one_format():
            one, other = self._before.format_name, self._after.format_name
            raise UnsupportedError(
                f"files, specs, sort orders and properties of {one} and {other} tables cannot be compared: ask each "
                "table for its own. schema() and the rows can be compared"
            )

    def _pages(self) -> tuple[object | None, object | None]:
        return self._before.pages(), self._after.pages()

    def _counted(self) -> tuple[int, int, int, dict[str, int]]:
        if self._counts is None:
            none: tuple[int, int, int, dict[str, int]] = (0, 0, 0, {})
            self._counts = none if self.proof() else self._two.counts(self._pages())
        return self._counts

    def _open(self) -> BatchStream:
        return _NoRows() if self.proof() else self._two.rows(self._pages())

    def __arrow_c_schema__(self) -> object:
        return self._two.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"TwoTablesDiff({self._before.name!r}, {self._after.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._before, self._after, self._key, self._selected)


class _NoRows:
    """A stream without rows."""

    def next_batch(self) -> None:
        return None


def _changed(before: tuple[object, Any] | None, after: tuple[object, Any] | None) -> Changed[Any] | None:
    if before is None or after is None or before[0] == after[0]:
        return None
    return Changed(before[1], after[1])
