//! What can a commit change in a table?
//!
//! Spec: REST catalog specification, `TableUpdate`.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_iceberg::metadata::{PartitionSpec, Snapshot, SnapshotRef, SortOrder};
use serde_json::Value as Json;

/// Means the id that was added last in the same commit.
pub const LAST_ADDED: i32 = -1;

/// One change, in the vocabulary of the REST catalog specification.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// `assign-uuid`: gives the table its identity.
    AssignUuid(String),
    /// `upgrade-format-version`.
    UpgradeFormatVersion(u8),
    /// `add-schema`, with the highest field id that was ever assigned, if the schema does not have it.
    AddSchema(Arc<Schema>, Option<i32>),
    /// `set-current-schema`, by id or [`LAST_ADDED`].
    SetCurrentSchema(i32),
    /// `add-spec`.
    AddSpec(Arc<PartitionSpec>),
    /// `set-default-spec`, by id or [`LAST_ADDED`].
    SetDefaultSpec(i32),
    /// `add-sort-order`.
    AddSortOrder(Arc<SortOrder>),
    /// `set-default-sort-order`, by id or [`LAST_ADDED`].
    SetDefaultSortOrder(i32),
    /// `add-snapshot`.
    AddSnapshot(Arc<Snapshot>),
    /// `set-snapshot-ref`: makes a branch or a tag, or moves it.
    SetSnapshotRef(String, SnapshotRef),
    /// `remove-snapshots`.
    RemoveSnapshots(Vec<i64>),
    /// `remove-snapshot-ref`.
    RemoveSnapshotRef(String),
    /// `set-location`.
    SetLocation(String),
    /// `set-properties`.
    SetProperties(BTreeMap<String, String>),
    /// `remove-properties`.
    RemoveProperties(Vec<String>),
    /// `set-statistics`: a statistics file of a snapshot, as JSON, in place of the one it had.
    SetStatistics(i64, Json),
    /// `remove-statistics` of a snapshot.
    RemoveStatistics(i64),
    /// `set-partition-statistics`: a file of a snapshot, as JSON, in place of the one it had.
    SetPartitionStatistics(i64, Json),
    /// `remove-partition-statistics` of a snapshot.
    RemovePartitionStatistics(i64),
    /// `remove-partition-specs`.
    RemovePartitionSpecs(Vec<i32>),
    /// `remove-schemas`.
    RemoveSchemas(Vec<i32>),
    /// `add-encryption-key`: a key, as JSON.
    AddEncryptionKey(Json),
    /// `remove-encryption-key`, by its id.
    RemoveEncryptionKey(String),
}
