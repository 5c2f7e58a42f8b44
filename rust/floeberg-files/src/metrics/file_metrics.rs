//! Which metrics does a file have?
//!
//! Spec: Data File Fields.

use std::collections::BTreeMap;

/// The metrics of a file; `None` for metrics that its format lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMetrics {
    /// How many rows it has.
    pub record_count: i64,
    /// Its bytes.
    pub file_size_in_bytes: i64,
    /// Bytes by column.
    pub column_sizes: Option<BTreeMap<i32, i64>>,
    /// Values by column, nulls among them.
    pub value_counts: Option<BTreeMap<i32, i64>>,
    /// Nulls by column.
    pub null_value_counts: Option<BTreeMap<i32, i64>>,
    /// NaNs by column.
    pub nan_value_counts: Option<BTreeMap<i32, i64>>,
    /// Lower bounds by column, as single-value bytes.
    pub lower_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    /// Upper bounds by column, as single-value bytes.
    pub upper_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    /// The split offsets of the file.
    pub split_offsets: Option<Vec<i64>>,
}
