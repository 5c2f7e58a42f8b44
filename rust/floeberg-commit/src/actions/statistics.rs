//! How does a table get and lose statistics files?
//!
//! Spec: Table Statistics; Partition Statistics.
//!
//! Invariant: a file is of a snapshot that the table has. Files themselves are neither written nor removed.

use floeberg_core::Result;
use floeberg_iceberg::metadata::{PartitionStatisticsFile, StatisticsFile, TableMetadata};
use serde_json::Value as Json;

use crate::produce::Produced;
use crate::{StatisticsChange, Update};

/// Sets or removes the file of a snapshot.
///
/// Errors: `NotFound` for a snapshot that the table does not have; `InvalidInput` for a file that lacks a field.
pub(super) fn set_statistics(metadata: &TableMetadata, change: &StatisticsChange) -> Result<Produced> {
    let names = |files: &[Json], snapshot_id: i64| {
        files.iter().any(|file| file.get("snapshot-id").and_then(Json::as_i64) == Some(snapshot_id))
    };
    let update = match change {
        StatisticsChange::Set(file) => {
            let snapshot_id = StatisticsFile::from_json(file.clone())?.snapshot_id;
            metadata.snapshot(snapshot_id)?;
            Some(Update::SetStatistics(snapshot_id, file.clone()))
                .filter(|_| !metadata.statistics.contains(file))
        }
        StatisticsChange::Remove(snapshot_id) => {
            Some(Update::RemoveStatistics(*snapshot_id)).filter(|_| names(&metadata.statistics, *snapshot_id))
        }
        StatisticsChange::SetPartition(file) => {
            let snapshot_id = PartitionStatisticsFile::from_json(file.clone())?.snapshot_id;
            metadata.snapshot(snapshot_id)?;
            Some(Update::SetPartitionStatistics(snapshot_id, file.clone()))
                .filter(|_| !metadata.partition_statistics.contains(file))
        }
        StatisticsChange::RemovePartition(snapshot_id) => {
            Some(Update::RemovePartitionStatistics(*snapshot_id))
                .filter(|_| names(&metadata.partition_statistics, *snapshot_id))
        }
    };
    Ok(Produced::of(update.into_iter().collect()))
}
