//! How are the differences of two snapshots streamed?
//!
//! In: the files that differ. Out: batches of rows that came, went or changed.
//!
//! Invariant: rows that only came, or only went, are given as they are read. Only where there are both are they matched first. Lineage
//! tells which rows were written again, and not whether their values differ: where a key does not say which row is which, values do.

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
use super::open_step::OpenStep;
use super::read_job::{ReadChanges, StepRows};
use super::step::{Matching, ReadFile, Step};
use crate::Scan;
use floeberg_rows::{ChangedCells, PairedRows, Side};

/// The differences of two snapshots, in batches.
///
/// Threads start with the first batch. Dropping it stops them within a batch.
pub struct DifferenceStream {
    /// The rows of files that differ; `None` after the last one.
    rows: Option<OrderedStream<ReadChanges>>,
    columns: Arc<Columns>,
    cells: ChangedCells,
    ahead: Ahead,
    /// The rows that are matched.
    open: Option<OpenStep>,
    /// The rows that were matched.
    paired: Option<PairedRows>,
    joined: Coalescer,
    is_over: bool,
}

impl DifferenceStream {
    /// The differences that a step has; `None` has none.
    pub(super) fn new(
        scan: &Scan,
        cells: ChangedCells,
        step: Option<Step>,
        columns: Arc<Columns>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let joined = Coalescer::new(scan.read_request(cancel)?.files.batch_rows);
        // A quarter each: rows that are read ahead, rows that are matched, old rows of updates, and what matching takes.
        let ahead = Ahead { threads: thread_budget()?, memory: memory_budget()? / 4, cancel: cancel.clone() };
        let (rows, open, paired) = (None, None, None);
        let mut stream = Self { rows, columns, cells, ahead, open, paired, joined, is_over: false };
        if let Some(step) = step {
            stream.begin(step);
        }
        Ok(stream)
    }

    fn begin(&mut self, step: Step) {
        let step = Arc::new(step);
        let is_matched = step.matching != Matching::Nothing;
        self.open = is_matched.then(|| OpenStep::new(Arc::clone(&step)));
        let numbers = 0..step.files.len();
        let files = numbers.map(move |number| Ok(ReadFile::changed(&step, number)));
        let job = Arc::new(ReadChanges::new(Arc::clone(&self.columns)));
        self.rows = Some(OrderedStream::new(job, files, self.ahead.clone()));
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        self.cells.output()
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
            (self.rows, self.open, self.paired) = (None, None, None);
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
            if let Some(paired) = &mut self.paired {
                match paired.next_until(&|batch| self.columns.selected(batch), &self.cells, until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(None) => self.paired = None,
                    Poll::Ready(Some(batches)) => {
                        for batch in batches? {
                            self.joined.push(batch)?;
                        }
                    }
                }
            } else if let Some(rows) = &mut self.rows {
                match rows.next_until(until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(rows)) => self.add(rows?)?,
                    Poll::Ready(None) => self.match_rows()?,
                }
            } else {
                self.joined.flush()?;
                self.is_over = true;
            }
        }
    }

    fn add(&mut self, rows: StepRows) -> Result<()> {
        if let Some(open) = &mut self.open {
            return open.add(rows, &self.columns, self.ahead.memory);
        }
        let selected = self.columns.selected(&rows.batch)?;
        let shown = match rows.side {
            Side::Inserted => self.cells.inserted(&selected)?,
            Side::Deleted => self.cells.deleted(&selected)?,
        };
        self.joined.push(shown)
    }

    fn match_rows(&mut self) -> Result<()> {
        if let (Some(rows), Some(open)) = (self.rows.take(), self.open.take()) {
            let step = Arc::clone(&open.step);
            let (rows, matched) = open.matched(rows.job(), &self.ahead);
            if step.matching == Matching::Lineage && matched.has_repeated_keys {
                self.begin(step.by_values(self.columns.readers(Matching::Values)));
                return Ok(());
            }
            self.paired = Some(PairedRows::new(Box::new(rows), matched, self.ahead.memory)?);
        }
        Ok(())
    }
}

impl Iterator for DifferenceStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.poll(None) {
            Poll::Ready(batch) => batch,
            Poll::Pending => None,
        }
    }
}
