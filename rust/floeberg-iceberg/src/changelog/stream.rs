//! How are the changes of all snapshots of a range streamed?
//!
//! Invariant: changes come snapshot by snapshot, the oldest first, and in each the deleted rows before the inserted ones. Files
//! of later snapshots are read ahead.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Result};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::{Ahead, OrderedStream};
use floeberg_files::Coalescer;

use super::columns::Columns;
use super::open_step::{OpenStep, StepChanges};
use super::planned_steps::PlannedSteps;
use super::read_job::{ReadChanges, StepRows};
use super::step::{Matching, ReadFile, Step};
use crate::Scan;
use floeberg_rows::ChangeType;

/// The changes of a range of snapshots, in batches.
///
/// Threads start with the first batch. Dropping it stops them within a batch.
pub struct ChangelogStream {
    rows: OrderedStream<ReadChanges>,
    columns: Arc<Columns>,
    ahead: Ahead,
    /// The step whose rows are coming.
    open: Option<OpenStep>,
    /// The step whose changes are taken.
    taken: Option<StepChanges>,
    /// Rows of the step after it.
    waiting: Option<StepRows>,
    joined: Coalescer,
    is_over: bool,
}

impl ChangelogStream {
    /// The changes that steps have.
    pub(super) fn new(
        scan: &Scan,
        steps: PlannedSteps,
        columns: Arc<Columns>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let request = scan.read_request(cancel)?;
        let joined = Coalescer::new(request.files.batch_rows);
        let job = Arc::new(ReadChanges::new(Arc::clone(&columns)));
        // As much again is for the rows of one snapshot.
        let memory = memory_budget()? / 2;
        let ahead = Ahead { threads: thread_budget()?, memory, cancel: cancel.clone() };
        let rows = OrderedStream::new(job, steps.flat_map(files), ahead.clone());
        let (open, taken, waiting) = (None, None, None);
        Ok(Self { rows, columns, ahead, open, taken, waiting, joined, is_over: false })
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        self.columns.output()
    }

    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.poll(Instant::now().checked_add(timeout))
    }

    fn poll(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        let step = self.step(until).map(Result::transpose);
        if matches!(step, Poll::Ready(Some(Err(_)) | None)) {
            self.is_over = true;
            self.joined = Coalescer::new(1);
            self.rows.stop();
        }
        step
    }

    fn step(&mut self, until: Option<Instant>) -> Poll<Result<Option<RecordBatch>>> {
        loop {
            if let Some(batch) = self.joined.pop() {
                return Poll::Ready(Ok(Some(batch)));
            }
            if self.is_over {
                return Poll::Ready(Ok(None));
            }
            if let Some(taken) = &mut self.taken {
                match taken.next_until(&self.columns, until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(changes)) => self.joined.push(changes?)?,
                    Poll::Ready(None) => self.taken = None,
                }
            } else if let Some(rows) = self.waiting.take() {
                self.add(rows)?;
            } else {
                match self.rows.next_until(until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(rows)) => self.next_rows(rows?)?,
                    Poll::Ready(None) if self.open.is_some() => self.close(),
                    Poll::Ready(None) => {
                        self.joined.flush()?;
                        self.is_over = true;
                    }
                }
            }
        }
    }

    fn next_rows(&mut self, rows: StepRows) -> Result<()> {
        if self.open.as_ref().is_some_and(|open| !Arc::ptr_eq(&open.step, &rows.step)) {
            self.close();
            self.waiting = Some(rows);
            return Ok(());
        }
        self.add(rows)
    }

    fn add(&mut self, rows: StepRows) -> Result<()> {
        if rows.step.matching == Matching::Nothing {
            let types = vec![Some(ChangeType::from(rows.side)); rows.batch.num_rows()];
            return self.joined.push(self.columns.changes(&rows.batch, &types, &rows.step)?);
        }
        let open = self.open.get_or_insert_with(|| OpenStep::new(Arc::clone(&rows.step)));
        open.add(rows, &self.columns, self.ahead.memory)
    }

    fn close(&mut self) {
        let job = self.rows.job();
        self.taken = self.open.take().map(|open| open.finish(job, &self.ahead));
    }
}

impl Iterator for ChangelogStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.poll(None) {
            Poll::Ready(batch) => batch,
            Poll::Pending => None,
        }
    }
}

/// The files of a step.
fn files(step: Result<Step>) -> Box<dyn Iterator<Item = Result<ReadFile>> + Send> {
    match step {
        Err(error) => Box::new(std::iter::once(Err(error))),
        Ok(step) => {
            let step = Arc::new(step);
            let numbers = 0..step.files.len();
            Box::new(numbers.map(move |number| Ok(ReadFile::changed(&step, number))))
        }
    }
}
