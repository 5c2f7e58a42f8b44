//! Which statistics files does a table name?
//!
//! Spec: Table Statistics; Partition Statistics.
//!
//! Invariant: statistics are informational. The metadata keeps them as written, and a fault in them is an error only when they are
//! read.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

/// A Puffin file with statistics of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsFile {
    /// The snapshot it is associated with.
    pub snapshot_id: i64,
    /// Where it is, as written.
    pub statistics_path: String,
    /// Bytes: a hint.
    pub file_size_in_bytes: i64,
    /// Bytes of its footer: a hint.
    pub file_footer_size_in_bytes: i64,
    /// The key it is encrypted with, base64.
    pub key_metadata: Option<String>,
    /// What it holds.
    pub blob_metadata: Vec<StatisticsBlob>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// A blob of a statistics file, as the metadata describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsBlob {
    /// `apache-datasketches-theta-v1`, or another.
    pub blob_type: String,
    /// The snapshot it was computed from.
    pub snapshot_id: i64,
    /// That snapshot's sequence number.
    pub sequence_number: i64,
    /// The columns it was computed for, by field id.
    pub fields: Vec<i32>,
    /// Some of the properties that the blob has in the file, such as `ndv`.
    pub properties: BTreeMap<String, String>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// A file with counts of each partition of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionStatisticsFile {
    /// The snapshot it is associated with.
    pub snapshot_id: i64,
    /// Where it is, as written.
    pub statistics_path: String,
    /// Bytes: a hint.
    pub file_size_in_bytes: i64,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}
