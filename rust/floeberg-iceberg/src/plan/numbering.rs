//! Which numbers do residuals and rows have in a whole plan?
//!
//! In: the planned files of one block range after the other. Out: their batches, and sums.
//! Spec: First Row ID Inheritance.

use std::sync::Arc;

use arrow_array::{Int32Array, Int64Array, RecordBatch};
use floeberg_core::expr::{BoundExpr, ColumnStats};
use floeberg_core::{Error, Result};

use super::Plan;
use super::columns::{column, typed, with_column};
use super::explain::Explain;
use super::plan_job::PlanJob;
use super::planned_blocks::{DroppedFiles, PlannedBlocks};
use crate::manifest::DistinctResiduals;

/// What was counted of the block ranges so far.
#[derive(Debug)]
pub(super) struct Numbering {
    residuals: DistinctResiduals,
    /// The id of the next row of the current manifest.
    next_row_id: Option<i64>,
    dropped: DroppedFiles,
    totals: Totals,
}

/// Sums over the files of a plan.
#[derive(Debug, Default)]
struct Totals {
    data_files: u64,
    records: u64,
    bytes: u64,
}

/// Files, and their statistics of the requested column.
pub(super) type Files = (RecordBatch, Vec<ColumnStats>);

impl Numbering {
    /// Nothing was counted yet. With `names`, the paths of dropped files are kept.
    pub fn new(names: bool) -> Self {
        Self {
            residuals: DistinctResiduals::default(),
            next_row_id: None,
            dropped: DroppedFiles::new(names),
            totals: Totals::default(),
        }
    }

    /// The different residuals so far, by number.
    pub fn residuals(&self) -> &[Arc<BoundExpr>] {
        self.residuals.list()
    }

    /// The account so far.
    pub fn explain(&self, job: &PlanJob) -> Explain {
        let Totals { data_files, records, bytes } = self.totals;
        Explain { data_files, records, bytes, ..job.explain(&self.dropped) }
    }

    /// The whole plan of these batches.
    pub fn plan(self, job: &PlanJob, chunks: Vec<RecordBatch>) -> Plan {
        let explain = self.explain(job);
        let (schema, specs) = (Arc::clone(&job.schema), Arc::clone(&job.specs));
        Plan::new(schema, specs, chunks, job.deletes.index.files(), self.residuals.into_list(), explain)
    }

    /// Gives residuals and rows of a block range their numbers in the plan, and counts it.
    pub fn number(&mut self, blocks: PlannedBlocks) -> Result<Option<Files>> {
        self.dropped.merge(blocks.dropped);
        if blocks.is_first {
            self.next_row_id = blocks.first_row_id;
        }
        let base = self.next_row_id;
        self.next_row_id = base.and_then(|base| base.checked_add(blocks.row_ids));
        let Some(mut files) = blocks.files else { return Ok(None) };
        let numbers = self.residuals.numbers(blocks.residuals);
        if numbers.iter().enumerate().any(|(local, number)| local as i32 != *number) {
            let local = typed::<Int32Array>(files.column(column::RESIDUAL))?.values();
            let residuals: Int32Array = local.iter().map(|local| numbers[*local as usize]).collect();
            files = with_column(files, column::RESIDUAL, Arc::new(residuals))?;
        }
        if let Some(counted_on) = blocks.counted_on {
            let ids = typed::<Int64Array>(files.column(column::FIRST_ROW_ID))?;
            let ids = ids.iter().zip(&counted_on).map(|(id, counts_on)| {
                if !counts_on {
                    return Ok(id);
                }
                let id = id.zip(base).and_then(|(id, base)| id.checked_add(base));
                id.map(Some)
                    .ok_or_else(|| Error::invalid_data("the row ids of a manifest do not fit into 64 bits"))
            });
            let ids: Int64Array = ids.collect::<Result<_>>()?;
            files = with_column(files, column::FIRST_ROW_ID, Arc::new(ids))?;
        }
        self.totals.add(&files)?;
        Ok(Some((files, blocks.statistics)))
    }
}

impl Totals {
    fn add(&mut self, files: &RecordBatch) -> Result<()> {
        let sum = |position: usize, so_far: u64| {
            let values = typed::<Int64Array>(files.column(position))?.values();
            let each = values.iter().map(|value| u64::try_from(*value).unwrap_or(0));
            Ok::<_, Error>(each.fold(so_far, u64::saturating_add))
        };
        self.records = sum(column::RECORD_COUNT, self.records)?;
        self.bytes = sum(column::FILE_SIZE, self.bytes)?;
        self.data_files += files.num_rows() as u64;
        Ok(())
    }
}
