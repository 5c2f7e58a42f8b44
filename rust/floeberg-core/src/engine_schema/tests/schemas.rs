use arrow_schema::{DataType, Schema as ArrowSchema};
use serde_json::json;

use crate::engine_schema::SparkSchema;
use crate::error::ErrorKind;
use crate::schema::json::schema_from_json;
use crate::schema::{Field, Schema, Type};

const TRUNCATING: SparkSchema = SparkSchema { truncate_nanoseconds: true };

fn column(name: &str) -> Schema {
    Schema::new(0, vec![Field::optional(1, "x", name.parse::<Type>().unwrap())]).unwrap()
}

#[test]
fn every_primitive_type_has_the_type_that_pyspark_checks() {
    for (name, expected) in [
        ("boolean", "Boolean"),
        ("int", "Int32"),
        ("long", "Int64"),
        ("float", "Float32"),
        ("double", "Float64"),
        ("decimal(9,2)", "Decimal128(9, 2)"),
        ("date", "Date32"),
        ("time", "Time64(ns)"),
        ("timestamp", "Timestamp(µs)"),
        ("timestamptz", "Timestamp(µs, \"UTC\")"),
        ("timestamp_ns", "Timestamp(µs)"),
        ("timestamptz_ns", "Timestamp(µs, \"UTC\")"),
        ("string", "Utf8"),
        ("uuid", "Utf8"),
        ("fixed[3]", "Binary"),
        ("binary", "Binary"),
        ("unknown", "Null"),
        ("geometry", "Binary"),
        ("geography(srid:4269, karney)", "Binary"),
    ] {
        let schema = TRUNCATING.schema(&column(name)).unwrap();
        assert_eq!(schema.field(0).data_type().to_string(), expected, "{name}");
        assert!(schema.field(0).metadata().is_empty(), "{name}");
    }
}

/// A list of structs and a map of lists, each level with its own nullability.
fn nested() -> Schema {
    schema_from_json(&json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "m", "required": true, "type": {
            "type": "map", "key-id": 2, "key": "uuid", "value-id": 3, "value-required": true, "value": {
                "type": "list", "element-id": 4, "element-required": false, "element": "fixed[2]"
            }
        }},
        {"id": 5, "name": "l", "required": false, "type": {
            "type": "list", "element-id": 6, "element-required": true, "element": {
                "type": "struct", "fields": [
                    {"id": 7, "name": "t", "required": true, "type": "time"},
                    {"id": 8, "name": "u", "required": false, "type": "unknown"}
                ]
            }
        }}
    ]}))
    .unwrap()
}

#[test]
fn nullability_is_the_schemas_at_every_level() {
    let schema = SparkSchema::default().schema(&nested()).unwrap();
    let [map, list] = schema.fields().iter().map(AsRef::as_ref).collect::<Vec<_>>()[..] else {
        panic!("two columns")
    };
    assert_eq!((map.is_nullable(), list.is_nullable()), (false, true));
    let DataType::Map(entries, false) = map.data_type() else { panic!("{map}") };
    assert!(!entries.is_nullable());
    let DataType::Struct(entry) = entries.data_type() else { panic!("{entries}") };
    assert_eq!(
        (entry[0].name().as_str(), entry[0].data_type(), entry[0].is_nullable()),
        ("key", &DataType::Utf8, false)
    );
    assert_eq!((entry[1].name().as_str(), entry[1].is_nullable()), ("value", false));
    let DataType::List(element) = entry[1].data_type() else { panic!("{entry:?}") };
    assert_eq!((element.data_type(), element.is_nullable()), (&DataType::Binary, true));
    let DataType::List(element) = list.data_type() else { panic!("{list}") };
    assert!(!element.is_nullable());
    let DataType::Struct(fields) = element.data_type() else { panic!("{element}") };
    assert_eq!((fields[0].is_nullable(), fields[1].is_nullable()), (false, true));
    assert_eq!(fields[1].data_type(), &DataType::Null);
}

#[test]
fn no_level_carries_metadata() {
    fn check(data_type: &DataType) {
        let fields: Vec<_> = match data_type {
            DataType::Struct(fields) => fields.iter().collect(),
            DataType::List(field) | DataType::Map(field, _) => vec![field],
            _ => Vec::new(),
        };
        for field in fields {
            assert!(field.metadata().is_empty(), "{field}");
            check(field.data_type());
        }
    }
    let schema: ArrowSchema = SparkSchema::default().schema(&nested()).unwrap();
    check(&DataType::Struct(schema.fields().clone()));
}

#[test]
fn what_pyspark_has_no_type_for_is_refused_by_its_full_name() {
    for (element, advice) in [("timestamp_ns", "truncated"), ("interval", "not known")] {
        let schema = schema_from_json(&json!({"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "s", "required": false, "type": {"type": "struct", "fields": [
                {"id": 2, "name": "l", "required": false, "type": {
                    "type": "list", "element-id": 3, "element-required": false, "element": element
                }}
            ]}}
        ]}))
        .unwrap();
        let error = SparkSchema::default().schema(&schema).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert_eq!(error.context(), [("column", "s.l.element".to_owned())]);
        assert!(error.message().contains(advice), "{error}");
    }
}
