//! Tests of what new tables begin with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod partition;
mod table;

use serde_json::{Value as Json, json};

use super::{DeclaredTable, declare_table};

/// A schema whose ids are not those of a new table.
fn schema() -> Json {
    let column = |id: i32, name: &str, field_type: Json| json!({"id": id, "name": name, "required": false, "type": field_type});
    json!({"type": "struct", "schema-id": 4, "identifier-field-ids": [], "fields": [
        column(10, "id", json!("long")),
        column(11, "ts", json!("timestamptz")),
        column(12, "data", json!("string")),
        column(13, "place", json!({"type": "struct", "fields": [column(14, "country", json!("string"))]})),
        column(15, "tags", json!({"type": "list", "element-id": 16, "element-required": false, "element": "string"})),
    ]})
}

fn declare(partitions: &Json, order: &Json) -> floeberg_core::Result<DeclaredTable> {
    declared_in(2, partitions, order)
}

fn declared_in(format_version: u8, partitions: &Json, order: &Json) -> floeberg_core::Result<DeclaredTable> {
    declare_table(&schema(), partitions, order, format_version)
}
