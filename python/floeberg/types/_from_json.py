"""How does table metadata become `floeberg.types`: its canonical JSON, and snapshots of the native table?

Rust has parsed and checked it: every key that the specification requires exists.
"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any

from floeberg.types import (
    IcebergType,
    ListType,
    MapType,
    NestedField,
    PartitionField,
    PartitionSpec,
    PrimitiveType,
    Schema,
    Snapshot,
    SnapshotRef,
    SortField,
    SortOrder,
    StructType,
    Summary,
)

if TYPE_CHECKING:
    from floeberg import _native

Json = dict[str, Any]


def read_schema(json: Json) -> Schema:
    """A schema of its JSON."""
    return Schema(
        *map(_read_field, json["fields"]),
        schema_id=json.get("schema-id", 0),
        identifier_field_ids=json.get("identifier-field-ids", ()),
    )


def _read_field(json: Json) -> NestedField:
    return NestedField(
        field_id=json["id"],
        name=json["name"],
        field_type=_read_type(json["type"]),
        required=json["required"],
        doc=json.get("doc"),
        initial_default=json.get("initial-default"),
        write_default=json.get("write-default"),
    )


def _read_type(json: Json | str) -> IcebergType:
    if isinstance(json, str):
        return PrimitiveType(json)
    if json["type"] == "struct":
        return StructType(tuple(map(_read_field, json["fields"])))
    if json["type"] == "list":
        return ListType(json["element-id"], _read_type(json["element"]), json["element-required"])
    return MapType(
        key_id=json["key-id"],
        key_type=_read_type(json["key"]),
        value_id=json["value-id"],
        value_type=_read_type(json["value"]),
        value_required=json["value-required"],
    )


def _read_sources(json: Json) -> tuple[int, ...]:
    return tuple(json["source-ids"]) if "source-ids" in json else (json["source-id"],)


def read_spec(json: Json) -> PartitionSpec:
    """A partition spec of its JSON."""
    fields = (
        PartitionField(_read_sources(each), each["field-id"], each["transform"], each["name"])
        for each in json["fields"]
    )
    return PartitionSpec(*fields, spec_id=json["spec-id"])


def read_sort_order(json: Json) -> SortOrder:
    """A sort order of its JSON."""
    fields = (
        SortField(_read_sources(each), each["transform"], each["direction"], each["null-order"])
        for each in json["fields"]
    )
    return SortOrder(*fields, order_id=json["order-id"])


def read_snapshots(table: _native.Table) -> list[Snapshot]:
    """The snapshots of a native table, in the order of the metadata."""
    return list(starmap(Snapshot, table.snapshots(Summary)))


def read_snapshot(table: _native.Table | _native.Scan, snapshot_id: int) -> Snapshot | None:
    """The snapshot with an id of a native table, or of the table of a native scan."""
    return next(starmap(Snapshot, table.snapshots(Summary, snapshot_id)), None)


def read_ref(json: Json) -> SnapshotRef:
    """A ref of its JSON."""
    return SnapshotRef(
        snapshot_id=json["snapshot-id"],
        snapshot_ref_type=json["type"],
        min_snapshots_to_keep=json.get("min-snapshots-to-keep"),
        max_snapshot_age_ms=json.get("max-snapshot-age-ms"),
        max_ref_age_ms=json.get("max-ref-age-ms"),
    )
