//! What was the metadata of a table when a snapshot was committed?
//!
//! In: a table, and one of its snapshots. Out: the first metadata file with that snapshot, if the metadata log still names it.
//! Spec: Table Metadata (`metadata-log`, `last-updated-ms`).
//!
//! Invariant: a file that may be a later one is not taken: the one before it must not have the snapshot, or the times are equal.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::ManifestReader;
use floeberg_iceberg::metadata::{Snapshot, TableMetadata, open_metadata};

use crate::reachable::if_there;

/// The metadata with which a snapshot was committed; `None` where the log is too short, or the file is gone.
///
/// Errors: those of reading metadata, and of another table at that place.
pub(super) fn metadata_then(
    table: &Table,
    snapshot: &Snapshot,
    reader: &ManifestReader,
) -> Result<Option<Arc<TableMetadata>>> {
    let now = table.metadata();
    let has = |metadata: &TableMetadata| {
        metadata.snapshots.iter().any(|each| each.snapshot_id == snapshot.snapshot_id)
    };
    let log = &now.metadata_log;
    let mut is_first = log.iter().any(|entry| entry.timestamp_ms < snapshot.timestamp_ms);
    for entry in log.iter().filter(|entry| entry.timestamp_ms >= snapshot.timestamp_ms) {
        let location = reader.relocation.apply(&entry.metadata_file);
        let Some(metadata) = if_there(open_metadata(reader.store.as_ref(), &location))? else {
            is_first = false;
            continue;
        };
        let metadata = metadata.1;
        metadata.check_same_table(now)?;
        if has(&metadata) {
            let is_its_own = is_first || metadata.last_updated_ms == snapshot.timestamp_ms;
            return Ok(is_its_own.then(|| Arc::new(metadata)));
        }
        is_first = true;
    }
    let is_its_own = is_first || now.last_updated_ms == snapshot.timestamp_ms;
    Ok((is_its_own && has(now)).then(|| Arc::clone(now)))
}
