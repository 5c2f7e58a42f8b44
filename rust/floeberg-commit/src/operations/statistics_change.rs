//! How does a user change the statistics files of a table?
//!
//! ```text
//! {"set": file}   {"remove": snapshot id}   {"set-partition": file}   {"remove-partition": snapshot id}
//! ```
//!
//! Spec: Table Statistics; Partition Statistics.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{PartitionStatisticsFile, StatisticsFile};
use serde_json::{Value as Json, json};

/// A change of the statistics files that a table names.
#[derive(Debug, Clone, PartialEq)]
pub enum StatisticsChange {
    /// Sets the file of a snapshot, in place of the one that it had. As JSON, in the shape of Table Statistics.
    Set(Json),
    /// Removes the file of a snapshot.
    Remove(i64),
    /// Sets the partition statistics file of a snapshot. As JSON, in the shape of Partition Statistics.
    SetPartition(Json),
    /// Removes the partition statistics file of a snapshot.
    RemovePartition(i64),
}

impl StatisticsChange {
    /// As JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Set(file) => json!({ "set": file }),
            Self::Remove(snapshot_id) => json!({ "remove": snapshot_id }),
            Self::SetPartition(file) => json!({ "set-partition": file }),
            Self::RemovePartition(snapshot_id) => json!({ "remove-partition": snapshot_id }),
        }
    }

    /// Reads what [`StatisticsChange::to_json`] gave. Errors: `InvalidInput`, naming what the file lacks.
    pub fn from_json(json: Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected a change of statistics files");
        let Json::Object(object) = json else { return Err(invalid()) };
        let (key, value) = object.into_iter().next().ok_or_else(invalid)?;
        let snapshot_id = || value.as_i64().ok_or_else(invalid);
        match key.as_str() {
            "set" => StatisticsFile::from_json(value.clone()).map(|_| Self::Set(value)),
            "remove" => snapshot_id().map(Self::Remove),
            "set-partition" => {
                PartitionStatisticsFile::from_json(value.clone()).map(|_| Self::SetPartition(value))
            }
            "remove-partition" => snapshot_id().map(Self::RemovePartition),
            _ => Err(invalid()),
        }
    }
}
