"""A replaced table has the ids, specs, orders, snapshots and refs that Iceberg Java gives it."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.types import NestedField, PartitionField, PartitionSpec, Schema, SortField, SortOrder

pytestmark = pytest.mark.timeout(900)

ROWS = pa.table(
    {"id": pa.array([1, 2], pa.int64()), "city": ["Oslo", "Riga"], "n": pa.array([3, 4], pa.int32())}
)
PARTS = (
    "format-version",
    "schemas",
    "current-schema-id",
    "last-column-id",
    "partition-specs",
    "default-spec-id",
    "last-partition-id",
    "sort-orders",
    "default-sort-order-id",
    "last-sequence-number",
)


def field(number: int, name: str, kind: str, **more: Any) -> NestedField:
    return NestedField(number, name, kind, **{"required": False} | more)


# The columns, partitions and orders of new tables; ids are those of the declaration.
REPLACEMENTS: dict[str, tuple[list[NestedField], list[PartitionField], list[SortField]]] = {
    "the same": (
        [field(1, "id", "long"), field(2, "city", "string"), field(3, "n", "int")],
        [PartitionField(2, 1000, "identity", "city")],
        [SortField(1, "identity")],
    ),
    "others": (
        [field(1, "note", "string"), field(2, "id", "long"), field(3, "at", "timestamptz")],
        [PartitionField(3, 1000, "day", "at_day"), PartitionField(2, 1001, "bucket[4]", "shard")],
        [SortField(3, "identity", "desc", "nulls-last"), SortField(1, "truncate[2]")],
    ),
    "promoted": (
        [field(1, "n", "long"), field(2, "city", "string")],
        [PartitionField(2, 1000, "truncate[2]", "start")],
        [],
    ),
    "nested": (
        [
            field(1, "city", "string"),
            NestedField(
                2,
                "place",
                fb.types.StructType(field(3, "city", "string"), field(4, "zip", "int")),
                required=False,
            ),
            NestedField(
                5, "tags", fb.types.ListType(6, fb.types.PrimitiveType("string"), False), required=False
            ),
        ],
        [],
        [SortField(1, "identity")],
    ),
    "bare": ([field(1, "x", "double")], [], []),
}


def place(tmp_path, name: str) -> dict[str, str]:
    return {
        "uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        "warehouse": (tmp_path / "warehouse").as_uri(),
        "namespace": "shop",
        "name": name,
    }


def metadata(table: fb.Table) -> dict[str, Any]:
    return json.loads(table._inner.metadata_json())


def told(table: fb.Table) -> dict[str, Any]:
    """What is compared: snapshots by their number, and no times."""
    document = metadata(table)
    number = {each["snapshot-id"]: at for at, each in enumerate(document["snapshots"])}
    refs = {
        name: {**ref, "snapshot-id": number[ref["snapshot-id"]]} for name, ref in document["refs"].items()
    }
    return {key: document.get(key) for key in PARTS} | {
        "refs": refs,
        "log": [number[each["snapshot-id"]] for each in document["snapshot-log"]],
        "current": number.get(document.get("current-snapshot-id")),
        "properties": {
            key: value for key, value in document["properties"].items() if key.startswith(("kept", "new"))
        },
        "parents": [number.get(each.get("parent-snapshot-id")) for each in document["snapshots"]],
    }


def in_java(fields: list[Any], *keys: str, part_of: dict[str, int]) -> str:
    """A spec or an order, as JSON of Appendix C."""
    written = []
    for each in fields:
        values = {key: getattr(each, key.replace("-", "_")) for key in keys}
        plain = {key: getattr(value, "value", value) for key, value in values.items()}
        written.append({"source-id": each.source_id, "transform": str(each.transform), **plain})
    return json.dumps({**part_of, "fields": written})


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("case", REPLACEMENTS.values(), ids=REPLACEMENTS)
def test_a_table_is_replaced_as_in_java(case, version, tmp_path, java):
    fields, partitions, sorts = case
    catalog = fb.load_catalog(
        "interop",
        type="sql",
        uri=f"sqlite:///{tmp_path}/catalog.db",
        warehouse=(tmp_path / "warehouse").as_uri(),
    )
    catalog.create_namespace("shop")
    for name in ("ours", "theirs"):
        table = catalog.create_table(
            f"shop.{name}",
            ROWS.schema,
            partition_spec=["city"],
            sort_order=["n desc"],
            properties={"kept": "yes"},
            format_version=version,
        )
        table.append(ROWS)
        table.append(ROWS, branch="audit")
        table.manage_snapshots().create_tag(None, "v1").commit()
    schema, spec, order = Schema(*fields), PartitionSpec(*partitions), SortOrder(*sorts)
    uuid = metadata(catalog.load_table("shop.ours"))["table-uuid"]
    ours = catalog.replace_table("shop.ours", schema, None, spec, order, {"new": "yes"})
    java(
        "replace_table",
        place=place(tmp_path, "theirs"),
        schema=fb._new_table.schema_json(schema, format_version=version),
        spec=in_java(partitions, "field-id", "name", part_of={"spec-id": 0}),
        order=in_java(sorts, "direction", "null-order", part_of={"order-id": 1 if sorts else 0}),
        properties={"new": "yes"},
    )
    theirs = catalog.load_table("shop.theirs")
    assert told(ours) == told(theirs)
    assert metadata(ours)["table-uuid"] == uuid
    assert "main" not in ours.refs()
    # Java reads what was replaced here, and goes on.
    assert java("read", metadata_location=ours.metadata_location) == []
    columns = ours.schema().as_arrow()
    new = pa.table([pa.nulls(2, each) for each in columns.types], schema=columns)
    for table in (ours, theirs):
        table.append(new)
        assert table.scan().count() == 2
        assert table.scan(branch="v1").to_arrow().to_pylist() == ROWS.to_pylist()
    assert len(java("read", metadata_location=ours.metadata_location)) == 2
    assert told(ours) == told(theirs)


@pytest.mark.unchecked_tables("Java gives a column another type than the specification promotes")
def test_a_column_of_another_type_gets_another_id_than_in_java(tmp_path, java):
    """Java keeps the id, and cannot read the old rows in the column. Here no branch gets such rows."""
    catalog = fb.load_catalog(
        "interop",
        type="sql",
        uri=f"sqlite:///{tmp_path}/catalog.db",
        warehouse=(tmp_path / "warehouse").as_uri(),
    )
    catalog.create_namespace("shop")
    for name in ("ours", "theirs"):
        catalog.create_table(f"shop.{name}", as_select=ROWS)
    schema = Schema(field(1, "id", "long"), field(2, "city", "int"))
    ours = catalog.replace_table("shop.ours", schema)
    java(
        "replace_table",
        place=place(tmp_path, "theirs"),
        schema=fb._new_table.schema_json(schema, format_version=2),
        spec=json.dumps({"spec-id": 0, "fields": []}),
        order=json.dumps({"order-id": 0, "fields": []}),
        properties={},
    )
    theirs = catalog.load_table("shop.theirs")
    ids = [{each.name: each.field_id for each in table.schema().fields} for table in (ours, theirs)]
    assert ids == [{"id": 1, "city": 4}, {"id": 1, "city": 2}]
    was = 'column "city" was of type string and is of type int'
    others = r"columns of the same name are other columns by now.*\"city\" \(string then, int now\)"
    cases = ((theirs, fb.errors.CommitConflictError, was), (ours, fb.errors.InvalidInputError, others))
    for table, error, why in cases:
        old = table.snapshots()[0].snapshot_id
        with pytest.raises(error, match=why):
            table.manage_snapshots().set_current_snapshot(old).commit()
        assert table.scan(snapshot_id=old).to_arrow().to_pylist() == ROWS.to_pylist()
