use arrow_schema::TimeUnit;
use floeberg_core::{ErrorKind, Result};

use crate::{AvroSchema, AvroType, Limits, Logical, parse_schema};

fn parse(json: &str) -> Result<AvroSchema> {
    parse_schema(json.as_bytes(), &Limits::default())
}

fn field_types(schema: &AvroSchema) -> Vec<&AvroType> {
    let AvroType::Record(fields) = schema.root() else { panic!("a record") };
    fields.iter().map(|field| schema.get(field.field_type)).collect()
}

#[test]
fn a_named_type_is_found_in_its_namespace_and_by_its_full_name() {
    let json = r#"{"type":"record","name":"r","namespace":"a.b","fields":[
        {"name":"x","type":{"type":"fixed","name":"f","size":3}},
        {"name":"y","type":"f"},{"name":"z","type":"a.b.f"},
        {"name":"o","type":{"type":"fixed","name":"other.f","size":4}},{"name":"p","type":"other.f"}]}"#;
    let schema = parse(json).unwrap();
    let (three, four) = (AvroType::Fixed(3, Logical::Plain), AvroType::Fixed(4, Logical::Plain));
    assert_eq!(field_types(&schema), [&three, &three, &three, &four, &four]);
}

#[test]
fn logical_types_that_change_a_value_are_kept() {
    let json = r#"{"type":"record","name":"r","fields":[
        {"name":"a","type":{"type":"long","logicalType":"timestamp-micros"}},
        {"name":"b","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":4}},
        {"name":"c","type":{"type":{"type":"int","logicalType":"date"}}}]}"#;
    let schema = parse(json).unwrap();
    let expected = [
        AvroType::Long(Logical::Timestamp { unit: TimeUnit::Microsecond, utc: false }),
        AvroType::Bytes(Logical::Decimal { precision: 9, scale: 4 }),
        AvroType::Int(Logical::Date),
    ];
    assert_eq!(field_types(&schema), expected.iter().collect::<Vec<_>>());
}

#[test]
fn only_a_schema_with_ids_has_ids() {
    let json =
        |id: &str| format!(r#"{{"type":"record","name":"r","fields":[{{"name":"x","type":"int"{id}}}]}}"#);
    assert!(parse(&json(r#","field-id":5"#)).unwrap().has_ids());
    assert!(!parse(&json("")).unwrap().has_ids());
    assert!(parse(&json(r#","field-id":5000000000"#)).is_err());
}

#[test]
fn what_is_no_schema_is_invalid_data() {
    let wrong = [
        "",
        "{",
        "5",
        "\"no.such.type\"",
        "{}",
        r#"{"type":"record","name":"r"}"#,
        r#"{"type":"record","fields":[]}"#,
        r#"{"type":"fixed","name":"f","size":-1}"#,
        r#"{"type":"fixed","name":"f","size":9999999999}"#,
        r#"{"type":"enum","name":"e","symbols":[1]}"#,
        r#"{"type":"array"}"#,
        r#"{"type":"map"}"#,
    ];
    for json in wrong {
        assert_eq!(parse(json).unwrap_err().kind(), ErrorKind::InvalidData, "{json}");
    }
}

#[test]
fn depth_and_size_are_limited() {
    let nested =
        |depth: usize| format!("{}\"int\"{}", r#"{"type":"array","items":"#.repeat(depth), "}".repeat(depth));
    assert!(parse(&nested(60)).is_ok());
    assert_eq!(parse(&nested(100)).unwrap_err().kind(), ErrorKind::LimitExceeded);
    // Deeper still the JSON reader gives up: no stack is left to run out.
    assert!(parse(&nested(100_000)).is_err());
    let limits = Limits { type_count: 10, ..Limits::default() };
    let union = format!("[{}]", vec!["\"int\""; 20].join(","));
    assert_eq!(parse_schema(union.as_bytes(), &limits).unwrap_err().kind(), ErrorKind::LimitExceeded);
    let limits = Limits { schema_bytes: 10, ..Limits::default() };
    assert_eq!(parse_schema(union.as_bytes(), &limits).unwrap_err().kind(), ErrorKind::LimitExceeded);
}
