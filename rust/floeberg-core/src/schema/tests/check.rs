use serde_json::{Value as Json, json};

use crate::error::ErrorKind;
use crate::schema::Schema;
use crate::schema::json::schema_from_json;
use crate::schema::reserved::LAST_TABLE_FIELD_ID;
use crate::schema::{Field, FreshIds, PrimitiveType};

fn schema(fields: &Json, identifiers: &[i32]) -> Schema {
    let fields = json!({"type": "struct", "fields": fields});
    schema_from_json(&fields).unwrap().with_identifier_field_ids(identifiers.to_vec())
}

fn column(id: i32, name: &str, field_type: &Json) -> Json {
    json!({"id": id, "name": name, "required": false, "type": field_type})
}

fn fault(schema: &Schema, format_version: u8) -> String {
    let error = schema.check_to_write(format_version).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.message().to_owned()
}

#[test]
fn types_of_v3_are_written_in_v3_alone() {
    for name in ["timestamp_ns", "timestamptz_ns", "unknown", "variant", "geometry", "geography"] {
        let schema = schema(
            &json!([column(
                1,
                "x",
                &json!({"type": "list", "element-id": 2, "element-required": false,
            "element": name})
            )]),
            &[],
        );
        for version in [1, 2] {
            assert!(fault(&schema, version).contains("\"x.element\""), "{name}");
        }
        schema.check_to_write(3).unwrap();
    }
}

#[test]
fn defaults_are_written_in_v3_alone() {
    for key in ["initial-default", "write-default"] {
        let mut field = column(1, "x", &json!("int"));
        field[key] = json!(7);
        let schema = schema(&json!([field]), &[]);
        assert!(fault(&schema, 2).contains("needs format version 3"));
        schema.check_to_write(3).unwrap();
    }
}

#[test]
fn everything_that_is_wrong_is_in_one_error() {
    let mut unknown = column(3, "nothing", &json!("unknown"));
    unknown["required"] = json!(true);
    let schema = schema(
        &json!([
            column(1, "new", &json!("interval")),
            column(2, "", &json!("int")),
            unknown,
            column(
                4,
                "s",
                &json!({"type": "struct", "fields": [column(5, "a", &json!("int")), column(6, "a", &json!("int"))]})
            ),
            column(LAST_TABLE_FIELD_ID + 1, "far", &json!("int")),
            column(7, "s.a", &json!("int")),
        ]),
        &[],
    );
    let message = fault(&schema, 3);
    for said in [
        "\"interval\"",
        "has no name",
        "is required, but of type unknown",
        "(ids 5 and 6)",
        "ids go from 1",
        "(ids 6 and 7)",
    ] {
        assert!(message.contains(said), "{said}: {message}");
    }
}

#[test]
fn identifier_fields_are_required_primitives_that_are_no_floats() {
    let fields = json!([
        {"id": 1, "name": "id", "required": true, "type": "long"},
        {"id": 2, "name": "maybe", "required": false, "type": "long"},
        {"id": 3, "name": "f", "required": true, "type": "double"},
        {"id": 4, "name": "l", "required": true, "type":
            {"type": "list", "element-id": 5, "element-required": true, "element": "int"}},
        {"id": 6, "name": "s", "required": false, "type":
            {"type": "struct", "fields": [{"id": 7, "name": "a", "required": true, "type": "int"}]}},
        {"id": 8, "name": "t", "required": true, "type":
            {"type": "struct", "fields": [{"id": 9, "name": "a", "required": true, "type": "int"}]}},
    ]);
    schema(&fields, &[1, 9]).check_to_write(2).unwrap();
    for (id, said) in [
        (2, "make it required"),
        (3, "floating-point"),
        (4, "not primitive"),
        (5, "in a list or a map"),
        (7, "a struct above it may be null"),
        (77, "no field has"),
    ] {
        let message = fault(&schema(&fields, &[id]), 2);
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn the_faults_of_an_old_schema_are_not_held_against_its_next_one() {
    let old = schema(&json!([column(1, "new", &json!("interval"))]), &[]);
    let next = schema(&json!([column(1, "new", &json!("interval")), column(2, "n", &json!("int"))]), &[]);
    next.check_as_successor(Some(&old), 2).unwrap();
    let worse =
        schema(&json!([column(1, "new", &json!("interval")), column(2, "n", &json!("variant"))]), &[]);
    let error = worse.check_as_successor(Some(&old), 2).unwrap_err();
    assert!(error.message().contains("\"n\"") && !error.message().contains("interval"), "{error}");
}

#[test]
fn ids_end_before_those_that_are_reserved() {
    let field = Field::optional(9, "x", PrimitiveType::Int);
    let mut ids = FreshIds::after(LAST_TABLE_FIELD_ID - 1);
    assert_eq!(ids.field(&field).unwrap().id, LAST_TABLE_FIELD_ID);
    assert_eq!(ids.of(9), Some(LAST_TABLE_FIELD_ID));
    assert_eq!(ids.field(&field).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn types_nest_no_deeper_than_they_are_read() {
    for (wrap, most) in [("struct", 40), ("list", 40), ("map", 20)] {
        let nested = |depth: i32| {
            let inner = (0..depth).fold(json!("int"), |inner, number| {
                let (id, other) = (10 + 2 * number, 11 + 2 * number);
                match wrap {
                    "struct" => json!({"type": "struct", "fields": [column(id, "a", &inner)]}),
                    "list" => {
                        json!({"type": "list", "element-id": id, "element-required": false, "element": inner})
                    }
                    _ => json!({"type": "map", "key-id": id, "key": "int", "value-id": other,
                        "value-required": false, "value": inner}),
                }
            });
            schema(&json!([column(1, "x", &inner)]), &[])
        };
        nested(most).check_to_write(2).unwrap();
        assert!(
            fault(&nested(most + 1), 2).contains("column \"x\" is nested more than 40 levels deep"),
            "{wrap}"
        );
        // A table that has such a column may still change.
        nested(most + 1).check_as_successor(Some(&nested(most + 1)), 2).unwrap();
    }
}
