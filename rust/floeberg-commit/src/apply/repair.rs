//! Which parts of the metadata are mended, and how?
//!
//! In: metadata, and what is wrong with it. Out: metadata with the same meaning.
//! Spec: Table Metadata Fields (`snapshot-log`, `metadata-log`); Table Statistics.
//!
//! Invariant: nothing is made up: entries that name what does not exist go, and times are those of the files. No snapshot, schema, spec
//! or sort order changes.

use std::collections::HashSet;

use floeberg_iceberg::metadata::{SnapshotLogEntry, TableMetadata};
use serde_json::{Map, Value as Json};

use crate::MetadataRepair;

/// Mends parts of the metadata.
pub fn repair_metadata(metadata: &mut TableMetadata, repair: &MetadataRepair) {
    if repair.mends_snapshot_log {
        mend_snapshot_log(metadata);
    }
    let log = &mut metadata.metadata_log;
    log.retain(|entry| !repair.absent_metadata_files.contains(&entry.metadata_file));
    for entry in log {
        if let Some(time) = repair.metadata_times.get(&entry.metadata_file) {
            entry.timestamp_ms = *time;
        }
    }
    if repair.mends_statistics {
        let known: HashSet<i64> = metadata.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
        for files in [&mut metadata.statistics, &mut metadata.partition_statistics] {
            let mut kept: Vec<Json> = Vec::with_capacity(files.len());
            for file in std::mem::take(files) {
                let snapshot = file.get("snapshot-id").and_then(Json::as_i64);
                if snapshot.is_none_or(|id| known.contains(&id)) && !kept.contains(&file) {
                    kept.push(file);
                }
            }
            *files = kept;
        }
    }
}

fn mend_snapshot_log(metadata: &mut TableMetadata) {
    let known: HashSet<i64> = metadata.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
    metadata.snapshot_log.retain(|entry| known.contains(&entry.snapshot_id));
    let last = metadata.snapshot_log.last();
    if let Some(current) = metadata.current_snapshot().cloned()
        && last.map(|entry| entry.snapshot_id) != Some(current.snapshot_id)
    {
        let least = last.map_or(i64::MIN, |entry| entry.timestamp_ms);
        metadata.snapshot_log.push(SnapshotLogEntry {
            timestamp_ms: current.timestamp_ms.max(least),
            snapshot_id: current.snapshot_id,
            unknown_keys: Map::new(),
        });
    }
}
