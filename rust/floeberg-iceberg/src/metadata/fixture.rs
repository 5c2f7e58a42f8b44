//! Metadata for tests: small valid documents that each test changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::{Error, Result};
use serde_json::{Value as Json, json};

use super::{TableMetadata, parse_table_metadata};

/// A v2 table: two schemas, one spec, three snapshots in a line, a branch and a tag.
pub(super) fn v2() -> Json {
    json!({
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "file:///warehouse/t",
        "last-sequence-number": 3,
        "last-updated-ms": 3000,
        "last-column-id": 4,
        "current-schema-id": 1,
        "schemas": [
            { "type": "struct", "schema-id": 0, "fields": [
                { "id": 1, "name": "id", "required": true, "type": "int" },
                { "id": 2, "name": "day", "required": false, "type": "date" },
                { "id": 3, "name": "gone", "required": false, "type": "string" }
            ] },
            { "type": "struct", "schema-id": 1, "fields": [
                { "id": 1, "name": "key", "required": true, "type": "long" },
                { "id": 2, "name": "day", "required": false, "type": "date" },
                { "id": 4, "name": "at", "required": false, "type": "timestamp" }
            ] }
        ],
        "default-spec-id": 0,
        "partition-specs": [{ "spec-id": 0, "fields": [
            { "name": "id", "transform": "identity", "source-id": 1, "field-id": 1000 }
        ] }],
        "last-partition-id": 1000,
        "default-sort-order-id": 0,
        "sort-orders": [{ "order-id": 0, "fields": [] }],
        "properties": { "owner": "tests" },
        "current-snapshot-id": 30,
        "refs": {
            "main": { "snapshot-id": 30, "type": "branch" },
            "audit": { "snapshot-id": 20, "type": "branch", "min-snapshots-to-keep": 5, "max-snapshot-age-ms": 7 },
            "first": { "snapshot-id": 10, "type": "tag", "max-ref-age-ms": 9 }
        },
        "snapshots": [snapshot(10, None, 1), snapshot(20, Some(10), 2), snapshot(30, Some(20), 3)],
        "statistics": [],
        "partition-statistics": [],
        "snapshot-log": [
            { "timestamp-ms": 1000, "snapshot-id": 10 },
            { "timestamp-ms": 2000, "snapshot-id": 20 },
            { "timestamp-ms": 3000, "snapshot-id": 30 }
        ],
        "metadata-log": [{ "timestamp-ms": 2000, "metadata-file": "file:///warehouse/t/metadata/v2.metadata.json" }]
    })
}

/// The least that v1 demands.
pub(super) fn v1() -> Json {
    json!({
        "format-version": 1,
        "location": "/warehouse/t",
        "last-updated-ms": 1,
        "last-column-id": 2,
        "schema": { "type": "struct", "fields": [
            { "id": 1, "name": "id", "required": false, "type": "long" },
            { "id": 2, "name": "at", "required": false, "type": "timestamp" }
        ] },
        "partition-spec": []
    })
}

/// A snapshot made a second a sequence number after 1970, with the first schema up to number 2.
pub(super) fn snapshot(id: i64, parent: Option<i64>, sequence_number: i64) -> Json {
    let mut snapshot = json!({
        "sequence-number": sequence_number,
        "snapshot-id": id,
        "timestamp-ms": sequence_number * 1000,
        "summary": { "operation": "append", "added-records": "1" },
        "manifest-list": format!("file:///warehouse/t/metadata/snap-{id}.avro"),
        "schema-id": i32::from(sequence_number > 2)
    });
    if let Some(parent) = parent {
        snapshot["parent-snapshot-id"] = parent.into();
    }
    snapshot
}

/// A document with one key changed, by JSON pointer of its parent; null removes the key.
pub(super) fn with(mut document: Json, parent: &str, key: &str, value: Json) -> Json {
    let object = document.pointer_mut(parent).and_then(Json::as_object_mut).expect("the parent is an object");
    if value.is_null() {
        object.shift_remove(key).expect("the key is there");
    } else {
        object.insert(key.to_owned(), value);
    }
    document
}

pub(super) fn parse(document: &Json) -> Result<TableMetadata> {
    parse_table_metadata(document.to_string().as_bytes(), "file:///warehouse/t/metadata/v3.metadata.json")
}

pub(super) fn parsed(document: &Json) -> TableMetadata {
    parse(document).unwrap()
}

pub(super) fn refused(document: &Json) -> Error {
    match parse(document) {
        Ok(metadata) => panic!("was read: {metadata:?}"),
        Err(error) => error,
    }
}
