use proptest::prelude::*;
use serde_json::json;

use crate::error::ErrorKind;
use crate::schema::value_json::{from_json, to_json};
use crate::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};
use crate::value::Value;
use crate::value::tests::strategies::typed_value;

fn primitive(text: &str) -> Type {
    text.parse().unwrap()
}

#[test]
fn every_example_of_the_specification_reads_and_is_written_as_it_was() {
    for (name, json) in [
        ("boolean", json!(true)),
        ("int", json!(34)),
        ("long", json!(34)),
        ("float", json!(1.0)),
        ("double", json!(1.0)),
        ("decimal(4,2)", json!("14.20")),
        ("date", json!("2017-11-16")),
        ("time", json!("22:31:08.123456")),
        ("timestamp", json!("2017-11-16T22:31:08.123456")),
        ("timestamptz", json!("2017-11-16T22:31:08.123456+00:00")),
        ("timestamp_ns", json!("2017-11-16T22:31:08.123456789")),
        ("timestamptz_ns", json!("2017-11-16T22:31:08.123456789+00:00")),
        ("string", json!("iceberg")),
        ("uuid", json!("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
        ("fixed[4]", json!("000102ff")),
        ("binary", json!("000102ff")),
    ] {
        let value = from_json(&json, &primitive(name)).unwrap();
        assert!(value.as_ref().unwrap().matches(primitive(name).as_primitive().unwrap()), "{name}");
        assert_eq!(to_json(value.as_ref(), &primitive(name)).unwrap(), json, "{name}");
    }
}

#[test]
fn nested_values_are_keyed_by_field_id() {
    let point = Type::Struct(StructType {
        fields: vec![
            Field::optional(1, "x", PrimitiveType::Int),
            Field::optional(2, "name", PrimitiveType::String),
        ],
    });
    let list = Type::List(Box::new(ListType { element: Field::optional(3, "element", point) }));
    let map = Type::Map(Box::new(MapType {
        key: Field::required(4, "key", PrimitiveType::String),
        value: Field::optional(5, "value", list),
    }));
    let json = json!({"keys": ["a", "b"], "values": [[{"1": 1, "2": "bar"}, null, {}], null]});
    let value = from_json(&json, &map).unwrap();
    let point = Value::Struct(vec![(1, Some(Value::Int(1))), (2, Some(Value::String("bar".into())))]);
    let expected = Value::Map(vec![
        (Value::String("a".into()), Some(Value::List(vec![Some(point), None, Some(Value::Struct(vec![]))]))),
        (Value::String("b".into()), None),
    ]);
    assert_eq!(value, Some(expected));
    assert_eq!(to_json(value.as_ref(), &map).unwrap(), json);
}

#[test]
fn a_decimal_with_an_exponent_gets_the_scale_of_its_type() {
    let value = from_json(&json!("2E+3"), &primitive("decimal(9,2)")).unwrap();
    assert_eq!(value, Some(Value::Decimal { unscaled: 200_000, scale: 2 }));
}

#[test]
fn json_that_is_not_of_the_type_is_invalid_data() {
    for (name, json) in [
        ("boolean", json!(1)),
        ("int", json!(2_147_483_648_i64)),
        ("int", json!(1.0)),
        ("long", json!("1")),
        ("long", json!(9_223_372_036_854_775_808_u64)),
        ("float", json!(1e300)),
        ("double", json!("inf")),
        ("decimal(4,2)", json!(14.20)),
        ("decimal(4,2)", json!("14.201")),
        ("decimal(4,2)", json!("140.20")),
        ("date", json!("2017-02-30")),
        ("date", json!(3)),
        ("time", json!("22:31:08.1234567")),
        ("timestamp", json!("2017-11-16T22:31:08+00:00")),
        ("timestamp", json!("2017-11-16T22:31:08.123456789")),
        ("timestamptz", json!("2017-11-16T22:31:08")),
        ("timestamptz", json!("2017-11-16T22:31:08-08:00")),
        ("timestamp_ns", json!("2300-11-16T22:31:08")),
        ("string", json!(1)),
        ("uuid", json!("f79c3e09677c4bbda4793f349cb785e7")),
        ("fixed[4]", json!("000102")),
        ("binary", json!("0")),
    ] {
        let error = from_json(&json, &primitive(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{name} {json}");
    }
}

#[test]
fn a_map_needs_a_value_for_every_key_and_no_null_keys() {
    let map = Type::Map(Box::new(MapType {
        key: Field::required(4, "key", PrimitiveType::String),
        value: Field::optional(5, "value", PrimitiveType::Int),
    }));
    for json in [json!({"keys": ["a"], "values": []}), json!({"keys": [null], "values": [1]}), json!([])] {
        assert_eq!(from_json(&json, &map).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn types_without_a_json_form_hold_only_null() {
    for name in ["variant", "geometry", "geography", "unknown", "interval"] {
        assert_eq!(from_json(&json!(null), &primitive(name)).unwrap(), None);
        assert_eq!(
            from_json(&json!("x"), &primitive(name)).unwrap_err().kind(),
            ErrorKind::Unsupported,
            "{name}"
        );
    }
}

proptest! {
    #[test]
    fn every_value_reads_back((primitive, value) in typed_value()) {
        let field_type = Type::Primitive(primitive);
        let text = serde_json::to_string(&to_json(Some(&value), &field_type).unwrap()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(from_json(&json, &field_type).unwrap(), Some(value));
    }
}

#[test]
fn an_error_shows_no_more_than_the_beginning_of_a_long_type() {
    let long: Type = "x".repeat(4000).parse().unwrap();
    let error = from_json(&json!(1), &long).unwrap_err();
    let shown = format!("a value of type {} other than null has no JSON form here", "x".repeat(64));
    assert_eq!(error.message(), shown);
}
