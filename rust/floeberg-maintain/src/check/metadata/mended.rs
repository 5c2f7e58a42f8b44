//! What can still be read of metadata that cannot be parsed?
//!
//! In: a document. Out: the model of it without the parts that cannot be parsed, so that the files below are checked all the same.
//!
//! Invariant: nothing is made up: parts are left out, and a snapshot that stays is as it was written.

use floeberg_iceberg::metadata::{TableMetadata, parse_table_metadata};
use serde_json::{Map, Value as Json};

/// Fields that no file is read by.
const INFORMATIONAL: [&str; 7] = [
    "refs",
    "snapshot-log",
    "metadata-log",
    "statistics",
    "partition-statistics",
    "properties",
    "encryption-keys",
];

/// The model of a document, or of what is left of it; `None` where columns or specs cannot be read.
pub(in crate::check) fn mended(document: &Json, location: &str) -> Option<TableMetadata> {
    let parse = |document: &Json| parse_table_metadata(document.to_string().as_bytes(), location).ok();
    let mut table = document.as_object()?.clone();
    for name in INFORMATIONAL {
        table.remove(name);
    }
    let snapshots = match table.remove("snapshots") {
        Some(Json::Array(snapshots)) => snapshots,
        _ => Vec::new(),
    };
    let current = table.remove("current-snapshot-id");
    parse(&Json::Object(table.clone()))?;
    let with = |snapshots: Vec<Json>, current: Option<&Json>| {
        let mut table: Map<String, Json> = table.clone();
        table.insert("snapshots".to_owned(), Json::Array(snapshots));
        if let Some(current) = current {
            table.insert("current-snapshot-id".to_owned(), current.clone());
        }
        Json::Object(table)
    };
    let mut kept: Vec<Json> = Vec::new();
    for snapshot in snapshots {
        let is_there = |other: &Json| other.get("snapshot-id") == snapshot.get("snapshot-id");
        if !kept.iter().any(is_there) && parse(&with(vec![snapshot.clone()], None)).is_some() {
            kept.push(snapshot);
        }
    }
    parse(&with(kept.clone(), current.as_ref())).or_else(|| parse(&with(kept, None)))
}
