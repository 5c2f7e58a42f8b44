//! Which fields does a snapshot have in the metadata?
//!
//! In: an element of `snapshots`. Out: the model, and back.
//! Spec: Snapshots; Appendix C, Table Metadata and Snapshots.

use std::sync::Arc;

use floeberg_core::Result;
use serde_json::Value as Json;

use super::emit::ObjectWriter;
use crate::metadata::{Snapshot, SnapshotManifests, SnapshotText, Summary};
use crate::wire::json::{JsonPath, ObjectReader, int, list, long, string, string_map};

/// A snapshot of any format version: tables that were upgraded keep snapshots in the old form.
///
/// If both `manifest-list` and `manifests` are there, the list counts, and `manifests` is kept as an unknown key.
pub fn parse_snapshot(json: Json, path: &JsonPath<'_>) -> Result<Arc<Snapshot>> {
    let mut object = ObjectReader::new(json, path)?;
    let manifests = match object.optional("manifest-list", string)? {
        Some(location) => SnapshotManifests::List(location),
        None if object.has("manifests") => {
            SnapshotManifests::Inline(object.required("manifests", list(string))?)
        }
        None => return Err(path.invalid("expected `manifest-list`, or `manifests` as v1 may have")),
    };
    let mut summary = object.optional("summary", string_map)?.unwrap_or_default();
    Ok(Arc::new(Snapshot {
        snapshot_id: object.required("snapshot-id", long)?,
        parent_snapshot_id: object.optional("parent-snapshot-id", long)?,
        sequence_number: object.optional("sequence-number", long)?.unwrap_or(0),
        timestamp_ms: object.required("timestamp-ms", long)?,
        manifests,
        operation: summary.remove("operation"),
        summary: Summary::from(summary),
        schema_id: object.optional("schema-id", int)?,
        first_row_id: object.optional("first-row-id", long)?,
        added_rows: object.optional("added-rows", long)?,
        key_id: object.optional("key-id", string)?,
        unknown_keys: object.unknown_keys(),
        text: SnapshotText::default(),
    }))
}

/// A snapshot for metadata of a format version: from v2 on all have a sequence number, which is 0 for older snapshots.
pub fn emit_snapshot(snapshot: &Snapshot, format_version: u8) -> Json {
    let mut object = ObjectWriter::default();
    if format_version > 1 || snapshot.sequence_number != 0 {
        object.put("sequence-number", snapshot.sequence_number);
    }
    object.put("snapshot-id", snapshot.snapshot_id);
    object.put_some("parent-snapshot-id", snapshot.parent_snapshot_id);
    object.put("timestamp-ms", snapshot.timestamp_ms);
    let operation = snapshot.operation.iter().map(|operation| ("operation", operation));
    let rest = snapshot.summary.iter().map(|(key, value)| (key.as_str(), value));
    let summary: Json = operation.chain(rest).map(|(key, value)| (key, value.as_str())).collect();
    if summary.as_object().is_some_and(|summary| !summary.is_empty()) {
        object.put("summary", summary);
    }
    match &snapshot.manifests {
        SnapshotManifests::List(location) => object.put("manifest-list", location.as_str()),
        SnapshotManifests::Inline(locations) => object.put("manifests", locations.clone()),
    }
    object.put_some("schema-id", snapshot.schema_id);
    object.put_some("first-row-id", snapshot.first_row_id);
    object.put_some("added-rows", snapshot.added_rows);
    object.put_some("key-id", snapshot.key_id.clone());
    object.finish(&snapshot.unknown_keys)
}
