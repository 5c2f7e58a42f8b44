//! What happened to the rows of a snapshot of which some were only carried over?
//!
//! In: its rows, those that came first. Out: batches of those that changed, the deleted ones first.
//!
//! Invariant: rows are kept within a number of bytes. Beyond it they are read again, and only numbers of them are kept.

use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use std::vec;

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::{Ahead, OrderedStream};

use super::columns::Columns;
use super::matching::{Changes, Matched, Matcher};
use super::read_job::{ReadChanges, StepRows};
use super::step::{ReadFile, Side, Step};

/// A step of which not all rows have come.
pub(super) struct OpenStep {
    pub step: Arc<Step>,
    matcher: Matcher,
    /// The rows that came, and those that went; `None` if they take too many bytes.
    kept: Option<[Vec<RecordBatch>; 2]>,
    bytes: u64,
}

impl OpenStep {
    /// A step without rows.
    pub fn new(step: Arc<Step>) -> Self {
        let inserted = step.files.iter().filter(|file| file.side == Side::Inserted);
        let rows = inserted.map(|file| u64::try_from(file.task.record_count).unwrap_or(0));
        let matcher = Matcher::expecting(rows.fold(0, u64::saturating_add));
        Self { step, matcher, kept: Some(Default::default()), bytes: 0 }
    }

    /// Takes rows, and keeps them within so many bytes.
    pub fn add(&mut self, rows: StepRows, columns: &Columns, most_bytes: u64) -> Result<()> {
        let numbers =
            rows.numbers.ok_or_else(|| Error::internal("rows of a changelog were not told apart"))?;
        self.matcher.add(rows.side, numbers)?;
        self.bytes = self.bytes.saturating_add(rows.batch.get_array_memory_size() as u64);
        if self.bytes > most_bytes {
            self.kept = None;
        }
        if let Some([inserted, deleted]) = &mut self.kept {
            let side = if rows.side == Side::Inserted { inserted } else { deleted };
            side.push(columns.selected(&rows.batch)?);
        }
        Ok(())
    }

    /// The changes, after all rows have come.
    pub fn finish(self, job: &Arc<ReadChanges>, ahead: &Ahead) -> StepChanges {
        let (rows, Matched { deleted, inserted, .. }) = self.matched(job, ahead);
        let side = |side, changes| SideChanges { source: rows.open(side), changes, next: 0 };
        // The last one comes first.
        let sides = vec![side(Side::Inserted, inserted), side(Side::Deleted, deleted)];
        StepChanges { step: rows.step, sides }
    }

    /// What happened to the rows, after all of them have come, and the rows again.
    pub fn matched(self, job: &Arc<ReadChanges>, ahead: &Ahead) -> (MatchedRows, Matched) {
        let (step, kept) = (self.step, self.kept);
        (MatchedRows { step, kept, job: Arc::clone(job), ahead: ahead.clone() }, self.matcher.finish())
    }
}

/// The rows of a step, which can be taken several times.
pub(super) struct MatchedRows {
    step: Arc<Step>,
    kept: Option<[Vec<RecordBatch>; 2]>,
    job: Arc<ReadChanges>,
    ahead: Ahead,
}

impl MatchedRows {
    /// The rows of a side, in the order in which they came.
    pub fn open(&self, side: Side) -> Source {
        if let Some(kept) = &self.kept {
            return Source::Kept(kept[side.snapshot()].clone().into_iter());
        }
        let numbers = (0..self.step.files.len()).filter(|number| self.step.files[*number].side == side);
        let numbers: Vec<usize> = numbers.collect();
        let step = Arc::clone(&self.step);
        let files = numbers
            .into_iter()
            .map(move |number| Ok(ReadFile { step: Arc::clone(&step), number, is_numbered: false }));
        Source::Again(Box::new(OrderedStream::new(Arc::clone(&self.job), files, self.ahead.clone())))
    }
}

/// The changes of a step, while they are taken.
pub(super) struct StepChanges {
    step: Arc<Step>,
    sides: Vec<SideChanges>,
}

struct SideChanges {
    source: Source,
    changes: Changes,
    next: usize,
}

/// The rows of a side.
pub(super) enum Source {
    Kept(vec::IntoIter<RecordBatch>),
    Again(Box<OrderedStream<ReadChanges>>),
}

impl Source {
    /// The next rows, if there are some before a deadline; `Ready(None)` is the end.
    pub fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        match self {
            Self::Kept(batches) => Poll::Ready(batches.next().map(Ok)),
            Self::Again(rows) => {
                rows.next_until(until).map(|rows| rows.map(|rows| rows.map(|rows| rows.batch)))
            }
        }
    }
}

impl StepChanges {
    /// The next changes, if there are some before a deadline; `Ready(None)` is the end.
    pub fn next_until(
        &mut self,
        columns: &Columns,
        until: Option<Instant>,
    ) -> Poll<Option<Result<RecordBatch>>> {
        while let Some(side) = self.sides.last_mut() {
            match side.source.next_until(until) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) if side.next == side.changes.len() => drop(self.sides.pop()),
                Poll::Ready(None) => return Poll::Ready(Some(Err(other_rows()))),
                Poll::Ready(Some(batch)) => {
                    let changes = batch.and_then(|batch| {
                        let end = side.next + batch.num_rows();
                        let types = side.changes.get(side.next..end).ok_or_else(other_rows)?;
                        side.next = end;
                        columns.changes(&batch, types, &self.step)
                    });
                    return Poll::Ready(Some(changes));
                }
            }
        }
        Poll::Ready(None)
    }
}

/// Rows of a file are others than before.
pub(super) fn other_rows() -> Error {
    Error::invalid_data("a data file had other rows when it was read again: files of a table never change")
}
