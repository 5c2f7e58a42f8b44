"""How do copied rows get into a target, together with the marker?

Invariant: rows and marker are one commit. A commit that begins with a marker is made only where the target still has
it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._exact_casts import mapped
from floeberg.copying.marker import PREFIX, Marker, marker_of, name_of
from floeberg.copying.types import as_iceberg, as_lance, by_names
from floeberg.errors import CommitConflictError, UnsupportedError
from floeberg.lance import LanceTable, create_table
from floeberg.lance.committing import Conditions, Made
from floeberg.lance.new_files import ROWS_PER_FILE
from floeberg.lance.row_changes import AppendedRows, overwritten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from floeberg.catalog import Catalog
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.transaction import Transaction
    from floeberg.copying.sources import Source
    from floeberg.table import Table

__all__ = [
    "IcebergTarget",
    "LanceTarget",
    "NewIcebergTarget",
    "NewLanceTarget",
    "Rows",
    "Target",
    "needs_version_3",
]

_COPY = "floeberg.copy"
"""The entry of a snapshot's summary that has the id of a copy."""
_NEEDS_VERSION_3 = 3


class Rows:
    """Rows of a source in the types of a target, counted while they are read.

    Args:
        source: The source.
        reader: Its rows.
        is_lance: Whether the target is a Lance table.
    """

    def __init__(self, source: Source, reader: pa.RecordBatchReader, *, is_lance: bool) -> None:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        self.count = 0
        given = reader.schema
        same = source.is_lance == is_lance
        if same:
            self.schema = given if is_lance else by_names(given)
        else:
            self.schema = as_lance(given) if is_lance else as_iceberg(given)
        batches = _named(reader, self.schema) if same else mapped(reader, self.schema)
        self.reader = pa.RecordBatchReader.from_batches(self.schema, self._counted(batches))

    def _counted(self, batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401 - an iterable of batches
        for batch in batches:
            self.count += batch.num_rows
            yield batch


def _named(batches: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415 - the same

    for batch in batches:
        yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)


class Target(ABC):
    """A table that rows are copied to."""

    is_lance: bool

    @property
    @abstractmethod
    def table(self) -> Table | LanceTable:
        """The table."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, str]:
        """What has the markers."""

    @abstractmethod
    def marker(self, source: str) -> Marker | None:
        """What the last copy of a source left.

        Raises:
            UnsupportedError: The rows of that copy are not in the target any more.
        """

    @abstractmethod
    def append(self, rows: Rows, marker: Marker, before: Marker | None) -> None:
        """Adds rows where the target still has the marker that the copy began with."""

    @abstractmethod
    def replace(self, rows: Rows, marker: Marker) -> None:
        """Replaces all rows, and forgets other sources."""

    @abstractmethod
    def refresh(self) -> None:
        """Looks at the newest state."""


class IcebergTarget(Target):
    """An Iceberg table that exists.

    Args:
        table: The table.
    """

    is_lance = False

    def __init__(self, table: Table) -> None:
        self._table = table

    @property
    def table(self) -> Table:
        """The table."""
        return self._table

    @property
    def settings(self) -> Mapping[str, str]:
        """The properties."""
        return self._table.properties

    def marker(self, source: str) -> Marker | None:
        """The marker, where the snapshot of its copy is the current one or an ancestor of it."""
        found = marker_of(self._table.properties, source)
        if found is None:
            return None
        known = {each.snapshot_id: each for each in self._table.snapshots()}
        current = self._table.current_snapshot()
        while current is not None:
            if current.summary.get(_COPY) == found.copy:
                return found
            parent = current.parent_snapshot_id
            current = None if parent is None else known.get(parent)
        raise UnsupportedError(
            "the snapshot of the last copy is not in the history of the target any more: it expired, or the target "
            "was rolled back. Copy the source whole, with mode='replace'"
        )

    def append(self, rows: Rows, marker: Marker, before: Marker | None) -> None:
        """Adds the rows, with columns that the table lacks."""
        with self._transaction(marker) as transaction:
            _check_at_each_attempt(transaction, name_of(marker.source), before)
            transaction.append(rows.reader, schema_mode="merge")

    def replace(self, rows: Rows, marker: Marker) -> None:
        """Replaces all rows. Columns that the source lacks stay, and are null."""
        with self._transaction(marker) as transaction:
            own = name_of(marker.source)
            others = [name for name in self._table.properties if name.startswith(PREFIX) and name != own]
            if others:
                transaction.remove_properties(*others)
            transaction.overwrite(rows.reader, schema_mode="merge")

    def refresh(self) -> None:
        """Loads the current metadata."""
        self._table.refresh()

    def _transaction(self, marker: Marker) -> Transaction:
        transaction = self._table.transaction(snapshot_properties={_COPY: marker.copy})
        return transaction.set_properties({name_of(marker.source): marker.as_text()})


class LanceTarget(Target):
    """A Lance table that exists.

    Args:
        table: The table.
    """

    is_lance = True

    def __init__(self, table: LanceTable) -> None:
        self._table = table

    @property
    def table(self) -> LanceTable:
        """The table."""
        return self._table

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings."""
        return self._table.config

    def marker(self, source: str) -> Marker | None:
        """The marker. It is a setting, so that versions that are restored have their own."""
        return marker_of(self._table.config, source)

    def append(self, rows: Rows, marker: Marker, before: Marker | None) -> None:
        """Adds the rows. Columns that the table lacks are added first, in a version of their own."""
        known = self._table.schema().names
        missing = [each for each in rows.schema if each.name not in known]
        if missing:
            self._table.add_columns([each.with_nullable(True) for each in missing])
        name = name_of(marker.source)
        settings = {name: marker.as_text()}
        expected = {name: None if before is None else before.as_text()}
        appended = AppendedRows(rows.reader, ROWS_PER_FILE)

        def make(native: _native.LanceTable) -> Made:
            made = appended.make(native)
            made.conditions = Conditions(expected, settings)
            if made.operation is None:
                made.operation = _native.LanceOperation.update_config(list(settings.items()))
            return made

        self._table._commit(make)  # noqa: SLF001 - the package's own

    def replace(self, rows: Rows, marker: Marker) -> None:
        """Replaces all rows and columns."""
        own = name_of(marker.source)
        settings: dict[str, str | None] = {
            name: None for name in self._table.config if name.startswith(PREFIX) and name != own
        }
        settings[own] = marker.as_text()

        def make(native: _native.LanceTable) -> Made:
            made = overwritten(native, rows.reader, {}, ROWS_PER_FILE)
            made.conditions = Conditions(settings=settings)
            return made

        self._table._commit(make, on_conflict="raise")  # noqa: SLF001 - the package's own

    def refresh(self) -> None:
        """Opens the newest version."""
        self._table.refresh()


class NewIcebergTarget:
    """A table that a catalog does not have yet.

    Args:
        catalog: The catalog.
        identifier: The name of the table.
    """

    is_lance = False

    def __init__(self, catalog: Catalog, identifier: str) -> None:
        self._catalog = catalog
        self._identifier = identifier

    def create(self, rows: Rows, source: Source, marker: Marker) -> Table:
        """Creates the table with its first rows.

        Raises:
            TableAlreadyExistsError: Somebody else created it.
        """
        # Comments and defaults of columns come from a table of Iceberg.
        declared = source.declared
        columns: Any = rows.schema if declared is None else declared.schema()
        version = _NEEDS_VERSION_3 if needs_version_3(rows.schema) else None
        version = version if declared is None else declared.format_version
        with self._catalog.create_table_transaction(
            self._identifier,
            columns,
            properties={name_of(marker.source): marker.as_text()},
            format_version=version,
        ) as transaction:
            transaction._properties = {_COPY: marker.copy}  # noqa: SLF001 - the package's own
            transaction.append(rows.reader)
        return self._catalog.load_table(self._identifier)


class NewLanceTarget:
    """A folder without a table.

    Args:
        location: The folder.
        storage_options: The options of the storage.
    """

    is_lance = True

    def __init__(self, location: str, storage_options: Mapping[str, str] | None) -> None:
        self._location = location
        self._storage_options = storage_options

    def create(self, rows: Rows, source: Source, marker: Marker) -> LanceTable:
        """Creates the table with its first rows.

        Raises:
            TableAlreadyExistsError: Somebody else created it.
        """
        del source
        return create_table(
            self._location,
            rows.reader,
            config={name_of(marker.source): marker.as_text()},
            storage_options=self._storage_options,
        )


def _check_at_each_attempt(transaction: Transaction, name: str, before: Marker | None) -> None:
    expected = None if before is None else before.as_text()

    def check(base: OpenedTable) -> None:
        if base.properties.get(name) != expected:
            raise CommitConflictError("another copy of the source was committed meanwhile")

    transaction._check_base = check  # noqa: SLF001 - the package's own


def needs_version_3(schema: pa.Schema) -> bool:
    """Whether a column has a type that tables have from format version 3 on."""
    import pyarrow as pa  # noqa: PLC0415 - the same

    def needs(kind: Any) -> bool:  # noqa: ANN401 - a type
        if isinstance(kind, pa.BaseExtensionType):
            return kind.extension_name != "arrow.uuid"
        if pa.types.is_null(kind) or (pa.types.is_timestamp(kind) and kind.unit == "ns"):
            return True
        return any(needs(kind.field(at).type) for at in range(kind.num_fields))

    return any(needs(each.type) or b"ARROW:extension:name" in (each.metadata or {}) for each in schema)
