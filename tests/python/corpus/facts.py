"""What does a table's metadata say, in the words of the corpus?"""

from __future__ import annotations

import re
from typing import Any

import floeberg as fb
from floeberg.types import ListType, MapType, NestedField, StructType

Facts = dict[str, Any]


def facts(table: fb.Table) -> Facts:
    """All that the public interface tells about a table, under the names of `expected.json`."""
    current = table.current_snapshot()
    return {
        "format_version": table.format_version,
        "location": table.location(),
        "properties": table.properties,
        "schemas": [_schema(schema) for schema in table.schemas().values()],
        "partition_specs": [_spec(spec) for spec in table.specs().values()],
        "default_spec_id": table.spec().spec_id,
        "sort_orders": [_sort_order(order) for order in table.sort_orders().values()],
        "default_sort_order_id": table.sort_order().order_id,
        "current_schema_id": table.schema().schema_id,
        "current_snapshot_id": None if current is None else current.snapshot_id,
        "snapshots": [_snapshot(snapshot) for snapshot in table.snapshots()],
        "refs": {name: _ref(ref) for name, ref in table.refs().items()},
        "snapshot_log": [[entry.timestamp_ms, entry.snapshot_id] for entry in table.history()],
    }


def expected_facts(expected: Facts) -> Facts:
    """The same facts out of `expected.json`."""
    names = (
        "format_version",
        "location",
        "properties",
        "default_spec_id",
        "sort_orders",
        "default_sort_order_id",
    )
    copied = ("current_schema_id", "current_snapshot_id", "refs", "snapshot_log", "partition_specs")
    found = {name: expected[name] for name in names + copied}
    found["schemas"] = [
        schema | {"fields": [_as_we_write(field) for field in schema["fields"]]}
        for schema in expected["schemas"]
    ]
    # What the corpus takes from the summary stands in the summary.
    found["snapshots"] = [
        {key: value for key, value in each.items() if key not in ("operation", "manifests")}
        for each in expected["snapshots"]
    ]
    return found


def view_facts(view: fb.View) -> Facts:
    """All that the public interface tells about a view, under the names of `expected.json`."""
    current = view.current_version()
    return {
        "format_version": view.format_version,
        "location": view.location(),
        "view_uuid": str(view.uuid()),
        "properties": view.properties,
        "current_version_id": current.version_id,
        "current_sql": {each.dialect: each.sql for each in current.representations},
        "schemas": {number: _schema(schema) for number, schema in view.schemas().items()},
        "versions": [
            {
                "version-id": each.version_id,
                "timestamp-ms": each.timestamp_ms,
                "schema-id": each.schema_id,
                "summary": each.summary,
                "default-catalog": each.default_catalog,
                "default-namespace": list(each.default_namespace),
                "representations": [
                    {"type": one.type, "sql": one.sql, "dialect": one.dialect} for one in each.representations
                ],
            }
            for each in view.versions
        ],
        "version_log": [
            {"timestamp-ms": each.timestamp_ms, "version-id": each.version_id} for each in view.history()
        ],
    }


def expected_view_facts(expected: Facts) -> Facts:
    """The same facts out of `expected.json`."""
    copied = ("format_version", "location", "view_uuid", "properties", "current_version_id", "current_sql")
    schemas = {
        schema["schema-id"]: {
            "schema_id": schema["schema-id"],
            "identifier_field_ids": [],
            "columns": [field["name"] for field in schema["fields"]],
            "fields": schema["fields"],
        }
        for schema in expected["schemas"]
    }
    facts = {name: expected[name] for name in (*copied, "versions", "version_log")}
    return facts | {"schemas": schemas}


def _as_we_write(field: Facts) -> Facts:
    """Types without spaces; times in defaults without the zeros at the end, of which the corpus has all."""
    written = {**field, "type": field["type"].replace(" ", "")}
    for key in ("initial_default", "write_default"):
        if field["type"].startswith("time") and key in field:
            written[key] = re.sub(r"(\.\d*?)0+(?=[+-]|$)", r"\1", field[key]).replace(".+", "+")
    return written


def _schema(schema: fb.types.Schema) -> Facts:
    fields = [field for top in schema.fields for field in _fields(top, "")]
    return {
        "schema_id": schema.schema_id,
        "identifier_field_ids": sorted(schema.identifier_field_ids),
        "columns": [field.name for field in schema.fields],
        "fields": sorted(fields, key=lambda field: field["id"]),
    }


def _fields(field: NestedField, prefix: str) -> list[Facts]:
    kind, name = field.field_type, prefix + field.name
    children: tuple[NestedField, ...] = ()
    word = str(kind).replace(" ", "")
    if isinstance(kind, StructType):
        word, children = "struct", kind.fields
    elif isinstance(kind, ListType):
        word = "list"
        children = (NestedField(kind.element_id, "element", kind.element_type, kind.element_required),)
    elif isinstance(kind, MapType):
        word = "map"
        key = NestedField(kind.key_id, "key", kind.key_type, required=True)
        children = (key, NestedField(kind.value_id, "value", kind.value_type, kind.value_required))
    fact = {"id": field.field_id, "name": name, "type": word, "required": field.required}
    optional = {
        "doc": field.doc,
        "initial_default": field.initial_default,
        "write_default": field.write_default,
    }
    fact |= {key: value for key, value in optional.items() if value is not None}
    return [fact, *(each for child in children for each in _fields(child, f"{name}."))]


def _spec(spec: fb.types.PartitionSpec) -> Facts:
    fields = [
        {
            "field_id": each.field_id,
            "source_id": each.source_id,
            "name": each.name,
            "transform": each.transform,
        }
        for each in spec.fields
    ]
    return {"spec_id": spec.spec_id, "fields": fields}


def _sort_order(order: fb.types.SortOrder) -> Facts:
    fields = [
        {
            "source_id": each.source_id,
            "transform": each.transform,
            "direction": each.direction,
            "null_order": each.null_order,
        }
        for each in order.fields
    ]
    return {"order_id": order.order_id, "fields": fields}


def _snapshot(snapshot: fb.types.Snapshot) -> Facts:
    fact = {
        "snapshot_id": snapshot.snapshot_id,
        "parent_id": snapshot.parent_snapshot_id,
        "sequence_number": snapshot.sequence_number,
        "timestamp_ms": snapshot.timestamp_ms,
        "schema_id": snapshot.schema_id,
        "manifest_list": snapshot.manifest_list,
        "summary": {key: value for key, value in snapshot.summary.items() if key != "operation"},
    }
    if snapshot.first_row_id is not None:
        fact |= {"first_row_id": snapshot.first_row_id, "added_rows": snapshot.added_rows}
    return fact


def _ref(ref: fb.types.SnapshotRef) -> Facts:
    fact = {"type": ref.snapshot_ref_type, "snapshot_id": ref.snapshot_id}
    limits = {
        "min_snapshots_to_keep": ref.min_snapshots_to_keep,
        "max_snapshot_age_ms": ref.max_snapshot_age_ms,
        "max_ref_age_ms": ref.max_ref_age_ms,
    }
    return fact | {key: value for key, value in limits.items() if value is not None}
