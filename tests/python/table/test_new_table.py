"""What users say of a new table becomes JSON of the specification, or an error that says why."""

from __future__ import annotations

import json
import pickle

import polars as pl
import pyarrow as pa
import pytest

from floeberg import errors
from floeberg._new_table import partition_spec_json, schema_json, sort_order_json
from floeberg.types import (
    ListType,
    MapType,
    NestedField,
    PartitionField,
    PartitionSpec,
    PrimitiveType,
    Schema,
    SortField,
    SortOrder,
    StructType,
)
from floeberg.types._from_json import read_schema, read_sort_order, read_spec

LONG = PrimitiveType("long")


class Model:
    """Writes itself, as PyIceberg's models do."""

    def model_dump_json(self) -> str:
        return '{"fields": []}'


def test_an_arrow_schema_becomes_that_of_a_table():
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("tags", pa.large_list(pa.string_view())),
            pa.field("at", pa.timestamp("ms", "UTC"), metadata={"doc": "when"}),
            pa.field("uuid", pa.uuid()),
            pa.field("kind", pa.dictionary(pa.int8(), pa.string())),
        ]
    )
    made = read_schema(json.loads(schema_json(schema, format_version=2)))
    assert [str(each) for each in made.fields] == [
        "1: id: required long",
        "2: tags: optional list<string>",
        "3: at: optional timestamptz (when)",
        "4: uuid: optional uuid",
        "5: kind: optional string",
    ]
    assert made.find_field("tags.element").field_id == 6


def test_a_schema_comes_from_whatever_exports_arrow():
    frame = pl.DataFrame({"a": [1], "b": ["x"]})
    written = schema_json(frame.to_arrow().schema, format_version=2)
    assert schema_json(frame.schema, format_version=2) == written


def test_a_column_without_a_type_is_told_with_the_way_out():
    schema = pa.schema([("t", pa.timestamp("ns")), ("n", pa.uint64())])
    with pytest.raises(
        errors.InvalidInputError, match=r"\"t\" has nanoseconds.*format_version=3.*\"n\" is uint64"
    ):
        schema_json(schema, format_version=2)
    assert '"timestamp_ns"' in schema_json(schema.remove(1), format_version=3)


def test_a_schema_of_floeberg_is_written_as_it_is():
    inner = StructType((NestedField(5, "x", LONG, required=True, doc="d"),))
    schema = Schema(
        NestedField(1, "id", LONG, required=True, initial_default=3, write_default=4),
        NestedField(2, "l", ListType(3, inner, element_required=True), required=False),
        NestedField(4, "m", MapType(6, LONG, 7, LONG, value_required=False), required=False),
        schema_id=2,
        identifier_field_ids=[1],
    )
    assert read_schema(json.loads(schema_json(schema, format_version=3))) == schema
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_specs_and_orders_are_texts_or_fields():
    spec = PartitionSpec(PartitionField(2, 1000, "day", "d"), PartitionField((1, 2), 1001, "void", "v"))
    assert json.loads(partition_spec_json(["day(ts)", spec.fields[0]]))[0] == "day(ts)"
    written = {"spec-id": 0, "fields": json.loads(partition_spec_json(spec))}
    assert read_spec(written) == spec
    order = SortOrder(SortField(2), SortField(1, "bucket[4]", "desc", "nulls-first"))
    written = {"order-id": 1, "fields": json.loads(sort_order_json(order))}
    assert read_sort_order(written) == order
    assert partition_spec_json(None) == sort_order_json([]) == "[]"


def test_models_of_pyiceberg_write_themselves():
    written = {schema_json(Model(), format_version=2), partition_spec_json(Model()), sort_order_json(Model())}
    assert written == {'{"fields": []}'}


@pytest.mark.parametrize("wrong", ["day(ts)", 7, {"ts": "day"}, [7], SortOrder()])
def test_what_is_no_spec_is_told(wrong):
    with pytest.raises(errors.InvalidInputError, match="partition_spec: expected"):
        partition_spec_json(wrong)


@pytest.mark.parametrize("wrong", [PartitionSpec(), "ts", [PartitionField(1, 1000, "day", "d")]])
def test_what_is_no_order_is_told(wrong):
    with pytest.raises(errors.InvalidInputError, match="sort_order: expected"):
        sort_order_json(wrong)


def test_what_is_no_schema_is_told():
    with pytest.raises(errors.InvalidInputError, match="schema: expected"):
        schema_json(["id"], format_version=2)
    with pytest.raises(errors.InvalidInputError, match="cannot be written as JSON"):
        schema_json(
            Schema(NestedField(1, "x", LONG, required=False, write_default=object())), format_version=3
        )
