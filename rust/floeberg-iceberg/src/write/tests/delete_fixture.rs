//! Recipes of delete files, and the deletes that they are tested with.

use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_core::value::Value;
use floeberg_io::StoreOptions;
use serde_json::{Value as Json, json};

use crate::metadata::parse_table_metadata;
use crate::write::{DeleteRecipe, DeletedPositions};

/// A table at `memory://t` with spec 0 by `day`, spec 1 by a bucket of `id` and by `day`, and spec 2 by nothing if asked for.
pub(super) fn document(format_version: u8, properties: &[(&str, &str)], has_unpartitioned: bool) -> Json {
    let mut specs = vec![
        json!({ "spec-id": 0, "fields": [
            { "name": "day", "transform": "identity", "source-id": 2, "field-id": 1000 }
        ] }),
        json!({ "spec-id": 1, "fields": [
            { "name": "of", "transform": "bucket[4]", "source-id": 1, "field-id": 1001 },
            { "name": "day", "transform": "identity", "source-id": 2, "field-id": 1000 }
        ] }),
    ];
    if has_unpartitioned {
        specs.push(json!({ "spec-id": 2, "fields": [
            { "name": "old", "transform": "void", "source-id": 2, "field-id": 1002 }
        ] }));
    }
    let properties: BTreeMap<_, _> = properties.iter().copied().collect();
    json!({
        "format-version": format_version,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "memory://t",
        "last-sequence-number": 0,
        "last-updated-ms": 1,
        "last-column-id": 9,
        "current-schema-id": 0,
        "schemas": [{ "type": "struct", "schema-id": 0, "fields": [
            { "id": 1, "name": "id", "required": false, "type": "long" },
            { "id": 2, "name": "day", "required": false, "type": "string" },
            { "id": 3, "name": "ratio", "required": false, "type": "double" },
            { "id": 4, "name": "tags", "required": false,
              "type": { "type": "list", "element-id": 5, "element-required": false, "element": "string" } },
            { "id": 6, "name": "at", "required": false, "type": { "type": "struct", "fields": [
                { "id": 7, "name": "x", "required": true, "type": "int" },
                { "id": 8, "name": "y", "required": false, "type": "int" }
            ] } },
            { "id": 9, "name": "need", "required": true, "type": "int" }
        ] }],
        "default-spec-id": 0,
        "partition-specs": specs,
        "last-partition-id": 1002,
        "default-sort-order-id": 0,
        "sort-orders": [{ "order-id": 0, "fields": [] }],
        "properties": properties,
        "next-row-id": 0
    })
}

/// A recipe of a table's delete files, whose write is `w`.
pub(super) fn delete_recipe(format_version: u8, properties: &[(&str, &str)]) -> DeleteRecipe {
    try_recipe(&document(format_version, properties, true)).unwrap()
}

pub(super) fn try_recipe(document: &Json) -> Result<DeleteRecipe> {
    let metadata =
        parse_table_metadata(document.to_string().as_bytes(), "memory://t/metadata/v1.metadata.json")
            .unwrap();
    DeleteRecipe::new(&metadata, &StoreOptions::new(), &BTreeMap::new(), "w")
}

/// Deleted rows of a data file of spec 0.
pub(super) fn deleted(
    file_path: &str,
    day: &str,
    positions: impl IntoIterator<Item = u64>,
) -> DeletedPositions {
    DeletedPositions {
        file_path: file_path.to_owned(),
        spec_id: 0,
        partition: vec![Some(Value::String(day.to_owned()))],
        positions: positions.into_iter().collect(),
    }
}
