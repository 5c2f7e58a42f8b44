"""Types, schemas, specs and orders that a user makes: by names of types, and as their reprs say."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import types
from floeberg.errors import InvalidInputError
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

LONG, STRING = PrimitiveType("long"), PrimitiveType("string")


def test_a_type_may_be_given_by_its_name():
    assert NestedField(1, "a", "long") == NestedField(1, "a", LONG, required=False)
    assert NestedField(1, "a", " Decimal( 9 ,2 ) ").field_type == PrimitiveType("decimal(9,2)")
    assert ListType(2, "string", element_required=True).element_type == STRING
    known = MapType(key_id=2, key_type="string", value_id=3, value_type="long", value_required=False)
    assert (known.key_type, known.value_type) == (STRING, LONG)
    assert StructType([NestedField(1, "a", "variant")]).fields[0].field_type == PrimitiveType("variant")


def test_a_table_is_made_of_names_of_types():
    catalog = fb.load_catalog("types", type="memory")
    catalog.create_namespace("n")
    schema = Schema(
        NestedField(1, "id", "long", required=True), NestedField(2, "tags", ListType(3, "string", False))
    )
    table = catalog.create_table("n.t", schema)
    assert str(table.schema()) == str(schema)
    table.append(pa.table({"id": [1], "tags": [["a"]]}, table.scan(limit=0).to_arrow().schema))
    assert table.scan().count() == 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: NestedField(1, "a", "bigint"),
            "field_type: no type is named 'bigint'|field_type: .*expected \"long\"",
        ),
        (lambda: NestedField(1, "a", "varchar(10)"), 'expected "string"'),
        (lambda: NestedField(1, "a", "decimal"), r'expected "decimal\(P, S\)"'),
        (lambda: NestedField(1, "a", "nonsense"), 'expected a name as "long"'),
        (lambda: NestedField(1, "a", "decimal(99, 2)"), "a decimal precision of 1 to 38"),
        (
            lambda: NestedField(1, "a", 7),
            "field_type: expected a type or its name, such as 'long', found .* type int",
        ),
        (lambda: NestedField(1, "a", None), "field_type: expected a type"),
        (lambda: ListType(2, "list<long>", element_required=False), "element_type: no type is named"),
        (lambda: MapType(2, "text", 3, "long", value_required=True), 'key_type: .*expected "string"'),
        (lambda: MapType(2, "string", 3, "int64", value_required=True), 'value_type: .*expected "long"'),
        (
            lambda: StructType(("a",)),
            "fields: expected fields of the class NestedField, found an object of type str",
        ),
        (lambda: StructType(LONG), "fields: expected fields of the class NestedField"),
        (lambda: Schema(LONG), "fields: expected fields of the class NestedField"),
    ],
)
def test_what_is_no_type_is_told_with_the_argument(make, said):
    with pytest.raises(InvalidInputError, match=said):
        make()


def test_a_column_is_added_by_a_name_that_there_is():
    catalog = fb.load_catalog("types", type="memory")
    catalog.create_namespace_if_not_exists("n")
    table = catalog.create_table("n.added", pa.schema({"id": pa.int64()}))
    update = table.update_schema()
    with pytest.raises(InvalidInputError, match='expected "long"'):
        update.add_column("z", "bigint")


def test_a_repr_makes_the_same_again():
    field = NestedField(1, "a", "long", required=True, doc="d")
    for made in (
        field,
        Schema(
            field,
            NestedField(2, "b", ListType(3, "string", element_required=False)),
            identifier_field_ids=(1,),
        ),
        PartitionField(2, 1000, "bucket[16]", "shard"),
        PartitionField((2, 3), 1000, "bucket[16]", "shard"),
        PartitionSpec(),
        PartitionSpec(PartitionField(1, 1000, "day", "d"), spec_id=3),
        SortField(1, direction="desc"),
        SortField((1, 2), "bucket[4]", "asc", "nulls-last"),
        SortOrder(),
        SortOrder(SortField(1), order_id=7),
    ):
        assert eval(repr(made), vars(types)) == made, repr(made)
