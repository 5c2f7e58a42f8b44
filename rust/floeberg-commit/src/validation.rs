//! Between which states of the table are conflicts looked for?
//!
//! In: the table when the operation began, and the base of an attempt. Out: both, with the columns that the operation saw.

use floeberg_iceberg::metadata::TableMetadata;

use super::seen::Seen;

/// What an action needs to look for conflicts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validation<'a> {
    /// The table when the operation began; `None` asks for no isolation.
    pub starting: Option<&'a TableMetadata>,
    /// The base of the attempt, before all its operations.
    pub base: Option<&'a TableMetadata>,
    /// Does the commit add files? They were written for the table when the operation began.
    pub adds_files: bool,
    /// The snapshots that the new rows were made from, besides that of `starting`.
    pub validate_from_snapshot_ids: &'a [Option<i64>],
    /// The columns that the operation was made for; `None` is those of the base.
    pub seen: Option<&'a Seen>,
}
