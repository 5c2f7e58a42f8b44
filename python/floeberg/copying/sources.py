"""Which rows does a source have, and which were appended since a copy?

Invariant: appended rows are listed only if every commit since the copy appended. Any other commit is an error that says
how to copy the source whole.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from floeberg.copying.marker import Marker
from floeberg.errors import NotFoundError, UnsupportedError
from floeberg.lance import LanceTable, LanceTaskGroup

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from floeberg import _native
    from floeberg.table import Table
    from floeberg.types import NestedField

__all__ = ["IcebergSource", "LanceSource", "Source", "source_of"]

_CREATED = "_row_created_at_version"


class Source(ABC):
    """A table that is copied, at the state that is open."""

    is_lance: bool

    def __init__(self, columns: Sequence[str] | None) -> None:
        """Use `source_of`."""
        self._columns = None if columns is None else tuple(columns)

    @property
    @abstractmethod
    def name(self) -> str:
        """The identity of the source."""

    @property
    @abstractmethod
    def at(self) -> int | None:
        """The snapshot id, or the version."""

    @property
    @abstractmethod
    def state(self) -> str:
        """What tells this state from another one with the same number."""

    @property
    def declared(self) -> Table | None:
        """The table of Iceberg whose columns are copied as they are."""
        return None

    @abstractmethod
    def all_rows(self) -> pa.RecordBatchReader:
        """All rows."""

    @abstractmethod
    def count(self) -> int | None:
        """How many rows there are, where metadata says it; `None` where files would have to be read."""

    @abstractmethod
    def rows_since(self, marker: Marker) -> pa.RecordBatchReader:
        """The rows that were appended since a copy.

        Raises:
            UnsupportedError: Something else happened since, or is not known any more.
        """

    def marker(self) -> Marker:
        """What a copy of this state leaves in its target."""
        return Marker(self.name, self.at, self.state, str(uuid.uuid4()), self._columns)

    def is_at(self, marker: Marker) -> bool:
        """Whether the state is the one that was copied.

        Raises:
            UnsupportedError: Other columns were copied.
        """
        if marker.columns != self._columns:
            raise whole("other columns were copied before")
        return (marker.at, marker.state) == (self.at, self.state)

    @property
    def _selected(self) -> tuple[str, ...]:
        return ("*",) if self._columns is None else self._columns


class IcebergSource(Source):
    """An Iceberg table.

    Args:
        table: The table.
        columns: The columns to copy; `None` for all.
    """

    is_lance = False

    def __init__(self, table: Table, columns: Sequence[str] | None) -> None:
        super().__init__(columns)
        self._table = table
        self._scan = table.scan(selected_fields=self._selected)

    @property
    def name(self) -> str:
        """The UUID of the table, or where it is."""
        found = self._table._inner.identity[0]  # noqa: SLF001 - the package's own
        return f"iceberg:{found or self._table.location()}"

    @property
    def at(self) -> int | None:
        """The snapshot that is read."""
        return self._scan._inner.snapshot_id  # noqa: SLF001 - the package's own

    @property
    def state(self) -> str:
        """The id of the schema."""
        return str(self._table.schema().schema_id)

    @property
    def declared(self) -> Table | None:
        """The table, unless columns were chosen."""
        return self._table if self._columns is None else None

    def all_rows(self) -> pa.RecordBatchReader:
        """All rows of the snapshot."""
        return self._scan.to_arrow_batch_reader()

    def count(self) -> int | None:
        """The rows of the snapshot, from its summary."""
        snapshot = self._scan.snapshot()
        found = "0" if snapshot is None else snapshot.summary.get("total-records", "")
        deleted = "0" if snapshot is None else snapshot.summary.get("total-equality-deletes", "0")
        return int(found) if found.isascii() and found.isdigit() and deleted == "0" else None

    def is_at(self, marker: Marker) -> bool:
        """Whether the snapshot was copied. Columns that were added since are copied with the next rows."""
        if super().is_at(marker) or marker.at is None or marker.at != self.at:
            return super().is_at(marker)
        self._check_columns(marker)
        return True

    def rows_since(self, marker: Marker) -> pa.RecordBatchReader:
        """The rows of the snapshots after the copied one, all of which are appends or compactions."""
        if marker.at is None:
            return self.all_rows()
        known = {each.snapshot_id: each for each in self._table.snapshots()}
        at = self.at
        while at != marker.at:
            snapshot = None if at is None else known.get(at)
            if snapshot is None:
                raise whole(
                    f"snapshot {marker.at}, which was copied last, is not in the history of the source any more: it "
                    "expired, the source was rolled back or replaced, or it is open at an older state"
                )
            if snapshot.operation not in {"append", "replace"}:
                raise whole(
                    f"snapshot {snapshot.snapshot_id} of the source, an operation {snapshot.operation!r}, did more "
                    "than to append rows"
                )
            at = snapshot.parent_snapshot_id
        self._check_columns(marker)
        scan = self._table.incremental_append_scan(
            from_snapshot_id_exclusive=marker.at,
            to_snapshot_id_inclusive=self.at,
            selected_fields=self._selected,
        )
        return scan.to_arrow_batch_reader()

    def _check_columns(self, marker: Marker) -> None:
        """Raises where rows that were copied have other columns now."""
        then = self._table.schemas().get(int(marker.state)) if marker.state.isdigit() else None
        if then is None:
            raise whole("the columns that were copied are not known any more")
        now = self._table.schema()
        chosen = self._columns
        known = {each.field_id: each for each in now.columns}
        old: dict[int, NestedField] = {
            each.field_id: each for each in then.columns if chosen is None or each.name in chosen
        }
        for field_id, before in old.items():
            found = known.get(field_id)
            if found is None:
                raise whole(f"column {before.name!r} of the source was dropped")
            if found.name != before.name:
                raise whole(f"column {before.name!r} of the source was renamed to {found.name!r}")
            if found.field_type != before.field_type:
                raise whole(
                    f"column {before.name!r} of the source was changed from {before.field_type} to {found.field_type}"
                )
        for each in now.columns:
            is_new = each.field_id not in old and (chosen is None or each.name in chosen)
            if is_new and each.initial_default is not None:
                raise whole(
                    f"column {each.name!r} of the source was added, with a value for rows that were there"
                )


class LanceSource(Source):
    """A Lance table.

    Args:
        table: The table.
        columns: The columns to copy; `None` for all.
    """

    is_lance = True

    def __init__(self, table: LanceTable, columns: Sequence[str] | None) -> None:
        super().__init__(columns)
        self._table = table
        self._scan = table.scan(selected_fields=self._selected)

    @property
    def name(self) -> str:
        """The folder of the table, or of its branch."""
        return f"lance:{self._table._inner.folder}"  # noqa: SLF001 - the package's own

    @property
    def at(self) -> int | None:
        """The version."""
        return self._table.version

    @property
    def state(self) -> str:
        """What made the version."""
        return _made_by(self._table._inner)  # noqa: SLF001 - the package's own

    def all_rows(self) -> pa.RecordBatchReader:
        """All rows of the version."""
        return self._scan.to_arrow_batch_reader()

    def count(self) -> int | None:
        """The rows of the version, from its manifest."""
        return self._scan.count()

    def rows_since(self, marker: Marker) -> pa.RecordBatchReader:
        """The rows of the fragments that were appended after the copied version."""
        native = self._table._inner  # noqa: SLF001 - the package's own
        version = marker.at or 0
        if version > native.version:
            raise whole(f"version {version} was copied before, and the source is open at {native.version}")
        try:
            if _made_by(native.at_version(version)) != marker.state:
                raise whole(f"version {version}, which was copied last, is of another table")
            fragments, mixed, otherwise = native.appended_since(version)
        except NotFoundError as error:
            raise whole(
                f"version {version} of the source, which was copied last, or one after it, is gone"
            ) from error
        if otherwise is not None:
            number, operation = otherwise
            raise whole(
                f"version {number} of the source, an operation {operation!r}, did more than to append rows"
            )
        if not mixed:
            return self._group(self._table, {*fragments}).to_arrow_batch_reader()
        if not self._table.has_stable_row_ids:
            raise whole("a compaction of the source put new rows beside those that were copied")
        return self._created_after(version, {*fragments, *mixed})

    def _created_after(self, version: int, fragments: set[int]) -> pa.RecordBatchReader:
        """Rows of fragments that came into the table after a version."""
        import pyarrow as pa  # noqa: PLC0415 - the same
        import pyarrow.compute as pc  # noqa: PLC0415 - the same

        schema = self._scan.projection()
        reader = self._group(self._table, fragments, _CREATED).to_arrow_batch_reader()

        def rows() -> Iterator[pa.RecordBatch]:
            for batch in reader:
                created = batch.column(_CREATED)
                if created.null_count:
                    raise whole("the source does not say when rows came into it")
                kept = batch.filter(pc.greater(created, pa.scalar(version, created.type)))
                yield pa.RecordBatch.from_arrays(kept.columns[: len(schema)], schema=schema)

        return pa.RecordBatchReader.from_batches(schema, rows())

    def _group(self, table: LanceTable, fragments: set[int], *more: str) -> LanceTaskGroup:
        scan = table.scan(selected_fields=(*self._selected, *more))
        return LanceTaskGroup(scan.plan_files()._inner.of_fragments(fragments))  # noqa: SLF001 - the package's own


def source_of(table: Table | LanceTable, columns: Sequence[str] | None) -> Source:
    """A table as a source.

    Args:
        table: The table, at the state that is copied.
        columns: The columns to copy; `None` for all.
    """
    return LanceSource(table, columns) if isinstance(table, LanceTable) else IcebergSource(table, columns)


def whole(why: str) -> UnsupportedError:
    """The error where a source cannot be copied but whole."""
    return UnsupportedError(
        f"only appends since the last copy can be copied, and {why}: copy the source whole, with mode='replace'"
    )


def _made_by(table: _native.LanceTable) -> str:
    return f"{table.facts()['transaction_file']}:{table.version_parts()[1]}"
