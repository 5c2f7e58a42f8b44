//! Which rows of the files of a task came or went?
//!
//! In: a task. Out: batches of rows of one side each. Those of the second snapshot need not come first.

use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use arrow_array::RecordBatch;
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{POS, metadata_column};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::{Ahead, Job, OrderedStream};
use floeberg_rows::Side;

use super::task::{DifferenceTask, SentFile};
use crate::changelog::{ChangedFile, ChangedRows, StepReaders, changed_in_both, changed_rows_of};
use crate::plan::FileScanTask;
use crate::read::{ReadRequest, TableReader};

/// Rows of a side.
pub(super) struct SidedRows {
    pub(super) side: Side,
    pub(super) batch: RecordBatch,
}

/// Reads the rows of files that differ.
pub(super) struct ReadFiles {
    readers: StepReaders,
}

impl ReadFiles {
    fn new(task: &DifferenceTask, cancel: &Cancel) -> Result<Self> {
        let request = task.group.read().request(cancel)?;
        let position = metadata_column(POS).ok_or_else(|| Error::internal("no column has positions"))?;
        let positions = Arc::new(Schema::new(request.projected.schema_id(), vec![position])?);
        let of_positions = ReadRequest { projected: positions, ..request.clone() };
        let reader = |request: &ReadRequest| Arc::new(TableReader::new(request.clone()));
        let both = |request: &ReadRequest| [reader(request), reader(request)];
        let readers = StepReaders { rows: both(&request), identity: None, positions: both(&of_positions) };
        Ok(Self { readers })
    }

    /// The files with the rows that differ.
    fn changed(&self, old: Option<FileScanTask>, new: Option<FileScanTask>) -> Result<Vec<ChangedFile>> {
        let whole = |side, task| ChangedFile { side, task, rows: ChangedRows::All };
        match (old, new) {
            (Some(old), Some(new)) => {
                changed_in_both(&self.readers.positions[0], &old, &new).context("path", &new.file_path)
            }
            (None, Some(new)) => Ok(vec![whole(Side::Inserted, new)]),
            (Some(old), None) => Ok(vec![whole(Side::Deleted, old)]),
            (None, None) => Ok(Vec::new()),
        }
    }
}

impl Job for ReadFiles {
    type Task = (Option<FileScanTask>, Option<FileScanTask>);
    type Part = ChangedFile;
    type Item = SidedRows;

    const THREAD: &'static str = "floeberg-diff";

    fn open(&self, (old, new): Self::Task) -> Result<Vec<ChangedFile>> {
        self.changed(old, new)
    }

    fn work(&self, file: ChangedFile, give: &mut dyn FnMut(SidedRows) -> Result<bool>) -> Result<()> {
        let path = &file.task.file_path;
        for batch in changed_rows_of(&self.readers, &file).context("path", path)? {
            let batch = batch.context("path", path)?;
            if batch.num_rows() > 0 && !give(SidedRows { side: file.side, batch })? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn bytes(rows: &SidedRows) -> u64 {
        rows.batch.get_array_memory_size() as u64
    }
}

/// The rows of a task.
pub(super) struct TaskRows {
    rows: OrderedStream<ReadFiles>,
}

impl TaskRows {
    /// Begins to read, by so many threads; `None` is all of a process.
    pub(super) fn begin(task: &DifferenceTask, threads: Option<usize>, cancel: &Cancel) -> Result<Self> {
        let job = Arc::new(ReadFiles::new(task, cancel)?);
        let group = task.group.clone();
        let of = move |(old, new): SentFile| {
            let task = |number: Option<usize>| number.map(|number| group.task(number)).transpose();
            Ok((task(old)?, task(new)?))
        };
        let threads = match threads {
            Some(threads) => threads.max(1),
            None => thread_budget()?,
        };
        let ahead = Ahead { threads, memory: memory_budget()? / 4, cancel: cancel.clone() };
        let rows = OrderedStream::new(job, task.files.clone().into_iter().map(of), ahead);
        Ok(Self { rows })
    }

    pub(super) fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<SidedRows>>> {
        self.rows.next_until(until)
    }
}
