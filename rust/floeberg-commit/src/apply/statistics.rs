//! Which statistics files has a table after a commit?
//!
//! Spec: Table Statistics; Partition Statistics.
//!
//! Invariant: a snapshot has one file of each kind at most.

use serde_json::Value as Json;

use super::builder::TableMetadataBuilder;

impl TableMetadataBuilder {
    pub(super) fn set_statistics(&mut self, snapshot_id: i64, file: Option<&Json>) {
        replace(&mut self.metadata.statistics, snapshot_id, file);
    }

    pub(super) fn set_partition_statistics(&mut self, snapshot_id: i64, file: Option<&Json>) {
        replace(&mut self.metadata.partition_statistics, snapshot_id, file);
    }
}

fn replace(files: &mut Vec<Json>, snapshot_id: i64, file: Option<&Json>) {
    files.retain(|known| known.get("snapshot-id").and_then(Json::as_i64) != Some(snapshot_id));
    files.extend(file.cloned());
}
