//! The rows of one task, as batches, in the file's order.
//!
//! Invariant: an error ends the batches.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_files::{Coalescer, Unit};
use roaring::RoaringTreemap;

use super::open_task::{OpenTask, Wanted};
use super::table_reader::TableReader;
use super::task_rows::TaskRows;
use crate::plan::FileScanTask;

/// Opens a task, reads its deletes, and returns its rows.
///
/// Errors: `Unsupported` for a format or a delete that cannot be read or applied yet, `InvalidData` for a damaged
/// file; each names the file.
pub fn read_task(reader: &Arc<TableReader>, task: &FileScanTask) -> Result<TaskBatches> {
    Ok(TaskBatches::new(reader, OpenTask::open(reader, task)?))
}

/// The rows of a task at these positions, and maybe others behind the last one of them.
///
/// Errors: those of [`read_task`].
pub fn read_rows(
    reader: &Arc<TableReader>,
    task: &FileScanTask,
    positions: &RoaringTreemap,
) -> Result<TaskBatches> {
    Ok(TaskBatches::new(reader, OpenTask::open_rows(reader, task, Wanted::At(positions))?))
}

/// The rows of a task that are at none of these positions.
///
/// Errors: those of [`read_task`].
pub fn read_rows_except(
    reader: &Arc<TableReader>,
    task: &FileScanTask,
    positions: &RoaringTreemap,
) -> Result<TaskBatches> {
    Ok(TaskBatches::new(reader, OpenTask::open_rows(reader, task, Wanted::Except(positions))?))
}

/// The batches of one task, or of a part of one.
pub struct TaskBatches {
    table: Arc<TableReader>,
    task: Arc<OpenTask>,
    units: Vec<Unit>,
    next_unit: usize,
    reader: Option<TaskRows>,
    joined: Coalescer,
    finished: bool,
}

impl TaskBatches {
    fn new(reader: &Arc<TableReader>, task: OpenTask) -> Self {
        let units = task.units.clone();
        Self::of_units(reader, Arc::new(task), units)
    }

    fn of_units(reader: &Arc<TableReader>, task: Arc<OpenTask>, units: Vec<Unit>) -> Self {
        Self {
            table: Arc::clone(reader),
            task,
            units,
            next_unit: 0,
            reader: None,
            joined: Coalescer::new(reader.request.files.batch_rows),
            finished: false,
        }
    }

    /// The rows in parts that several threads can read, in their order. Nothing was read of them.
    pub fn into_parts(self) -> Vec<Self> {
        let runs = self.task.runs(self.table.request.files.batch_rows as u64).into_iter();
        runs.map(|units| Self::of_units(&self.table, Arc::clone(&self.task), units)).collect()
    }

    /// About how many bytes of the file they take.
    pub fn stored_bytes(&self) -> u64 {
        self.task.stored_bytes(&self.units)
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.joined.pop() {
                return Ok(Some(batch));
            }
            if self.finished {
                return Ok(None);
            }
            self.table.request.files.cancel.check()?;
            if let Some(batch) = self.reader.as_mut().and_then(Iterator::next) {
                self.joined.push(batch?)?;
            } else if let Some(unit) = self.units.get(self.next_unit) {
                self.reader = Some(self.task.read(unit)?);
                self.next_unit += 1;
            } else {
                self.finished = true;
                self.joined.flush()?;
            }
        }
    }
}

impl Iterator for TaskBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.finished = true;
            self.joined = Coalescer::new(self.table.request.files.batch_rows);
        }
        step.transpose()
    }
}
