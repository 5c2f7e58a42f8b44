"""What is in a table, and how does a user get at it?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, cast

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_names,
    checked_options,
    checked_path,
    checked_paths,
    checked_size,
    checked_text,
)
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg._timestamps import Moment, milliseconds
from floeberg.commit.operations import table_from_metadata
from floeberg.commit.static import StaticTableOperations, operations_of
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import AnyFilter, as_expression
from floeberg.scan import Scan
from floeberg.table._display import Looks
from floeberg.table._statistics import TableStatistics
from floeberg.table._writes import TableWrites
from floeberg.table.inspect import InspectTable
from floeberg.types import HistoryEntry
from floeberg.types._from_json import (
    read_ref,
    read_schema,
    read_snapshot,
    read_sort_order,
    read_spec,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from floeberg.catalog.base import Catalog
    from floeberg.catalog.names import Identifier
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.types import PartitionSpec, Schema, Snapshot, SnapshotRef, SortOrder

__all__ = ["Table", "open_table"]


def open_table(  # noqa: PLR0913 - all but the first are keywords
    location: str | os.PathLike[str],
    *,
    format: Literal["iceberg"] | None = None,  # noqa: A002 - the word that users know
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    snapshot_id: int | None = None,
    ref: str | None = None,
    as_of: Moment | None = None,
    version: int | None = None,
    manifest_cache: int | None = None,
) -> Table:
    """Opens a table where it lies, without a catalog.

    Args:
        location: The directory of a table, or one of its metadata files; a path or a URI. Relative paths become
            absolute.
        format: The table format; found out unless given.
        relocate: Where files are now, when the table was moved: written prefixes and what stands for them. Whole
            path segments count, and the longest match wins.
        storage_options: Options of the store. They are kept out of reprs and errors.
        snapshot_id: Opens the table at this snapshot.
        ref: Opens the table at this branch or tag.
        as_of: Opens the table as it was at this moment: a datetime with a zone, milliseconds from 1970-01-01 UTC,
            or an ISO 8601 string with a zone.
        version: Opens the table at this version. Iceberg tables have snapshots instead.
        manifest_cache: Bytes of decoded manifests that the table keeps for its next plan, at most; 0 keeps none.
            Unless given, what the environment variable `FLOEBERG_MANIFEST_CACHE` says, or 256 MiB.

    Returns:
        The table.

    Raises:
        NoSuchTableError: There is no table.
        InvalidInputError: More than one of `snapshot_id`, `ref`, `as_of` and `version` was given.
        InvalidDataError: The metadata is damaged; the error names the file.
        NotFoundError: There is no such snapshot or ref.
        UnsupportedError: The format, its version or the scheme of the location cannot be read.

    Examples:
        >>> table = open_table(location, relocate=warehouse)
        >>> table.scan(row_filter="id < 3", selected_fields=("id",)).to_arrow().num_rows
        3
    """
    choices = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of, "version": version}
    chosen = [name for name, value in choices.items() if value is not None]
    if len(chosen) > 1:
        raise InvalidInputError(f"choose one snapshot only: {' and '.join(chosen)} were given")
    if format not in (None, "iceberg"):
        raise UnsupportedError(f"tables of the format {format!r} cannot be opened: only 'iceberg'")
    if version is not None:
        raise UnsupportedError("Iceberg tables have no versions: use snapshot_id, ref or as_of")
    moved = checked_paths("relocate", relocate)
    options = checked_options("storage_options", storage_options)
    native = _native.Table.open(
        checked_path("location", location),
        relocate=moved,
        storage_options=options,
        snapshot_id=None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
        reference=None if ref is None else checked_text("ref", ref),
        as_of_ms=None if as_of is None else milliseconds(as_of),
        manifest_cache=None if manifest_cache is None else checked_size("manifest_cache", manifest_cache),
    )
    operations = operations_of(
        native, is_relocated=bool(moved), is_pinned=bool(chosen), storage_options=options
    )
    return Table(native, operations=operations)


class Table(TableWrites, TableStatistics, SpelledLikePyIceberg):
    """An Iceberg table, as one metadata file describes it.

    A table never changes under its reader: it keeps to the metadata file that it was opened with, also when it is
    pickled, until it is written to here or told to `refresh`. Scans keep to theirs. It holds no handles, so that it
    may cross a fork.

    Examples:
        >>> table.format_version, table.schema().column_names[0]
        (2, 'id')
    """

    _spelled_as = "Table"

    def __init__(
        self,
        opened: OpenedTable,
        *,
        operations: TableOperations,
        listed: tuple[Catalog, Identifier] | None = None,
    ) -> None:
        """Made by `open_table`, and by catalogs, which say where they list it."""
        self._operations = operations
        self._listed = listed
        self._become(opened)

    @classmethod
    def from_metadata(
        cls, metadata_json: str, metadata_location: str, *, storage_options: Mapping[str, str] | None = None
    ) -> Table:
        """Opens metadata that is at hand, such as a REST catalog's answer, for reading. No file is opened.

        Args:
            metadata_json: The metadata, as JSON text.
            metadata_location: The metadata file, for processes that the table is sent to.
            storage_options: Options of the store.
        """
        opened = table_from_metadata(
            checked_text("metadata_json", metadata_json),
            checked_text("metadata_location", metadata_location),
            storage_options=checked_options("storage_options", storage_options),
        )
        return cls(opened, operations=StaticTableOperations("load the table from its catalog to write it"))

    def _metadata(self) -> dict[str, Any]:
        if self._json is None:
            self._json = cast("dict[str, Any]", json.loads(self._inner.metadata_json()))
        return self._json

    @property
    def metadata_location(self) -> str:
        """The metadata file that was opened."""
        return self._inner.metadata_location

    @property
    def format_version(self) -> int:
        """The version of the Iceberg specification that the table is written in."""
        return self._inner.format_version

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties."""
        return self._inner.properties

    def location(self) -> str:
        """The base location, as the table wrote it."""
        return self._inner.location

    def name(self) -> Identifier:
        """The identifier in the catalog; empty for a table that was opened without one.

        Examples:
            >>> catalog.load_table("db.refs").name(), table.name()
            (('db', 'refs'), ())
        """
        return self._listed[1] if self._listed else ()

    @property
    def catalog(self) -> Catalog | None:
        """The catalog that it was loaded from, or `None` for a table that was opened without one."""
        return self._listed[0] if self._listed else None

    def schema(self) -> Schema:
        """The schema: the current one, or that of the snapshot that the table was opened at.

        Examples:
            >>> [(field.name, str(field.field_type)) for field in table.schema().fields]
            [('id', 'long'), ('cat', 'string'), ('v', 'int')]
        """
        return self.scan().schema()

    def schemas(self) -> dict[int, Schema]:
        """All schemas by id.

        Examples:
            >>> {id: schema.column_names for id, schema in table.schemas().items()}
            {0: ['id', 'cat', 'v']}
        """
        return {each.schema_id: each for each in map(read_schema, self._metadata()["schemas"])}

    def spec(self) -> PartitionSpec:
        """The partition spec that new files get."""
        return self.specs()[self._metadata()["default-spec-id"]]

    def specs(self) -> dict[int, PartitionSpec]:
        """All partition specs by id.

        Examples:
            >>> table.specs()
            {0: PartitionSpec(spec_id=0)}
        """
        return {each.spec_id: each for each in map(read_spec, self._metadata()["partition-specs"])}

    def sort_order(self) -> SortOrder:
        """The sort order that new files get."""
        return self.sort_orders()[self._metadata()["default-sort-order-id"]]

    def sort_orders(self) -> dict[int, SortOrder]:
        """All sort orders by id."""
        return {each.order_id: each for each in map(read_sort_order, self._metadata()["sort-orders"])}

    def snapshots(self) -> list[Snapshot]:
        """All snapshots that are not expired, in the order of the metadata.

        Examples:
            >>> [snapshot.operation for snapshot in table.snapshots()]
            ['append', 'append', 'append', 'append', 'overwrite']
        """
        return list(map(read_snapshot, self._metadata()["snapshots"]))

    def snapshot_by_id(self, snapshot_id: int) -> Snapshot | None:
        """The snapshot of an id, or `None` where there is none.

        Examples:
            >>> table.snapshot_by_id(12) is None
            True
        """
        return next((each for each in self.snapshots() if each.snapshot_id == snapshot_id), None)

    def snapshot_by_name(self, name: str) -> Snapshot | None:
        """The snapshot of a branch or tag, or `None` where there is none.

        Examples:
            >>> table.snapshot_by_name("main") == table.current_snapshot(), table.snapshot_by_name("gone")
            (True, None)
        """
        ref = self.refs().get(checked_text("name", name))
        return None if ref is None else self.snapshot_by_id(ref.snapshot_id)

    def snapshot_as_of_timestamp(self, timestamp_ms: int, inclusive: bool = True) -> Snapshot | None:  # noqa: FBT001, FBT002 - PyIceberg's order
        """The snapshot that was current at a moment, or `None` where the table had none.

        Args:
            timestamp_ms: The moment: milliseconds from 1970-01-01 UTC.
            inclusive: Whether a snapshot of this very millisecond counts.

        Returns:
            The snapshot.

        Examples:
            >>> entry = table.history()[0]
            >>> table.snapshot_as_of_timestamp(entry.timestamp_ms).snapshot_id == entry.snapshot_id
            True
            >>> table.snapshot_as_of_timestamp(entry.timestamp_ms, inclusive=False) is None
            True
        """
        latest = checked_int("timestamp_ms", timestamp_ms) - (not checked_bool("inclusive", inclusive))
        before = [entry for entry in self.history() if entry.timestamp_ms <= latest]
        return self.snapshot_by_id(before[-1].snapshot_id) if before else None

    def current_snapshot(self) -> Snapshot | None:
        """The snapshot that is read: the current one, or the one that the table was opened at.

        Returns:
            The snapshot, or `None` for a table that was never written to.

        Examples:
            >>> table.current_snapshot().summary["total-records"]
            '9'
        """
        current = self._inner.snapshot_id
        return None if current is None else self.snapshot_by_id(current)

    def history(self) -> list[HistoryEntry]:
        """When which snapshot became current, oldest first.

        Examples:
            >>> [entry.is_current_ancestor for entry in table.history()]
            [True, True, True]
        """
        return [HistoryEntry(*entry) for entry in self._inner.history()]

    def refs(self) -> dict[str, SnapshotRef]:
        """Branches and tags by name; `main` is there whenever there is a current snapshot.

        Examples:
            >>> sorted((name, ref.snapshot_ref_type) for name, ref in table.refs().items())
            [('dev', 'branch'), ('first', 'tag'), ('main', 'branch')]
        """
        return {name: read_ref(each) for name, each in self._metadata()["refs"].items()}

    @property
    def inspect(self) -> InspectTable:
        """What the table says of itself, as tables: `table.inspect.files()` and others.

        Examples:
            >>> table.inspect.history().num_rows
            3
        """
        return InspectTable(self._inner)

    def scan(  # noqa: PLR0913, PLR0917 - PyIceberg's order
        self,
        row_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        snapshot_id: int | None = None,
        options: Mapping[str, str] | None = None,
        limit: int | None = None,
    ) -> Scan:
        """Describes rows to read. Nothing is read yet.

        Args:
            row_filter: SQL text, a filter of `floeberg.expressions`, or a bool.
            selected_fields: Names of columns; nested ones are dotted, `*` is all. Metadata columns (`_file`, `_pos`,
                `_deleted`, `_spec_id`, `_partition`, `_row_id`, `_last_updated_sequence_number`) come only where they
                are named.
            case_sensitive: Whether the case of names counts.
            snapshot_id: Reads this snapshot, with its schema.
            options: PyIceberg's options of a scan. None of them changes what is read, so they are ignored.
            limit: At most so many rows.

        Returns:
            The scan.

        Raises:
            InvalidInputError: A column is unknown, a literal has a wrong type, or the limit is negative.
            NotFoundError: There is no such snapshot.

        Examples:
            >>> table.scan(row_filter="cat = 'a'", selected_fields=("id",), limit=1).to_arrow().num_rows
            1
        """
        checked_options("options", options)
        return Scan(
            self._inner.scan(
                row_filter=as_expression(row_filter).as_tree(),
                selected_fields=checked_names("selected_fields", selected_fields),
                case_sensitive=checked_bool("case_sensitive", case_sensitive),
                snapshot_id=None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
                limit=None if limit is None else checked_size("limit", limit),
            )
        )

    def incremental_append_scan(  # noqa: PLR0913 - all are keywords
        self,
        *,
        from_snapshot_id_exclusive: int | None = None,
        to_snapshot_id_inclusive: int | None = None,
        row_filter: AnyFilter = True,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,
        limit: int | None = None,
    ) -> Scan:
        """Describes the rows that appends added after one snapshot, up to another. Nothing is read yet.

        The files that `append` snapshots between the two added are read whole: deletes do not apply to them, and
        what overwrites, replacements and deletes did is left out. The schema is the table's current one.

        Args:
            from_snapshot_id_exclusive: Reads what was added after this snapshot, which may be expired as long as the
                one after it is not; what all ancestors that are not expired added, unless given.
            to_snapshot_id_inclusive: The last snapshot; the one that the table was opened at, or its current one,
                unless given. `use_ref` of the scan reads up to a branch or tag.
            row_filter: SQL text, a filter of `floeberg.expressions`, or a bool.
            selected_fields: Names of columns; nested ones are dotted, `*` is all.
            case_sensitive: Whether the case of names counts.
            limit: At most so many rows.

        Returns:
            The scan.

        Raises:
            InvalidInputError: The first snapshot is no ancestor of the last; or as with `scan`.
            NotFoundError: There is no such last snapshot.
            UnsupportedError: A snapshot does not say whether it appended.

        Examples:
            >>> first = table.snapshots()[0]
            >>> table.incremental_append_scan(from_snapshot_id_exclusive=first.snapshot_id).count()
            5
        """
        after = from_snapshot_id_exclusive
        last = to_snapshot_id_inclusive
        return Scan(
            self._inner.scan(
                row_filter=as_expression(row_filter).as_tree(),
                selected_fields=checked_names("selected_fields", selected_fields),
                case_sensitive=checked_bool("case_sensitive", case_sensitive),
                snapshot_id=None if last is None else checked_int("to_snapshot_id_inclusive", last),
                limit=None if limit is None else checked_size("limit", limit),
                appends_after=(None if after is None else checked_int("from_snapshot_id_exclusive", after),),
            )
        )

    def __arrow_c_schema__(self) -> object:
        return self.scan().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return self._looks().text()

    def _repr_html_(self) -> str:
        return self._looks().html(self.location(), self.format_version)

    def _looks(self) -> Looks:
        return Looks(
            ".".join(self.name()) or repr(self._inner),
            self.schema(),
            self.spec(),
            self.sort_order(),
            self.current_snapshot(),
        )

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[object, ...]]:
        return _unpickled, (self._inner, self._operations, self._listed)


def _unpickled(
    opened: OpenedTable, operations: TableOperations, listed: tuple[Catalog, Identifier] | None
) -> Table:
    return Table(opened, operations=operations, listed=listed)
