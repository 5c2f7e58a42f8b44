//! What is one task of a stream of batches? A file to open, then runs of its units to read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_exec::threads::Job;
use floeberg_files::Unit;

use crate::plan::FileScanTask;
use crate::read::TableReader;
use crate::read::open_task::OpenTask;

/// Reads tasks.
pub(super) struct ReadJob {
    /// Their reader.
    pub(super) reader: Arc<TableReader>,
}

/// Adjacent units of one open file.
pub(super) struct UnitRun {
    task: Arc<OpenTask>,
    units: Vec<Unit>,
}

impl Job for ReadJob {
    type Task = FileScanTask;
    type Part = UnitRun;
    type Item = RecordBatch;

    const THREAD: &'static str = "floeberg-read";

    fn open(&self, task: FileScanTask) -> Result<Vec<UnitRun>> {
        let opened = Arc::new(OpenTask::open(&self.reader, &task)?);
        Ok(runs(&opened, self.reader.request.files.batch_rows as u64))
    }

    fn work(&self, run: UnitRun, give: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
        for unit in &run.units {
            for batch in run.task.read(unit)? {
                if !give(batch?)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn bytes(batch: &RecordBatch) -> u64 {
        batch.get_array_memory_size() as u64
    }
}

/// Splits the units of a task into runs of at least this many rows.
fn runs(task: &Arc<OpenTask>, least_rows: u64) -> Vec<UnitRun> {
    let mut runs: Vec<UnitRun> = Vec::new();
    let mut rows = least_rows;
    for unit in &task.units {
        if rows >= least_rows {
            runs.push(UnitRun { task: Arc::clone(task), units: Vec::new() });
            rows = 0;
        }
        rows = rows.saturating_add(unit.rows.as_ref().map_or(least_rows, |rows| rows.end - rows.start));
        if let Some(run) = runs.last_mut() {
            run.units.push(unit.clone());
        }
    }
    runs
}
