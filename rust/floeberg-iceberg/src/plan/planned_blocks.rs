//! The files of one block range of a manifest, before they have their numbers in the plan.

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
    /// The files, residuals numbered within the block range; `None` where none is left.
    pub files: Option<RecordBatch>,
    /// The residuals.
    pub residuals: Vec<BoundExpr>,
    /// Of the column that was asked for, file by file.
    pub statistics: Vec<ColumnStats>,
    /// Which of the files have a row id that counts from the end of the block range before; `None` is none.
    pub counted_on: Option<BooleanBuffer>,
    /// How many row ids the entries took from the manifest.
    pub row_ids: i64,
    /// What was dropped.
    pub dropped: DroppedFiles,
}

/// What was dropped of the files of a block range, or of all.
#[derive(Debug)]
pub(super) struct DroppedFiles {
    pub by_snapshot: PruneCounts,
    pub by_partition: PruneCounts,
    pub by_bounds: PruneCounts,
    /// Equality deletes whose scope a file is in, and those whose keys it cannot have.
    pub equalities: PruneCounts,
}

impl DroppedFiles {
    /// Nothing was dropped yet. With `names`, the paths of what is dropped are kept.
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
