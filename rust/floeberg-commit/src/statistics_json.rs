//! How is a change of statistics files written as JSON, and read?
//!
//! ```text
//! {"set": file}   {"remove": snapshot id}   {"set-partition": file}   {"remove-partition": snapshot id}
//! ```
//!
//! Spec: Table Statistics; Partition Statistics.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{PartitionStatisticsFile, StatisticsFile};
use serde_json::{Value as Json, json};

use super::StatisticsChange;

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
