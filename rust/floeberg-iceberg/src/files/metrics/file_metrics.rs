//! Which metrics does a written file have?
//!
//! Spec: Data File Fields.

use std::collections::BTreeMap;

/// The metrics of a file; `None` where its format has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileMetrics {
    /// How many rows it has.
    pub(crate) record_count: i64,
    /// Its bytes.
    pub(crate) file_size_in_bytes: i64,
    /// Bytes by column.
    pub(crate) column_sizes: Option<BTreeMap<i32, i64>>,
    /// Values by column, nulls among them.
    pub(crate) value_counts: Option<BTreeMap<i32, i64>>,
    /// Nulls by column.
    pub(crate) null_value_counts: Option<BTreeMap<i32, i64>>,
    /// NaNs by column.
    pub(crate) nan_value_counts: Option<BTreeMap<i32, i64>>,
    /// Lower bounds by column, as single-value bytes.
    pub(crate) lower_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    /// Upper bounds by column, as single-value bytes.
    pub(crate) upper_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    /// The split offsets of the file.
    pub(crate) split_offsets: Option<Vec<i64>>,
}
