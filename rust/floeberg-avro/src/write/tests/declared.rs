use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};
use serde_json::{Value as Json, json};

use super::super::{decimal_size, declare};
use crate::{Limits, parse_schema};

fn declared(fields: Vec<Field>) -> Vec<Json> {
    let schema = declare(&StructType { fields }, "table").unwrap();
    assert_eq!((&schema["type"], &schema["name"]), (&json!("record"), &json!("table")));
    parse_schema(schema.to_string().as_bytes(), &Limits::default()).unwrap();
    schema["fields"].as_array().unwrap().clone()
}

fn type_of(primitive: PrimitiveType) -> Json {
    declared(vec![Field::required(1, "x", primitive)])[0]["type"].clone()
}

#[test]
fn every_primitive_type_is_declared_as_appendix_a_says() {
    use PrimitiveType as P;
    let timestamp =
        |unit: &str, utc: bool| json!({"type": "long", "logicalType": unit, "adjust-to-utc": utc});
    let expected = [
        (P::Unknown, json!("null")),
        (P::Boolean, json!("boolean")),
        (P::Int, json!("int")),
        (P::Long, json!("long")),
        (P::Float, json!("float")),
        (P::Double, json!("double")),
        (P::Date, json!({"type": "int", "logicalType": "date"})),
        (P::Time, json!({"type": "long", "logicalType": "time-micros"})),
        (P::Timestamp, timestamp("timestamp-micros", false)),
        (P::Timestamptz, timestamp("timestamp-micros", true)),
        (P::TimestampNs, timestamp("timestamp-nanos", false)),
        (P::TimestamptzNs, timestamp("timestamp-nanos", true)),
        (P::String, json!("string")),
        (P::Uuid, json!({"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"})),
        (P::Fixed(5), json!({"type": "fixed", "name": "fixed_5", "size": 5})),
        (P::Binary, json!("bytes")),
        (P::Geometry { crs: None }, json!("bytes")),
        (
            P::Decimal { precision: 9, scale: 2 },
            json!({"type": "fixed", "name": "decimal_9_2", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}),
        ),
    ];
    for (primitive, json) in expected {
        assert_eq!(type_of(primitive.clone()), json, "{primitive}");
    }
}

#[test]
fn a_decimal_takes_the_least_bytes_that_hold_its_digits() {
    for precision in 1..=38_u8 {
        let size = decimal_size(precision);
        let highest = 10_i128.pow(u32::from(precision)) - 1;
        let holds = |bytes: usize| bytes == 16 || highest < 1_i128 << (8 * bytes - 1);
        assert!(holds(size) && (size == 1 || !holds(size - 1)), "{precision}: {size}");
    }
}

#[test]
fn optional_fields_are_unions_with_null_and_default_to_it() {
    let doc = Field { doc: Some("why".to_owned()), ..Field::optional(3, "x", PrimitiveType::Int) };
    let expected =
        json!({"name": "x", "type": ["null", "int"], "doc": "why", "default": null, "field-id": 3});
    assert_eq!(declared(vec![doc]), [expected]);
    let unknown = Field::optional(3, "x", PrimitiveType::Unknown);
    assert_eq!(declared(vec![unknown])[0]["type"], "null");
}

#[test]
fn nested_types_carry_the_ids_of_their_children() {
    let list = ListType { element: Field::optional(5, "element", PrimitiveType::Long) };
    let inner = StructType { fields: vec![Field::required(7, "y", Type::List(Box::new(list)))] };
    let text_map = MapType {
        key: Field::required(9, "key", PrimitiveType::String),
        value: Field::required(10, "value", Type::Struct(inner)),
    };
    let map = MapType {
        key: Field::required(12, "key", PrimitiveType::Int),
        value: Field::optional(13, "value", PrimitiveType::Binary),
    };
    let fields = declared(vec![
        Field::required(8, "text_map", Type::Map(Box::new(text_map))),
        Field::required(11, "int_map", Type::Map(Box::new(map))),
    ]);
    let array = json!({"type": "array", "items": ["null", "long"], "element-id": 5});
    let record =
        json!({"type": "record", "name": "r10", "fields": [{"name": "y", "type": array, "field-id": 7}]});
    assert_eq!(fields[0]["type"], json!({"type": "map", "values": record, "key-id": 9, "value-id": 10}));
    let pair = json!({"type": "record", "name": "k12_v13", "fields": [
        {"name": "key", "type": "int", "field-id": 12},
        {"name": "value", "type": ["null", "bytes"], "default": null, "field-id": 13}
    ]});
    assert_eq!(fields[1]["type"], json!({"type": "array", "items": pair, "logicalType": "map"}));
}

#[test]
fn a_fixed_type_is_declared_wherever_it_stands() {
    let fields = declared(vec![
        Field::required(1, "a", PrimitiveType::Uuid),
        Field::optional(2, "b", PrimitiveType::Uuid),
    ]);
    assert_eq!(fields[0]["type"]["name"], "uuid_fixed");
    let again = json!({"type": "fixed", "name": "uuid_fixed_2", "size": 16, "logicalType": "uuid"});
    assert_eq!(fields[1]["type"], json!(["null", again]));
}

#[test]
fn names_are_those_that_avro_allows() {
    let expected = [
        ("plain_1", "plain_1"),
        ("with space", "with_x20space"),
        ("p/q", "p_x2Fq"),
        ("1st", "_1st"),
        ("ünï🐢_bucket", "_xFCn_xEF_xD83D_xDC22_bucket"),
        ("日付", "_x65E5_x4ED8"),
        ("-", "_x2D"),
    ];
    for (name, sane) in expected {
        let field = &declared(vec![Field::required(1, name, PrimitiveType::Int)])[0];
        assert_eq!(field["name"], sane);
        let original = field.get("iceberg-field-name").and_then(Json::as_str);
        assert_eq!(original, (name != sane).then_some(name));
    }
}

#[test]
fn what_avro_cannot_say_is_refused() {
    let refused = |fields: Vec<Field>| declare(&StructType { fields }, "table").unwrap_err().kind();
    let unknown = Type::Unrecognized("matrix".to_owned());
    assert_eq!(refused(vec![Field::required(1, "x", unknown)]), ErrorKind::Unsupported);
}

#[test]
fn no_two_names_of_a_record_are_equal() {
    let written = ["a b", "a_x20b", "a_x20b_2", "1", "_1", "é", "_xE9"];
    let fields = (1..).zip(written).map(|(id, name)| Field::required(id, name, PrimitiveType::Int));
    let declared = declared(fields.collect());
    let names: Vec<&str> = declared.iter().filter_map(|field| field["name"].as_str()).collect();
    assert_eq!(names, ["a_x20b_3", "a_x20b", "a_x20b_2", "_1_2", "_1", "_xE9_2", "_xE9"]);
    let originals: Vec<_> = declared.iter().map(|field| field["iceberg-field-name"].as_str()).collect();
    assert_eq!(originals, [Some("a b"), None, None, Some("1"), None, Some("é"), None]);
}
