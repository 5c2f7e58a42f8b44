"""Violations that are planted in metadata files are found, each by its own rule and no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checking.found import hold, plant
from conformance_checking.planting import Planted, path_of
from conformance_checking.test_metadata_rules import (
    a_second_initial_default,
    a_second_meaning,
    current_schema,
    in_field,
    in_newest,
    in_partition_field,
    removing,
    repeating,
    setting,
    swapping_log,
)

Json = dict[str, Any]
MAPPING = "schema.name-mapping.default"


def in_first_snapshot(change: Any) -> Any:
    """A change of the first snapshot."""
    return lambda metadata: change(metadata["snapshots"][0])


def in_ref(name: str, change: Any) -> Any:
    """A change of a branch."""
    return lambda metadata: change(metadata["refs"][name])


def in_order(change: Any) -> Any:
    """A change of the first field of the default sort order."""
    return lambda metadata: change(metadata["sort-orders"][-1]["fields"][0])


def mapped(text: str) -> Any:
    """A name mapping."""
    return lambda metadata: metadata["properties"].update({MAPPING: text})


def an_own_parent(metadata: Json) -> None:
    """A snapshot is its own parent."""
    first = metadata["snapshots"][0]
    first["parent-snapshot-id"] = first["snapshot-id"]


def a_field_twice(metadata: Json) -> None:
    """One id for two columns."""
    current_schema(metadata)["fields"][1]["id"] = 1


METADATA = [
    plant("format-version", "format-version", 2, setting("format-version", 9)),
    plant("required-field", "location", 1, removing("location")),
    plant("required-field", "schema", 1, removing("schema")),
    plant("required-field", "table-uuid", 2, removing("table-uuid")),
    plant("required-field", "last-sequence-number", 2, removing("last-sequence-number")),
    plant("required-field", "default-sort-order-id", 2, removing("default-sort-order-id")),
    plant("required-field", "next-row-id", 3, removing("next-row-id")),
    plant("required-field", "manifest-list", 2, in_newest(removing("manifest-list")), "history-unchanged"),
    plant("field-type", "last-updated-ms", 3, setting("last-updated-ms", "now")),
    plant("field-type", "properties", 3, setting("properties", {"a": 1})),
    plant(
        "field-type",
        "summary",
        2,
        in_newest(lambda snapshot: snapshot["summary"].update(total=1)),
        "history-unchanged",
    ),
    plant("field-type", "refs.main", 2, in_ref("main", setting("snapshot-id", "1")), "main-is-current"),
    plant("field-of-version", "next-row-id", 2, setting("next-row-id", 0)),
    plant("field-of-version", "schema", 3, setting("schema", {})),
    plant("table-uuid", "table-uuid", 3, setting("table-uuid", "me"), "uuid-unchanged"),
    plant("schema-id-unique", "schemas[2].schema-id", 3, repeating("schemas"), "schema-once"),
    plant(
        "partition-spec-id-unique",
        "partition-specs[1]",
        2,
        repeating("partition-specs"),
        "partition-spec-once",
    ),
    plant("sort-order-id-unique", "sort-orders[", 2, repeating("sort-orders"), "sort-order-once"),
    plant("snapshot-id-unique", "snapshots[", 1, repeating("snapshots")),
    plant("current-schema", "current-schema-id", 3, setting("current-schema-id", 17)),
    plant("default-partition-spec", "default-spec-id", 2, setting("default-spec-id", 17)),
    plant("default-sort-order", "default-sort-order-id", 2, setting("default-sort-order-id", 17)),
    plant("deprecated-copies", "schema", 1, lambda metadata: metadata["schema"]["fields"].pop()),
    plant("deprecated-copies", "partition-spec", 1, lambda metadata: metadata["partition-spec"].pop()),
    plant("current-snapshot", "current-snapshot-id", 2, setting("current-snapshot-id", 1)),
    plant(
        "no-snapshot-is-null", "current-snapshot-id", 3, setting("current-snapshot-id", -1), "main-is-current"
    ),
    plant("main-is-current", "refs.main", 3, removing("current-snapshot-id")),
    plant("ref-snapshot", "refs.dev", 2, in_ref("dev", setting("snapshot-id", 1))),
    plant("ref-type", "refs.dev", 2, in_ref("dev", setting("type", "twig"))),
    plant("ref-retention", "refs.dev", 3, in_ref("dev", setting("max-ref-age-ms", 0))),
    plant(
        "ref-retention",
        "min-snapshots-to-keep",
        3,
        in_ref("dev", lambda ref: ref.update({"type": "tag", "min-snapshots-to-keep": 2})),
    ),
    plant(
        "snapshot-log-names",
        "snapshot-log[0]",
        2,
        lambda metadata: metadata["snapshot-log"][0].update({"snapshot-id": 7}),
    ),
    plant("snapshot-log-end", "snapshot-log", 3, lambda metadata: metadata["snapshot-log"].pop()),
    plant("snapshot-log-order", "snapshot-log[", 2, swapping_log),
    plant(
        "metadata-log-order",
        "metadata-log[",
        2,
        lambda metadata: (
            metadata["metadata-log"].reverse()
            or metadata["metadata-log"][0].update({"timestamp-ms": metadata["last-updated-ms"] + 10_000_000})
        ),
        "metadata-log-time",
        "nothing-goes-back",
        "history-unchanged",
    ),
    plant(
        "metadata-log-file",
        "metadata-log",
        2,
        lambda metadata: metadata["metadata-log"][0].update({"metadata-file": "gone.json"}),
    ),
    plant(
        "metadata-log-time",
        "metadata.json",
        2,
        lambda metadata: metadata["metadata-log"][0].update({"timestamp-ms": 7}),
    ),
    plant(
        "snapshot-time",
        "timestamp-ms",
        2,
        setting("last-updated-ms", 7),
        "snapshot-log-order",
        "metadata-log-order",
    ),
    plant("uuid-unchanged", "table-uuid", 2, setting("table-uuid", "2f2c7f6b-9d44-4c53-9f3b-1d6f6f0f0f0f")),
    plant("nothing-goes-back", "last-column-id", 2, setting("last-column-id", 1), "last-column-id"),
    plant("history-unchanged", "snapshots", 2, in_first_snapshot(setting("timestamp-ms", 7))),
    plant("field-id-unique", "fields[1]", 3, a_field_twice, "type-promotion", "history-unchanged"),
    plant("field-name-unique", "fields[1]", 3, in_field(1, setting("name", "id")), "history-unchanged"),
    plant("field-id-range", "fields[1]", 3, in_field(1, setting("id", 2_147_483_500)), "history-unchanged"),
    plant("last-column-id", "fields[", 3, setting("last-column-id", 3), "nothing-goes-back"),
    plant(
        "type-known",
        "fields[1].type",
        3,
        in_field(1, setting("type", "text")),
        "history-unchanged",
        "type-promotion",
    ),
    plant(
        "type-known", "fields[5].type", 3, in_field(5, setting("type", "decimal(39, 2)")), "history-unchanged"
    ),
    plant(
        "type-of-version",
        "fields[1].type",
        2,
        in_field(1, setting("type", "variant")),
        "history-unchanged",
        "type-promotion",
        "column-type",
    ),
    plant(
        "default-of-version",
        "initial-default",
        2,
        in_field(6, setting("initial-default", "x")),
        "history-unchanged",
    ),
    plant(
        "default-value", "write-default", 3, in_field(0, setting("write-default", "x")), "history-unchanged"
    ),
    plant("initial-default-unchanged", "initial-default", 3, a_second_initial_default, "history-unchanged"),
    plant(
        "type-promotion",
        "fields[0].type",
        3,
        in_field(0, setting("type", "int")),
        "history-unchanged",
        "bound-value",
        "column-type",
    ),
    plant(
        "identifier-fields",
        "identifier-field-ids",
        3,
        lambda metadata: current_schema(metadata).update({"identifier-field-ids": [2]}),
    ),
    plant(
        "identifier-fields",
        "identifier-field-ids",
        2,
        lambda metadata: current_schema(metadata).update({"identifier-field-ids": [99]}),
    ),
    plant("schema-once", "schemas[2]", 3, repeating("schemas", **{"schema-id": 9})),
    plant("partition-spec-once", "partition-specs[1]", 3, repeating("partition-specs", **{"spec-id": 9})),
    plant("sort-order-once", "sort-orders[", 3, repeating("sort-orders", **{"order-id": 9})),
    plant(
        "partition-field-unique",
        "fields[1]",
        3,
        in_partition_field(setting("name", "f")),
        "history-unchanged",
    ),
    plant("partition-field-id", "field-id", 3, setting("last-partition-id", 1000), "nothing-goes-back"),
    plant("partition-field-meaning", "field-id", 3, a_second_meaning),
    plant(
        "partition-source",
        "fields[0]",
        3,
        in_partition_field(setting("source-id", 99)),
        "history-unchanged",
        "manifest-header",
        "manifest-readable",
    ),
    plant(
        "partition-transform",
        "fields[0]",
        3,
        in_partition_field(setting("transform", "hour")),
        "history-unchanged",
    ),
    plant(
        "transform-known",
        "transform",
        3,
        in_partition_field(setting("transform", "half")),
        "history-unchanged",
        "manifest-header",
    ),
    plant(
        "transform-source-form",
        "fields[0]",
        3,
        in_partition_field(setting("source-ids", [4])),
        "history-unchanged",
    ),
    plant(
        "sort-order-0",
        "sort-orders[",
        3,
        lambda metadata: metadata["sort-orders"][-1].update({"fields": []}),
        "history-unchanged",
        "sort-order-once",
    ),
    plant("sort-field", "fields[0]", 3, in_order(setting("direction", "up")), "history-unchanged"),
    plant("sort-source", "fields[0]", 3, in_order(setting("source-id", 99)), "history-unchanged"),
    plant("snapshot-manifests", "snapshots[", 2, in_newest(setting("manifests", [])), "history-unchanged"),
    plant(
        "operation",
        "operation",
        3,
        in_newest(lambda snapshot: snapshot["summary"].update(operation="deletion")),
        "history-unchanged",
    ),
    plant("snapshot-schema", "schema-id", 3, in_newest(setting("schema-id", 99)), "history-unchanged"),
    plant(
        "snapshot-parent", "parent-snapshot-id", 2, an_own_parent, "history-unchanged", "manifest-list-header"
    ),
    plant(
        "sequence-order",
        "sequence-number",
        2,
        in_newest(setting("sequence-number", 0)),
        "manifest-sequence",
        "manifest-list-header",
    ),
    plant(
        "sequence-unique",
        "sequence-number",
        3,
        in_newest(setting("sequence-number", 1)),
        "sequence-order",
        "manifest-sequence",
        "manifest-list-header",
        "snapshot-row-ids-overlap",
    ),
    plant(
        "last-sequence-number", "sequence-number", 3, setting("last-sequence-number", 1), "nothing-goes-back"
    ),
    plant("snapshot-row-ids", "snapshots[", 3, in_newest(removing("first-row-id")), "history-unchanged"),
    plant(
        "snapshot-row-ids-overlap",
        "first-row-id",
        3,
        in_newest(setting("first-row-id", 1)),
        "history-unchanged",
        "added-rows",
    ),
    plant("next-row-id", "added-rows", 3, setting("next-row-id", 3), "nothing-goes-back"),
    plant(
        "statistics-snapshot",
        "statistics[0]",
        2,
        lambda metadata: metadata["statistics"][0].update({"snapshot-id": 7}),
    ),
    plant(
        "statistics-once",
        "partition-statistics[1]",
        3,
        lambda metadata: metadata["partition-statistics"].append(metadata["partition-statistics"][0]),
    ),
    plant("name-mapping", MAPPING, 2, mapped("[")),
    plant("name-mapping-ids", MAPPING, 2, mapped('[{"field-id": 99, "names": ["x"]}]')),
    plant("encryption-keys", "key-id", 3, in_newest(setting("key-id", "none")), "history-unchanged"),
    plant(
        "field-of-version",
        "key-id",
        2,
        in_newest(setting("key-id", "none")),
        "encryption-keys",
        "history-unchanged",
    ),
]


@pytest.mark.parametrize("planted", METADATA)
def test_a_violation_in_the_metadata_is_found(sound, planted):
    with sound(planted.version) as table:
        table.change_metadata(planted.change)
        hold(table, planted)


def cut(table: Planted) -> None:
    """The metadata ends too early."""
    table.place.write_bytes(table.place.read_bytes()[:-20])


def no_object(table: Planted) -> None:
    """The metadata is a list."""
    table.place.write_text("[]")


def to_nowhere(table: Planted) -> None:
    """The hint of the folder names a version that is not there."""
    (table.place.parent / "version-hint.text").write_text("77")


FILES = [
    plant("version-hint", "version-hint.text", 2, to_nowhere),
    plant("metadata-readable", "metadata.json", 2, cut),
    plant("metadata-readable", "metadata.json", 3, no_object),
    plant(
        "metadata-readable",
        "metadata.json",
        2,
        lambda table: path_of(table.metadata["metadata-log"][0]["metadata-file"]).write_text("{"),
    ),
    plant(
        "metadata-strict",
        "metadata.json",
        2,
        lambda table: table.change_metadata(in_field(4, lambda field: field["type"].pop("element-required"))),
        "history-unchanged",
    ),
]


@pytest.mark.parametrize("planted", FILES)
def test_a_broken_metadata_file_is_found(sound, planted):
    with sound(planted.version) as table:
        planted.change(table)
        hold(table, planted)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_sound_table_has_no_finding(sound, version):
    with sound(version) as table:
        from checking.found import findings

        assert findings(table) == []
        assert json.loads(table.place.read_text())["format-version"] == version
