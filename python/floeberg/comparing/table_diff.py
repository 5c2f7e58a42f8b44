"""What differs between two snapshots of a table?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from floeberg._arguments import checked_size
from floeberg._keywords import says_keywords_of_methods
from floeberg.comparing.settings import Changed, changed_columns, changed_properties
from floeberg.comparing.shown import difference_html, difference_markdown, table_rows
from floeberg.comparing.sides import expected_metadata
from floeberg.comparing.summary import DiffSummary
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.scan.reported import Part, ReportedParts, Whole
from floeberg.scan.rows import ArrowRows
from floeberg.scan.scan import Scan
from floeberg.types._from_json import read_sort_order, read_spec

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native
    from floeberg.comparing.settings import ColumnChange
    from floeberg.progress.reporting import Reporter
    from floeberg.scan.batch_stream import BatchStream
    from floeberg.types import PartitionSpec, SortOrder

__all__ = ["TableDiff"]

_ROWS_SHOWN = 20


@says_keywords_of_methods
class TableDiff(ArrowRows):
    """What differs between two snapshots, as `Table.diff` describes it.

    It is immutable and can be pickled. Nothing is read until it is asked for, and counts are kept then. It is neither
    true nor false: use `has_changed_rows`.

    Examples:
        >>> diff = table.diff("main")
        >>> diff.has_changed_rows(), diff.proof()
        (False, 'same snapshot')
    """

    _of_what = "snapshot"

    def __init__(self, native: _native.TableDiff, start: _native.Scan, then: dict[str, int | None]) -> None:
        """Use `Table.diff`."""
        self._inner = native
        self._start = start
        # The snapshots with whose metadata settings are compared; `None` is the metadata of the table as it is.
        self._then = then
        self._counts: tuple[int, int, int, dict[str, int]] | None = None

    @property
    def from_snapshot_id(self) -> int | None:
        """The first snapshot."""
        return cast("int", self._inner.start)

    @property
    def to_snapshot_id(self) -> int | None:
        """The second snapshot; `None` for a table without snapshots."""
        return self._inner.scan().snapshot_id

    def proof(self) -> str | None:
        """What proves, without reading rows, that none differs.

        Returns:
            `same snapshot`, or `rewrites only` where all snapshots from the one to the other are `replace` snapshots,
            and the counts of their manifest lists do not contradict that. `None` where rows have to be compared.

        Raises:
            InvalidDataError: A manifest list is damaged.
            NotFoundError: A manifest list is missing.
        """
        return self._inner.proof()

    def has_changed_rows(self) -> bool:
        """Whether any row differs. Rows are read only until one is found, and not at all where `proof` says something.

        Returns:
            Whether a row was inserted, deleted or updated.

        Raises:
            InvalidDataError: A file is damaged.
            NotFoundError: A file is missing.

        Examples:
            >>> first = table.snapshots()[0].snapshot_id
            >>> table.diff(first).has_changed_rows()
            True
        """
        if self._counts is not None:
            return any(self._counts[:3])
        return self._open().next_batch() is not None

    def exit_code(self) -> int:
        """What a job exits with: as `diff` does for files, 1 where a row differs, and else 0.

        Returns:
            1 or 0.

        Raises:
            InvalidDataError: A file is damaged.
            NotFoundError: A file is missing.

        Examples:
            >>> table.diff("main").exit_code()
            0
        """
        return int(self.has_changed_rows())

    def schema(self) -> list[ColumnChange]:
        """The columns of the two schemas that differ, by their field ids.

        Returns:
            A `ColumnChange` for each, those of the second schema first. Parts of columns are columns of their own.

        Examples:
            >>> table.diff(table.snapshots()[0].snapshot_id).schema()
            []
        """
        return changed_columns(Scan(self._start).schema(), Scan(self._inner.scan().select(["*"])).schema())

    def spec(self) -> Changed[PartitionSpec] | None:
        """The default partition specs, as they were when the snapshots were committed.

        Returns:
            Both, or `None` where they do not differ.

        Raises:
            NotFoundError: The metadata file of then is not in the metadata log, or was removed. The error names the
                snapshot.
        """
        found = [
            {each.spec_id: each for each in map(read_spec, state["partition-specs"])}[
                state["default-spec-id"]
            ]
            for state in self._states()
        ]
        return _changed(*found)

    def sort_order(self) -> Changed[SortOrder] | None:
        """The default sort orders, as they were when the snapshots were committed.

        Returns:
            Both, or `None` where they do not differ.

        Raises:
            NotFoundError: As for `spec`.
        """
        found = [
            {each.order_id: each for each in map(read_sort_order, state["sort-orders"])}[
                state["default-sort-order-id"]
            ]
            for state in self._states()
        ]
        return _changed(*found)

    def properties(self) -> dict[str, Changed[str]]:
        """The properties that differ, as they were when the snapshots were committed.

        Returns:
            The values before and after, by key.

        Raises:
            NotFoundError: As for `spec`.

        Examples:
            >>> table.diff("main").properties()
            {}
        """
        before, after = self._states()
        return changed_properties(before.get("properties", {}), after.get("properties", {}))

    def files(self) -> pa.RecordBatch:
        """The files that differ, whichever rows are compared. No data file and no delete file is opened.

        Returns:
            A row for each: `change` (`added`, `removed`, or `other deletes` for a data file that both have), `content`
            (`data`, `position deletes`, `equality deletes`, `deletion vector`), `file_path`, `spec_id`, `partition`,
            `record_count` and `file_size_in_bytes`.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest is missing.

        Examples:
            >>> set(table.diff(table.snapshots()[0].snapshot_id).files()["change"].to_pylist())
            {'added'}
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.record_batch(cast("Any", self._inner.files()))

    def summary(self) -> DiffSummary:
        """Counts what differs. The rows of files that differ are read, if manifests do not say how many came or went.

        Returns:
            The counts, and what else differs.

        Raises:
            InvalidDataError: A file is damaged. The error names it.
            NotFoundError: A file is missing.

        Examples:
            >>> found = table.diff(table.snapshots()[0].snapshot_id).summary()
            >>> found.changed_rows == found.inserted_rows, found.proof
            (True, None)
        """
        inserted, deleted, updated, columns = self._counted()
        added, removed, with_other_deletes = self._file_counts()
        spec, order, properties, not_known = None, None, {}, None
        try:
            spec, order, properties = self.spec(), self.sort_order(), self.properties()
        except (NotFoundError, UnsupportedError) as error:
            not_known = error.args[0]
        return DiffSummary(
            from_snapshot_id=self.from_snapshot_id,
            to_snapshot_id=self.to_snapshot_id,
            inserted_rows=inserted,
            deleted_rows=deleted,
            updated_rows=updated,
            changed_columns=columns,
            proof=self.proof(),
            added_files=added,
            removed_files=removed,
            files_with_other_deletes=with_other_deletes,
            columns=tuple(self.schema()),
            spec=spec,
            sort_order=order,
            properties=properties,
            not_known=not_known,
        )

    def to_markdown(self, limit: int = _ROWS_SHOWN) -> str:
        """The summary and the first rows as Markdown, such as for a comment on a change.

        Args:
            limit: The most rows that are shown.

        Returns:
            The text. A value that changed is shown as `old -> new`.

        Raises:
            InvalidInputError: The limit is negative.

        Examples:
            >>> print(table.diff("main").to_markdown().splitlines()[2])
            - rows: no row changed (same snapshot)
        """
        return difference_markdown(*self._shown(checked_size("limit", limit)))

    def _repr_html_(self) -> str:
        return difference_html(*self._shown(_ROWS_SHOWN))

    def _shown(self, limit: int) -> tuple[str, dict[str, object], list[str], list[list[str]], str]:
        import pyarrow as pa  # noqa: PLC0415

        summary = self.summary()
        columns = pa.schema(cast("Any", self)).field("after").type
        names = [columns.field(number).name for number in range(columns.num_fields)]
        changes: list[dict[str, Any]] = []
        if limit and summary.changed_rows:
            stream = self._open()
            while len(changes) < limit and (batch := stream.next_batch()) is not None:
                rows = pa.record_batch(cast("Any", batch))
                changes += rows.slice(0, limit - len(changes)).to_pylist()
        title = self._title()
        left = summary.changed_rows - len(changes)
        more = f"{left} more rows" if left else ""
        return title, summary.facts(), names, table_rows(names, changes), more

    def _title(self) -> str:
        return f"From {self._of_what} {self.from_snapshot_id} to {self.to_snapshot_id}"

    def _file_counts(self) -> tuple[int | None, int | None, int | None]:
        """How many files were added, were removed, and have other deletes."""
        changes = self.files()["change"].to_pylist()
        return changes.count("added"), changes.count("removed"), changes.count("other deletes")

    def _counted(self) -> tuple[int, int, int, dict[str, int]]:
        if self._counts is None:
            self._counts = self._inner.counts()
        return self._counts

    def _states(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The metadata of both sides."""
        return self._state("before"), self._state("after")

    def _state(self, side: str) -> dict[str, Any]:
        snapshot_id = self._then[side]
        inner = self._inner
        found = inner.metadata_now() if snapshot_id is None else inner.metadata_then(snapshot_id)
        return expected_metadata(found, snapshot_id)

    def _read_all(self) -> object:
        return self._inner.read_all()

    def _open(self) -> BatchStream:
        return self._inner.stream()

    def _open_reported(self, reporter: Reporter) -> BatchStream:
        return ReportedParts(reporter, lambda: (Whole(), [Part(self._open, 0, 0)]), "comparing")

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._inner.__arrow_c_stream__(requested_schema)

    def __bool__(self) -> NoReturn:
        raise InvalidInputError(
            "a difference is neither true nor false: use has_changed_rows(), or summary()"
        )

    def __repr__(self) -> str:
        return f"TableDiff(from_snapshot_id={self.from_snapshot_id}, to_snapshot_id={self.to_snapshot_id})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._inner, self._start, self._then)


def _changed(before: Any, after: Any) -> Changed[Any] | None:  # noqa: ANN401 - both are of one class
    return None if before == after else Changed(before, after)
