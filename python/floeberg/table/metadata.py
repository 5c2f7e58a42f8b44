"""What does the metadata of a table say, by the names that PyIceberg gives its parts?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.statistics import read_partition_statistics, read_statistics
from floeberg.types._from_json import (
    read_ref,
    read_schema,
    read_snapshot,
    read_snapshots,
    read_sort_order,
    read_spec,
)

if TYPE_CHECKING:
    from floeberg.commit.operations import OpenedTable
    from floeberg.statistics import PartitionStatisticsFile, StatisticsFile
    from floeberg.types import PartitionSpec, Schema, Snapshot, SnapshotRef, SortOrder

__all__ = ["TableMetadata"]


@dataclass(frozen=True, repr=False, eq=False)
class TableMetadata:
    """The metadata of a table, as `Table.metadata` gives it. It does not change when the table does.

    Examples:
        >>> metadata = table.metadata
        >>> metadata.format_version, metadata.snapshots[-1].summary["operation"], sorted(metadata.refs)
        (2, 'overwrite', ['dev', 'first', 'main'])
    """

    _json: dict[str, Any]
    _inner: OpenedTable

    @property
    def format_version(self) -> int:
        """The format version: 1, 2 or 3."""
        return self._inner.format_version

    @property
    def table_uuid(self) -> str | None:
        """The UUID of the table; old tables of format version 1 have none."""
        return self._json.get("table-uuid")

    @property
    def location(self) -> str:
        """The base location."""
        return self._inner.location

    @property
    def last_updated_ms(self) -> int:
        """The last change: milliseconds from 1970-01-01 UTC."""
        return int(self._json["last-updated-ms"])

    @property
    def last_sequence_number(self) -> int:
        """The highest sequence number; 0 in format version 1."""
        return int(self._json.get("last-sequence-number", 0))

    @property
    def last_column_id(self) -> int:
        """The highest field id that was ever assigned."""
        return int(self._json["last-column-id"])

    @property
    def last_partition_id(self) -> int:
        """The highest partition field id that was ever assigned."""
        return int(self._json["last-partition-id"])

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties."""
        return self._inner.properties

    @property
    def schemas(self) -> list[Schema]:
        """All schemas."""
        return list(map(read_schema, self._json["schemas"]))

    @property
    def current_schema_id(self) -> int:
        """The id of the current schema."""
        return int(self._json["current-schema-id"])

    def schema(self) -> Schema:
        """The current schema."""
        return next(each for each in self.schemas if each.schema_id == self.current_schema_id)

    @property
    def partition_specs(self) -> list[PartitionSpec]:
        """All partition specs."""
        return list(map(read_spec, self._json["partition-specs"]))

    @property
    def default_spec_id(self) -> int:
        """The id of the default partition spec."""
        return int(self._json["default-spec-id"])

    def spec(self) -> PartitionSpec:
        """The default partition spec."""
        return next(each for each in self.partition_specs if each.spec_id == self.default_spec_id)

    @property
    def sort_orders(self) -> list[SortOrder]:
        """All sort orders."""
        return list(map(read_sort_order, self._json["sort-orders"]))

    @property
    def default_sort_order_id(self) -> int:
        """The id of the default sort order."""
        return int(self._json["default-sort-order-id"])

    @property
    def current_snapshot_id(self) -> int | None:
        """The newest snapshot of `main`; `None` for an empty table."""
        found = self._json.get("current-snapshot-id")
        return None if found in (None, -1) else int(found)

    @property
    def snapshots(self) -> list[Snapshot]:
        """All snapshots that have not expired."""
        return read_snapshots(self._inner)

    def current_snapshot(self) -> Snapshot | None:
        """The newest snapshot of `main`, or `None`."""
        current = self.current_snapshot_id
        return None if current is None else self.snapshot_by_id(current)

    def snapshot_by_id(self, snapshot_id: int) -> Snapshot | None:
        """The snapshot with an id, or `None`."""
        return read_snapshot(self._inner, snapshot_id)

    def snapshot_by_name(self, name: str) -> Snapshot | None:
        """The snapshot of a branch or tag, or `None`."""
        ref = self.refs.get(name)
        return None if ref is None else self.snapshot_by_id(ref.snapshot_id)

    @property
    def refs(self) -> dict[str, SnapshotRef]:
        """Branches and tags by name."""
        return {name: read_ref(each) for name, each in self._json["refs"].items()}

    @property
    def statistics(self) -> list[StatisticsFile]:
        """The statistics files of snapshots."""
        return list(map(read_statistics, json.loads(_native.statistics_files(self._inner))))

    @property
    def partition_statistics(self) -> list[PartitionStatisticsFile]:
        """The partition statistics files of snapshots."""
        return list(
            map(read_partition_statistics, json.loads(_native.partition_statistics_files(self._inner)))
        )

    def __repr__(self) -> str:
        return f"TableMetadata({self._inner.metadata_location!r})"
