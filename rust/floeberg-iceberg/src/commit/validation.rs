//! What has an operation been made for, and what does it stand on?
//!
//! In: the table when the operation began, and the base of an attempt. Out: what conflicts are looked for between.

use super::seen::Seen;
use crate::metadata::TableMetadata;

/// What an action knows beside what it stands on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validation<'a> {
    /// The table when the operation began; `None` asks for no isolation.
    pub starting: Option<&'a TableMetadata>,
    /// The table that the attempt stands on, before all its operations.
    pub base: Option<&'a TableMetadata>,
    /// Does the commit bring files, which were written for the table when the operation began?
    pub adds_files: bool,
    /// The snapshots that the new rows were made from, beside the one that `starting` is at.
    pub made_from: &'a [Option<i64>],
    /// The columns that the operation was made for; `None` is those that it finds.
    pub seen: Option<&'a Seen>,
}
