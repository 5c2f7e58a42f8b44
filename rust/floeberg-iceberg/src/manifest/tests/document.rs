//! Metadata of a table of one column and no partitions.

use serde_json::{Value as Json, json};

/// A document of a version, with these keys beside those that every table has.
pub(crate) fn document(format_version: u8, last_sequence_number: i64, more: Json) -> Json {
    let mut document = json!({
        "format-version": format_version,
        "table-uuid": "u",
        "location": "memory://t",
        "last-sequence-number": last_sequence_number,
        "last-updated-ms": 1,
        "last-column-id": 1,
        "current-schema-id": 0,
        "schemas": [{ "type": "struct", "schema-id": 0, "fields": [
            { "id": 1, "name": "a", "required": false, "type": "long" }
        ] }],
        "default-spec-id": 0,
        "partition-specs": [{ "spec-id": 0, "fields": [] }],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{ "order-id": 0, "fields": [] }],
    });
    let (Some(document_keys), Json::Object(more)) = (document.as_object_mut(), more) else {
        panic!("a document and what is added are objects");
    };
    document_keys.extend(more);
    document
}
