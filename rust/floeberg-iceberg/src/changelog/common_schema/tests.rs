#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType as P, Schema, StructType, Type};
use floeberg_core::value::Value;

use super::common_schema;

fn schema(id: i32, fields: Vec<Field>) -> Schema {
    Schema::new(id, fields).unwrap()
}

/// A column with an int at every level, or with a long.
fn nested(leaf: P) -> Field {
    let element = Field::optional(12, "element", leaf.clone());
    let list = Type::List(Box::new(ListType { element }));
    let key = Field::required(14, "key", leaf.clone());
    let value = Field::required(15, "value", leaf.clone());
    let map = Type::Map(Box::new(MapType { key, value }));
    let fields = vec![
        Field::required(10, "n", leaf),
        Field::optional(11, "list", list),
        Field::optional(13, "map", map),
    ];
    Field::optional(9, "s", Type::Struct(StructType { fields }))
}

#[test]
fn the_wider_type_of_either_side_is_taken_at_every_level() {
    let (narrow, wide) = (schema(0, vec![nested(P::Int)]), schema(1, vec![nested(P::Long)]));
    assert_eq!(common_schema(&wide, &narrow).unwrap().fields(), wide.fields());
    assert_eq!(common_schema(&narrow, &wide).unwrap().fields(), wide.fields());
}

#[test]
fn the_columns_are_those_of_the_second_schema() {
    let before = schema(0, vec![Field::required(1, "old", P::Int), Field::optional(2, "gone", P::String)]);
    let after = schema(1, vec![Field::optional(3, "came", P::Date), Field::required(1, "new", P::Int)]);
    assert_eq!(common_schema(&before, &after).unwrap().fields(), after.fields());
}

#[test]
fn a_column_is_required_where_both_sides_say_so_and_no_column_identifies_rows() {
    let before = schema(0, vec![Field::required(1, "a", P::Int), Field::optional(2, "b", P::Int)]);
    let fields = vec![
        Field::required(1, "a", P::Int),
        Field::required(2, "b", P::Int),
        Field::required(3, "c", P::Int),
    ];
    let after = schema(1, fields).with_identifier_field_ids(vec![1, 2]);
    let common = common_schema(&before, &after).unwrap();
    assert_eq!(common.fields().iter().map(|field| field.required).collect::<Vec<_>>(), [true, false, false]);
    assert!(common.identifier_field_ids().is_empty());
}

#[test]
fn a_wider_column_has_the_default_of_its_type() {
    let with_default =
        |leaf: P, default| vec![Field { initial_default: Some(default), ..Field::optional(1, "a", leaf) }];
    let narrow = schema(0, with_default(P::Int, Value::Int(7)));
    let wide = schema(1, with_default(P::Long, Value::Long(7)));
    assert_eq!(common_schema(&wide, &narrow).unwrap().fields(), wide.fields());
}
