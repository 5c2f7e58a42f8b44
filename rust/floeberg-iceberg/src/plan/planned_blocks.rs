//! What is planned of one block range, before its files have their numbers in the plan?

use arrow_array::RecordBatch;
use arrow_buffer::BooleanBuffer;
use floeberg_core::expr::{BoundExpr, ColumnStats};

use crate::manifest::PruneCounts;

/// The planned files of one block range.
#[derive(Debug)]
pub(super) struct PlannedBlocks {
    /// Is it the first of its manifest?
    pub is_first: bool,
    /// The first row id of its manifest.
    pub first_row_id: Option<i64>,
    /// The files, with residuals numbered within the block range; `None` without files.
    pub files: Option<RecordBatch>,
    /// The residuals.
    pub residuals: Vec<BoundExpr>,
    /// The statistics of the requested column, file by file.
    pub statistics: Vec<ColumnStats>,
    /// Marks files whose first row id continues from the end of the previous block range; `None` without such files.
    pub counted_on: Option<BooleanBuffer>,
    /// How many row ids the entries inherited from the manifest.
    pub row_ids: i64,
    /// What was dropped.
    pub dropped: DroppedFiles,
}

/// The stages of the files of a block range, or of all.
#[derive(Debug)]
pub(super) struct DroppedFiles {
    pub by_snapshot: PruneCounts,
    pub by_partition: PruneCounts,
    pub by_bounds: PruneCounts,
    /// Equality deletes in scope of a file, and those whose keys it cannot have.
    pub equalities: PruneCounts,
}

impl DroppedFiles {
    /// Nothing was dropped yet. With `names`, the paths of dropped files are kept.
    pub fn new(names: bool) -> Self {
        let tally = || PruneCounts::new(names);
        Self { by_snapshot: tally(), by_partition: tally(), by_bounds: tally(), equalities: tally() }
    }

    /// Adds those of another block range.
    pub fn merge(&mut self, other: Self) {
        self.by_snapshot.merge(other.by_snapshot);
        self.by_partition.merge(other.by_partition);
        self.by_bounds.merge(other.by_bounds);
        self.equalities.merge(other.equalities);
    }
}
