//! What differs between any two snapshots of a table?
//!
//! A description: nothing is read before it is planned, counted or streamed. The two need not be of one line. Rows have the columns
//! of the second one's schema, found by their field ids.
//!
//! Spec: Row Lineage; Schema Evolution (columns are found by field id); Column Projection.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Cancel, Error, Result};

use super::changed_cells::{ChangedCells, DELETE, INSERT, UPDATE};
use super::diff::{DifferingFiles, differing_files};
use super::difference_stream::DifferenceStream;
use super::planned_steps::TwoPlans;
use super::scan::{ChangelogScan, changed_rows};
use super::step::{Matching, Side, Step};
use crate::Scan;
use crate::plan::{DeleteFile, DeleteKind, Plan};

/// What differs between two snapshots.
#[derive(Debug, Clone)]
pub struct Difference(ChangelogScan);

/// The files of two snapshots, without the data manifests that both have.
#[derive(Debug, Clone)]
pub struct FilesOfBoth {
    /// Files of the first snapshot.
    pub before: Plan,
    /// Files of the second snapshot.
    pub after: Plan,
    /// Which of them differ.
    pub differing: DifferingFiles,
    /// Have both the same delete manifests?
    pub has_same_deletes: bool,
}

/// How many rows differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Rows that the second snapshot has alone.
    pub inserted: u64,
    /// Rows that the first snapshot has alone.
    pub deleted: u64,
    /// Rows that both have, with other values.
    pub updated: u64,
    /// For each column in how many of the updated rows it changed. Columns that never did are left out.
    pub changed_columns: BTreeMap<String, u64>,
}

impl Difference {
    /// Between a snapshot and that of a scan. `start` is `None` for an empty table. Rows are one row by the columns of `key`, else by the
    /// identifier fields of the schema, else by lineage.
    ///
    /// Errors: `NotFound` for a snapshot that the table does not have, `InvalidInput` for an unknown column.
    pub fn new(scan: Scan, start: Option<i64>, key: Option<Vec<String>>) -> Result<Self> {
        ChangelogScan::between(scan, start, key).map(Self)
    }

    /// The scan of the second snapshot.
    pub fn scan(&self) -> &Scan {
        self.0.scan()
    }

    /// The first snapshot.
    pub fn start(&self) -> Option<i64> {
        self.0.start()
    }

    /// The columns of the key, as they were named.
    pub fn key(&self) -> Option<&[String]> {
        self.0.identifier_columns()
    }

    /// `_change`, `_changed_columns`, `before` and `after`.
    pub fn output_schema(&self) -> Result<ArrowSchema> {
        Ok(ChangedCells::new(self.scan())?.output().as_ref().clone())
    }

    /// The files that differ; `None` where both snapshots are the same. No data file and no delete file is opened.
    ///
    /// Errors: those of planning.
    pub fn files(&self, cancel: &Cancel) -> Result<Option<FilesOfBoth>> {
        let plans = self.0.steps(&self.0.columns(cancel)?, cancel)?.next_plans()?;
        let Some(TwoPlans { before, after, has_same_deletes }) = plans else { return Ok(None) };
        let differing = differing_files(&before, &after)?;
        Ok(Some(FilesOfBoth { before, after, differing, has_same_deletes }))
    }

    /// The rows that differ, in batches. Those that went come before those that came.
    ///
    /// Errors: those of planning. The stream gives those of reading.
    pub fn stream(&self, cancel: &Cancel) -> Result<DifferenceStream> {
        let columns = self.0.columns(cancel)?;
        let step = self.0.steps(&columns, cancel)?.next().transpose()?;
        DifferenceStream::new(self.scan(), step, columns, cancel)
    }

    /// No rows, as a stream.
    ///
    /// Errors: those of the scan's columns.
    pub fn no_rows(&self, cancel: &Cancel) -> Result<DifferenceStream> {
        DifferenceStream::new(self.scan(), None, self.0.columns(cancel)?, cancel)
    }

    /// How many rows differ. Files whose rows all came, or all went, are not read for it.
    ///
    /// Errors: those of planning and of reading.
    pub fn counts(&self, cancel: &Cancel) -> Result<RowCounts> {
        let columns = self.0.columns(cancel)?;
        let Some(step) = self.0.steps(&columns, cancel)?.next().transpose()? else {
            return Ok(RowCounts::default());
        };
        if let Some(counts) = counts_of_files(&step) {
            return Ok(counts);
        }
        let mut counts = RowCounts::default();
        for batch in DifferenceStream::new(self.scan(), Some(step), columns, cancel)? {
            let batch = batch?;
            let changes = batch.column(0).as_string::<i32>();
            for change in changes.iter().flatten() {
                match change {
                    INSERT => counts.inserted += 1,
                    DELETE => counts.deleted += 1,
                    UPDATE => counts.updated += 1,
                    other => return Err(Error::internal(format!("there is no change {other:?}"))),
                }
            }
            for names in batch.column(1).as_list::<i32>().iter().flatten() {
                for name in names.as_string::<i32>().iter().flatten() {
                    match counts.changed_columns.get_mut(name) {
                        Some(count) => *count += 1,
                        None => drop(counts.changed_columns.insert(name.to_owned(), 1)),
                    }
                }
            }
        }
        Ok(counts)
    }
}

/// The counts of files whose rows only came, or only went, where manifests and positions say them.
fn counts_of_files(step: &Step) -> Option<RowCounts> {
    let mut counts = RowCounts::default();
    if step.matching != Matching::Nothing {
        return None;
    }
    for file in &step.files {
        let by_equality = |delete: &Arc<DeleteFile>| matches!(delete.kind, DeleteKind::Equality { .. });
        if *file.task.residual != BoundExpr::True || file.task.deletes.iter().any(by_equality) {
            return None;
        }
        let rows = changed_rows(file)?;
        let side = if file.side == Side::Inserted { &mut counts.inserted } else { &mut counts.deleted };
        *side += u64::try_from(rows).ok()?;
    }
    Some(counts)
}
