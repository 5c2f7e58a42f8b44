use serde_json::{Value as Json, json};

use crate::error::ErrorKind;
use crate::schema::json::{MAX_DEPTH, schema_from_json, schema_to_json, type_from_json};
use crate::schema::{Schema, Type};
use crate::value::Value;

fn parse(json: &Json) -> Schema {
    schema_from_json(json).unwrap()
}

fn one_field(field: &Json) -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [field]})
}

#[test]
fn real_schemas_are_written_as_they_were_read() {
    let written: Vec<Json> = serde_json::from_str(include_str!("schemas.json")).unwrap();
    assert!(written.len() >= 4);
    for json in written {
        assert_eq!(schema_to_json(&parse(&json)).unwrap(), json);
    }
}

#[test]
fn keys_that_are_not_known_are_kept() {
    let json = json!({
        "type": "struct", "schema-id": 3, "future": {"a": [1]}, "identifier-field-ids": [1],
        "fields": [
            {"id": 1, "name": "id", "required": true, "type": "long", "collation": "x"},
            {"id": 2, "name": "new", "required": false, "type": "interval(day)", "initial-default": {"days": 1}},
        ],
    });
    let schema = parse(&json);
    assert_eq!(schema.identifier_field_ids(), [1]);
    assert_eq!(schema.field(2).unwrap().field_type, Type::Unrecognized("interval(day)".into()));
    assert_eq!(schema_to_json(&schema).unwrap(), json);
}

#[test]
fn defaults_are_values_of_their_type() {
    let field = json!({
        "id": 1, "name": "price", "required": true, "type": "decimal(9,2)", "initial-default": "1.50",
        "write-default": "2.00",
    });
    let schema = parse(&one_field(&field));
    let [initial, write] = [150, 200].map(|unscaled| Some(Value::Decimal { unscaled, scale: 2 }));
    assert_eq!(schema.field(1).unwrap().initial_default, initial);
    assert_eq!(schema.field(1).unwrap().write_default, write);
    assert_eq!(schema_to_json(&schema).unwrap(), one_field(&field));
}

#[test]
fn a_version_1_schema_without_an_id_has_id_0() {
    let json = json!({"type": "struct", "fields": []});
    assert_eq!(parse(&json).schema_id(), 0);
}

#[test]
fn malformed_schemas_are_invalid_data() {
    let id = json!({"id": 1, "name": "a", "required": true, "type": "int"});
    let with = |key: &str, value: Json| {
        let mut field = id.clone();
        field[key] = value;
        one_field(&field)
    };
    for json in [
        json!([]),
        json!({"type": "struct"}),
        json!({"type": "struct", "fields": {}}),
        json!({"type": "struct", "schema-id": "0", "fields": []}),
        json!({"type": "struct", "schema-id": 0, "identifier-field-ids": ["1"], "fields": []}),
        json!({"type": "struct", "schema-id": 0, "fields": [id, id]}),
        one_field(&json!({"name": "a", "required": true, "type": "int"})),
        with("id", json!(2_147_483_648_i64)),
        with("name", json!(null)),
        with("required", json!("yes")),
        with("type", json!(null)),
        with("type", json!({"type": "set"})),
        with("type", json!({"type": "list", "element": "int", "element-required": true})),
        with("type", json!({"type": "list", "element-id": 1, "element": "int", "element-required": true})),
        with("type", json!("decimal(99,2)")),
        with("doc", json!(1)),
        with("initial-default", json!("x")),
    ] {
        assert_eq!(schema_from_json(&json).unwrap_err().kind(), ErrorKind::InvalidData, "{json}");
    }
    let geometry = json!({"id": 1, "name": "g", "required": false, "type": "geometry", "initial-default": "POINT (1 1)"});
    assert_eq!(schema_from_json(&one_field(&geometry)).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn some_types_default_to_null_only() {
    for name in ["unknown", "variant", "geometry(srid:3857)", "geography(srid:4326, karney)"] {
        for key in ["initial-default", "write-default"] {
            let mut field = json!({"id": 1, "name": "a", "required": false, "type": name});
            field[key] = json!(null);
            assert!(schema_from_json(&one_field(&field)).is_ok(), "{name}");
            field[key] = json!("POINT (30 10)");
            let error = schema_from_json(&one_field(&field)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{name} {key}");
        }
    }
}

#[test]
fn a_struct_that_defaults_to_its_fields_is_written_empty() {
    let x = json!({"id": 2, "name": "x", "required": false, "type": "int", "initial-default": 0});
    let point = json!({
        "id": 1, "name": "point", "required": false, "type": {"type": "struct", "fields": [x]},
        "initial-default": {}, "write-default": {},
    });
    let schema = parse(&one_field(&point));
    let field = schema.field(1).unwrap();
    assert_eq!(field.initial_default, Some(Value::Struct(Vec::new())));
    assert_eq!(schema.field(2).unwrap().initial_default, Some(Value::Int(0)));
    assert_eq!(schema_to_json(&schema).unwrap(), one_field(&point));
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        (1..depth).fold(
            json!("int"),
            |inner, _| json!({"type": "list", "element-id": 1, "element-required": true, "element": inner}),
        )
    };
    assert!(type_from_json(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(type_from_json(&nested(MAX_DEPTH + 1)).unwrap_err().kind(), ErrorKind::InvalidData);
}
