//! What is one task of a stream of batches? A file to open, then runs of its units to read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_exec::threads::Job;
use floeberg_files::{Timed, Unit, timed_if};

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
    bytes: u64,
}

impl Job for ReadJob {
    type Task = FileScanTask;
    type Part = UnitRun;
    type Item = RecordBatch;

    const THREAD: &'static str = "floeberg-read";
    const OPENING_BYTES: u64 = floeberg_io::SMALL_FILE;

    fn open(&self, task: FileScanTask) -> Result<Vec<UnitRun>> {
        let opened = Arc::new(OpenTask::open(&self.reader, &task)?);
        let runs = opened.runs(self.reader.request.files.batch_rows as u64).into_iter();
        let run = |units: Vec<Unit>| {
            let bytes = opened.stored_bytes(&units);
            UnitRun { task: Arc::clone(&opened), units, bytes }
        };
        Ok(runs.map(run).collect())
    }

    fn work(&self, run: UnitRun, give: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
        let counts = run.task.counts();
        for unit in &run.units {
            let mut batches = timed_if(counts, Timed::Reading, || run.task.read(unit))?;
            while let Some(batch) = timed_if(counts, Timed::Reading, || batches.next()) {
                if !give(batch?)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn part_bytes(run: &UnitRun) -> u64 {
        run.bytes
    }

    fn bytes(batch: &RecordBatch) -> u64 {
        batch.get_array_memory_size() as u64
    }
}
