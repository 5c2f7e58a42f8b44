use serde_json::json;

use crate::schema::Schema;
use crate::schema::json::schema_from_json;

fn schema() -> Schema {
    schema_from_json(&json!({"type": "struct", "schema-id": 4, "identifier-field-ids": [1], "fields": [
        {"id": 1, "name": "id", "required": true, "type": "long"},
        {"id": 2, "name": "s", "required": false, "type": {"type": "struct", "fields": [
            {"id": 3, "name": "a", "required": false, "type": "int"},
            {"id": 4, "name": "b", "required": false, "type": "int"}]}},
        {"id": 5, "name": "m", "required": false, "type": {
            "type": "map", "key-id": 6, "key": "string", "value-id": 7, "value-required": false,
            "value": {"type": "struct", "fields": [
                {"id": 8, "name": "x", "required": false, "type": "int"},
                {"id": 9, "name": "y", "required": false, "type": "int"}]}}},
    ]}))
    .unwrap()
}

fn selected(ids: &[i32]) -> String {
    schema().select(ids).unwrap().fields().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_order_of_the_schema_is_kept() {
    assert_eq!(
        schema().select(&[5, 1]).unwrap().fields(),
        [schema().fields()[0].clone(), schema().fields()[2].clone()]
    );
    assert_eq!(schema().select(&[5, 1]).unwrap().identifier_field_ids(), [1]);
    assert!(schema().select(&[5]).unwrap().identifier_field_ids().is_empty());
    assert_eq!(selected(&[]), "");
}

#[test]
fn parents_come_without_their_other_children() {
    assert_eq!(selected(&[4]), "2: s: optional struct<4: b: optional int>");
    assert_eq!(selected(&[9]), "5: m: optional map<string, struct<9: y: optional int>>");
}

#[test]
fn a_selected_field_brings_all_its_children() {
    let whole = "2: s: optional struct<3: a: optional int, 4: b: optional int>";
    assert_eq!(selected(&[2]), whole);
    assert_eq!(selected(&[2, 3]), whole);
    assert_eq!(selected(&[6]), schema().fields()[2].to_string());
}

#[test]
fn an_absent_id_is_an_error() {
    assert!(schema().select(&[99]).is_err());
}
