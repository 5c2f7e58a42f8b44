//! What is the metadata of a table? One shape for v1, v2 and v3.
//!
//! Spec: Table Metadata Fields.
//!
//! Invariant: every reference to an id (current schema, default spec, refs, log) was checked when the model was built, or is
//! looked up by a method that reports what is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use serde_json::{Map, Value as Json};

use super::{PartitionSpec, Snapshot, SnapshotRef, SortOrder};

/// The main branch: exists whenever there is a current snapshot.
pub const MAIN_BRANCH: &str = "main";

/// The metadata of a table at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct TableMetadata {
    /// 1, 2 or 3.
    pub format_version: u8,
    /// The table's identity; v1 may lack it.
    pub table_uuid: Option<String>,
    /// The base location, as written.
    pub location: String,
    /// The highest assigned sequence number; 0 in v1.
    pub last_sequence_number: i64,
    /// Milliseconds from 1970-01-01 UTC.
    pub last_updated_ms: i64,
    /// The highest assigned field id.
    pub last_column_id: i32,
    /// All schemas.
    pub schemas: Vec<Arc<Schema>>,
    /// The current schema's id.
    pub current_schema_id: i32,
    /// All partition specs.
    pub partition_specs: Vec<Arc<PartitionSpec>>,
    /// The default spec's id.
    pub default_spec_id: i32,
    /// The highest assigned partition field id.
    pub last_partition_id: i32,
    /// Table properties.
    pub properties: BTreeMap<String, String>,
    /// The current snapshot; -1 reads as `None`.
    pub current_snapshot_id: Option<i64>,
    /// All snapshots that are not expired.
    pub snapshots: Vec<Arc<Snapshot>>,
    /// When which snapshot became current, oldest first.
    pub snapshot_log: Vec<SnapshotLogEntry>,
    /// Former metadata files, oldest first.
    pub metadata_log: Vec<MetadataLogEntry>,
    /// All sort orders.
    pub sort_orders: Vec<Arc<SortOrder>>,
    /// The default sort order's id.
    pub default_sort_order_id: i32,
    /// Branches and tags; `main` is there whenever there is a current snapshot.
    pub refs: BTreeMap<String, SnapshotRef>,
    /// Table statistics files, as written.
    pub statistics: Vec<Json>,
    /// Partition statistics files, as written.
    pub partition_statistics: Vec<Json>,
    /// The next row id to assign (v3).
    pub next_row_id: Option<i64>,
    /// Encryption keys, as written (v3).
    pub encryption_keys: Vec<Json>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
    /// The parts that the current and default ids name.
    pub(super) current: Current,
}

/// The current schema and the defaults, found once when the metadata was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Current {
    pub(super) schema: Arc<Schema>,
    pub(super) spec: Arc<PartitionSpec>,
    pub(super) sort_order: Arc<SortOrder>,
}

/// A snapshot became current.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotLogEntry {
    /// Milliseconds from 1970-01-01 UTC.
    pub timestamp_ms: i64,
    /// The snapshot.
    pub snapshot_id: i64,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// A former metadata file.
#[derive(Debug, Clone, PartialEq)]
pub struct MetadataLogEntry {
    /// Milliseconds from 1970-01-01 UTC.
    pub timestamp_ms: i64,
    /// Where it is.
    pub metadata_file: String,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}
