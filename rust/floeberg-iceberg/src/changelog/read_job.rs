//! How are the rows of a file read that changed?
//!
//! Spec: Scan Planning; Equality Delete Files.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::threads::Job;
use roaring::RoaringTreemap;

use floeberg_rows::Side;

use super::columns::{Columns, NumberedRows};
use super::step::{ChangedFile, ChangedRows, ReadFile, Step, StepReaders, WantedRows};
use crate::plan::{DeleteFile, DeleteKind, FileScanTask};
use crate::read::{TableReader, TaskBatches, read_rows, read_rows_except, read_task};

/// Rows of a step that came or went.
pub(super) struct StepRows {
    /// The step.
    pub step: Arc<Step>,
    /// The number of their file in it.
    pub number: usize,
    /// Did they come or go?
    pub side: Side,
    /// The columns that are read for the step.
    pub batch: RecordBatch,
    /// What tells them apart, if it was asked for.
    pub numbers: Option<NumberedRows>,
}

/// Reads the rows of files that changed.
pub(super) struct ReadChanges {
    columns: Arc<Columns>,
}

impl ReadChanges {
    /// Reads columns.
    pub fn new(columns: Arc<Columns>) -> Self {
        Self { columns }
    }
}

/// The changed rows of a file, with the columns that are wanted of them.
fn batches(readers: &StepReaders, changed: &ChangedFile, wanted: &WantedRows) -> Result<TaskBatches> {
    let ChangedFile { side, task, rows } = changed;
    let snapshot = side.snapshot();
    let reader = match (wanted, &readers.identity) {
        (WantedRows::Numbered, Some(identity)) => &identity[snapshot],
        _ => &readers.rows[snapshot],
    };
    if let WantedRows::At(positions) = wanted {
        // These rows are live, and match the filter.
        let (deletes, residual) = (Vec::new(), Arc::new(BoundExpr::True));
        return read_rows(reader, &FileScanTask { deletes, residual, ..task.clone() }, positions);
    }
    match rows {
        ChangedRows::All => read_task(reader, task),
        ChangedRows::At(positions) => {
            // None of these rows is deleted by position.
            let is_equality = |delete: &&Arc<DeleteFile>| matches!(delete.kind, DeleteKind::Equality { .. });
            let deletes = task.deletes.iter().filter(is_equality).cloned().collect();
            read_rows(reader, &FileScanTask { deletes, ..task.clone() }, positions)
        }
        ChangedRows::NotIn(other) => {
            read_rows_except(reader, task, &live_rows(&readers.positions[1 - snapshot], other)?)
        }
    }
}

/// The rows of a file that came or went, with the columns of the readers.
///
/// Errors: those of opening the file and its deletes.
pub(crate) fn changed_rows_of(readers: &StepReaders, changed: &ChangedFile) -> Result<TaskBatches> {
    batches(readers, changed, &WantedRows::Changed)
}

/// The positions of the rows of a file that are live.
fn live_rows(reader: &Arc<TableReader>, task: &FileScanTask) -> Result<RoaringTreemap> {
    let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..task.clone() };
    let mut live = RoaringTreemap::new();
    for batch in read_task(reader, &whole)? {
        let batch = batch?;
        let positions = batch.column(0).as_primitive::<Int64Type>().values();
        live.append(positions.iter().map(|position| position.cast_unsigned()))
            .map_err(|error| Error::internal("positions ascend").caused_by(error))?;
    }
    Ok(live)
}

impl Job for ReadChanges {
    type Task = ReadFile;
    type Part = ReadFile;
    type Item = StepRows;

    const THREAD: &'static str = "floeberg-changes";

    fn open(&self, file: ReadFile) -> Result<Vec<ReadFile>> {
        Ok(vec![file])
    }

    fn work(&self, file: ReadFile, give: &mut dyn FnMut(StepRows) -> Result<bool>) -> Result<()> {
        let ReadFile { step, number, wanted } = file;
        let is_numbered = matches!(wanted, WantedRows::Numbered);
        let Some(changed) = step.files.get(number) else { return Ok(()) };
        let path = &changed.task.file_path;
        for batch in batches(&step.readers, changed, &wanted).context("path", path)? {
            let batch = batch.context("path", path)?;
            let numbers = is_numbered.then(|| self.columns.numbers(step.matching, &batch)).transpose()?;
            let rows = StepRows { step: Arc::clone(&step), number, side: changed.side, batch, numbers };
            if !give(rows)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn bytes(rows: &StepRows) -> u64 {
        rows.batch.get_array_memory_size() as u64
    }
}
