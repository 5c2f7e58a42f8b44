//! How is a table partitioned?
//!
//! Spec: Partitioning; Partition Evolution; Appendix C, Partition Specs.

use floeberg_core::transform::Transform;
use serde_json::{Map, Value as Json};

/// The highest partition field id of a table that has not assigned any.
pub(super) const NO_PARTITION_ID: i32 = 999;

/// A partition spec.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionSpec {
    /// The id.
    pub spec_id: i32,
    /// The fields, in order.
    pub fields: Vec<PartitionField>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// A field of a partition spec.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionField {
    /// The partition field's id, 1000 and up.
    pub field_id: i32,
    /// Its source columns: one, or more for a multi-argument transform.
    pub source_ids: Vec<i32>,
    /// The name of the partition value.
    pub name: String,
    /// Its transform.
    pub transform: Transform,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

impl PartitionSpec {
    /// Is it unpartitioned, since all its fields are void? Spec: Scan Planning.
    pub fn is_unpartitioned(&self) -> bool {
        self.fields.iter().all(|field| field.transform == Transform::Void)
    }
}
