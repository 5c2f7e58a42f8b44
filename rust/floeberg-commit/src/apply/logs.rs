//! What was current before?
//!
//! In: a table after its changes. Out: its snapshot log and its metadata log.
//! Spec: Table Metadata Fields (`snapshot-log`, `metadata-log`).
//!
//! Invariant: the snapshot log ends with the current snapshot, if there is one. It has no snapshot that was current only within one commit,
//! and no entry older than a removed snapshot.

use std::collections::HashSet;

use floeberg_core::Result;
use floeberg_iceberg::metadata::{MetadataLogEntry, TableMetadata};
use floeberg_properties::PREVIOUS_VERSIONS_MAX;
use serde_json::Map;

pub(super) fn log_snapshots(metadata: &mut TableMetadata, added: &HashSet<i64>, removes_snapshots: bool) {
    let current = metadata.current_snapshot_id;
    let is_passing = |id: i64| added.contains(&id) && current != Some(id);
    metadata.snapshot_log.retain(|entry| !is_passing(entry.snapshot_id));
    if removes_snapshots {
        let there: HashSet<i64> = metadata.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
        let gone = metadata.snapshot_log.iter().rposition(|entry| !there.contains(&entry.snapshot_id));
        metadata.snapshot_log.drain(..gone.map_or(0, |last| last + 1));
    }
}

/// Adds the previous metadata file, and drops the oldest entries beyond the limit.
///
/// Errors: `InvalidInput` for a property that is not a number.
pub(super) fn log_metadata(
    metadata: &mut TableMetadata,
    metadata_file: String,
    timestamp_ms: i64,
) -> Result<()> {
    let most = PREVIOUS_VERSIONS_MAX.of(&metadata.properties)?.max(1);
    metadata.metadata_log.push(MetadataLogEntry { timestamp_ms, metadata_file, unknown_keys: Map::new() });
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let too_many = metadata.metadata_log.len().saturating_sub(most);
    metadata.metadata_log.drain(..too_many);
    Ok(())
}
