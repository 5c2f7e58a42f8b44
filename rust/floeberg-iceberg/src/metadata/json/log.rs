//! Which snapshots and metadata files were current before?
//!
//! In: entries of `snapshot-log` and `metadata-log`. Out: the model, and back.
//! Spec: Table Metadata Fields; Appendix C, Table Metadata and Snapshots.

use floeberg_core::Result;
use serde_json::Value as Json;

use super::emit::ObjectWriter;
use crate::metadata::{MetadataLogEntry, SnapshotLogEntry};
use crate::wire::json::{JsonPath, ObjectReader, long, string};

pub(super) fn parse_snapshot_entry(json: Json, path: &JsonPath<'_>) -> Result<SnapshotLogEntry> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(SnapshotLogEntry {
        timestamp_ms: object.required("timestamp-ms", long)?,
        snapshot_id: object.required("snapshot-id", long)?,
        unknown_keys: object.unknown_keys(),
    })
}

pub(super) fn emit_snapshot_entry(entry: &SnapshotLogEntry) -> Json {
    let mut object = ObjectWriter::default();
    object.put("timestamp-ms", entry.timestamp_ms);
    object.put("snapshot-id", entry.snapshot_id);
    object.finish(&entry.unknown_keys)
}

pub(super) fn parse_metadata_entry(json: Json, path: &JsonPath<'_>) -> Result<MetadataLogEntry> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(MetadataLogEntry {
        timestamp_ms: object.required("timestamp-ms", long)?,
        metadata_file: object.required("metadata-file", string)?,
        unknown_keys: object.unknown_keys(),
    })
}

pub(super) fn emit_metadata_entry(entry: &MetadataLogEntry) -> Json {
    let mut object = ObjectWriter::default();
    object.put("timestamp-ms", entry.timestamp_ms);
    object.put("metadata-file", entry.metadata_file.as_str());
    object.finish(&entry.unknown_keys)
}
