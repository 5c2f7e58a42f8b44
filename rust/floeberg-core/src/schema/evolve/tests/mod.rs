//! Tests of changes to schemas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod changes;
mod properties;
mod refusals;
mod union;

use serde_json::{Value as Json, json};

use super::{ColumnUse, Evolution, Evolved, SchemaChanges};
use crate::error::{ErrorKind, Result};
use crate::schema::Schema;
use crate::schema::json::schema_from_json;

/// Columns `id`, `ts`, `place` (a struct), `points` (a list of structs) and `props` (a map to structs).
fn base() -> Schema {
    let xy = |first: i32| {
        json!({"type": "struct", "fields": [
            {"id": first, "name": "x", "required": true, "type": "int"},
            {"id": first + 1, "name": "y", "required": false, "type": "float"}]})
    };
    schema_from_json(&json!({"type": "struct", "schema-id": 3, "identifier-field-ids": [1], "fields": [
        {"id": 1, "name": "id", "required": true, "type": "long"},
        {"id": 2, "name": "ts", "required": false, "type": "date"},
        {"id": 3, "name": "place", "required": false, "type": xy(6)},
        {"id": 4, "name": "points", "required": false, "type":
            {"type": "list", "element-id": 8, "element-required": true, "element": xy(9)}},
        {"id": 5, "name": "props", "required": false, "type":
            {"type": "map", "key-id": 11, "key": xy(13), "value-id": 12, "value-required": true, "value": xy(15)}},
    ]}))
    .unwrap()
}

fn evolved_in(format_version: u8, uses: Vec<ColumnUse>, document: &Json) -> Result<Evolved> {
    let schema = base();
    let evolution = Evolution { schema: &schema, schema_id: 4, last_column_id: 20, format_version, uses };
    evolution.apply(&SchemaChanges::from_json(document)?)
}

/// The columns after changes in v3, a line each.
fn evolve(changes: &Json) -> Result<Evolved> {
    evolved_in(3, Vec::new(), &json!({ "changes": changes }))
}

fn columns(evolved: &Evolved) -> Vec<String> {
    evolved.schema.fields().iter().map(ToString::to_string).collect()
}

/// The column of a name, after changes.
fn column(changes: &Json, name: &str) -> String {
    let schema = evolve(changes).unwrap().schema;
    schema.field(schema.find(name, true).unwrap()).unwrap().to_string()
}

fn refusal(changes: &Json) -> String {
    let error = evolve(changes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{changes}");
    error.to_string()
}
