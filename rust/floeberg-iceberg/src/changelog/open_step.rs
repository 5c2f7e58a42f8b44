//! What happened to the rows of a snapshot of which some were only carried over?
//!
//! In: its rows, those that came first. Out: batches of those that changed, the deleted ones first.
//!
//! Invariant: rows are kept within a number of bytes. Beyond it they are read again, and only numbers of them are kept. By lineage, only
//! what tells rows apart is read first, and then the rows that changed.

use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use std::vec;

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::{Ahead, OrderedStream};
use roaring::RoaringTreemap;

use super::columns::Columns;
use floeberg_rows::{Changes, Matched, MatchedSides, Matcher, Side, SideRows, other_rows};

use super::read_job::{ReadChanges, StepRows};
use super::step::{ReadFile, Step, WantedRows};

/// A step of which not all rows have come.
pub(super) struct OpenStep {
    pub step: Arc<Step>,
    matcher: Matcher,
    kept: Kept,
    bytes: u64,
}

/// What is kept of the rows of a step.
enum Kept {
    /// The rows that came, and those that went.
    Rows([Vec<RecordBatch>; 2]),
    /// Nothing: the rows take too many bytes.
    Nothing,
    /// For each file the positions of its rows.
    Positions(Vec<RoaringTreemap>),
}

impl OpenStep {
    /// A step without rows.
    pub fn new(step: Arc<Step>) -> Self {
        let inserted = step.files.iter().filter(|file| file.side == Side::Inserted);
        let rows = inserted.map(|file| u64::try_from(file.task.record_count).unwrap_or(0));
        let matcher = Matcher::expecting(rows.fold(0, u64::saturating_add));
        let kept = match step.readers.identity {
            Some(_) => Kept::Positions(vec![RoaringTreemap::new(); step.files.len()]),
            None => Kept::Rows(Default::default()),
        };
        Self { step, matcher, kept, bytes: 0 }
    }

    /// Takes rows, and keeps them within so many bytes.
    pub fn add(&mut self, rows: StepRows, columns: &Columns, most_bytes: u64) -> Result<()> {
        let numbered =
            rows.numbers.ok_or_else(|| Error::internal("rows of a changelog were not told apart"))?;
        let positions = numbered.positions;
        self.matcher.add(rows.side, numbered.numbers)?;
        match &mut self.kept {
            Kept::Positions(of_files) => {
                let of_file = of_files.get_mut(rows.number).zip(positions);
                let (of_file, positions) =
                    of_file.ok_or_else(|| Error::internal("rows of a changelog have no positions"))?;
                add_positions(of_file, &positions)?;
            }
            Kept::Rows(kept) => {
                kept[rows.side.snapshot()].push(columns.selected(&rows.batch)?);
                self.bytes = self.bytes.saturating_add(rows.batch.get_array_memory_size() as u64);
                if self.bytes > most_bytes {
                    self.kept = Kept::Nothing;
                }
            }
            Kept::Nothing => {}
        }
        Ok(())
    }

    /// The changes, after all rows have come.
    pub fn finish(self, job: &Arc<ReadChanges>, ahead: &Ahead) -> StepChanges {
        let (rows, Matched { deleted, inserted, .. }) = self.matched(job, ahead);
        let side = |side, changes| SideChanges { source: rows.source(side), changes, next: 0 };
        // The last one comes first.
        let sides = vec![side(Side::Inserted, inserted), side(Side::Deleted, deleted)];
        StepChanges { step: rows.step, sides }
    }

    /// What happened to the rows, after all of them have come, and the rows again.
    pub fn matched(self, job: &Arc<ReadChanges>, ahead: &Ahead) -> (MatchedRows, Matched) {
        let (step, mut kept, mut matched) = (self.step, self.kept, self.matcher.finish());
        if let Kept::Positions(of_files) = &mut kept {
            for (side, changes) in
                [(Side::Inserted, &mut matched.inserted), (Side::Deleted, &mut matched.deleted)]
            {
                keep_changed(&step, side, of_files, changes);
            }
        }
        (MatchedRows { step, kept, job: Arc::clone(job), ahead: ahead.clone() }, matched)
    }
}

/// The rows of a step, which can be taken several times.
pub(super) struct MatchedRows {
    step: Arc<Step>,
    kept: Kept,
    job: Arc<ReadChanges>,
    ahead: Ahead,
}

impl MatchedRows {
    /// The rows of a side, in the order in which they came.
    fn source(&self, side: Side) -> Source {
        let wanted = |number: usize| match &self.kept {
            Kept::Positions(of_files) => WantedRows::At(of_files[number].clone()),
            Kept::Nothing | Kept::Rows(_) => WantedRows::Changed,
        };
        if let Kept::Rows(kept) = &self.kept {
            return Source::Kept(kept[side.snapshot()].clone().into_iter());
        }
        let files: Vec<ReadFile> = files_of(&self.step, side)
            .map(|number| ReadFile { step: Arc::clone(&self.step), number, wanted: wanted(number) })
            .filter(|file| !matches!(&file.wanted, WantedRows::At(positions) if positions.is_empty()))
            .collect();
        let files = files.into_iter().map(Ok);
        Source::Again(Box::new(OrderedStream::new(Arc::clone(&self.job), files, self.ahead.clone())))
    }
}

impl MatchedSides for MatchedRows {
    fn open(&self, side: Side) -> Result<Box<dyn SideRows>> {
        Ok(Box::new(self.source(side)))
    }
}

/// The files of a side, by their numbers.
fn files_of(step: &Step, side: Side) -> impl Iterator<Item = usize> {
    let files = step.files.iter().enumerate();
    files.filter(move |(_, file)| file.side == side).map(|(number, _)| number)
}

/// Adds positions, which ascend, and often have no gap.
fn add_positions(known: &mut RoaringTreemap, positions: &[u64]) -> Result<()> {
    if let [first, .., last] = positions
        && last.checked_sub(*first) == Some(positions.len() as u64 - 1)
    {
        known.insert_range(*first..=*last);
        return Ok(());
    }
    let added = known.append(positions.iter().copied());
    added.map(drop).map_err(|error| Error::internal("positions ascend").caused_by(error))
}

/// Leaves the rows that changed: their positions in each file, and what happened to them.
fn keep_changed(step: &Step, side: Side, of_files: &mut [RoaringTreemap], changes: &mut Changes) {
    let mut rows = changes.iter();
    for number in files_of(step, side) {
        let positions = std::mem::take(&mut of_files[number]);
        let of_file: Box<dyn Iterator<Item = u64>> = match (positions.min(), positions.max()) {
            // Without gaps, it is faster to count them.
            (Some(first), Some(last)) if last - first == positions.len() - 1 => Box::new(first..=last),
            _ => Box::new(positions.iter()),
        };
        let of_file = of_file.zip(&mut rows);
        of_files[number] =
            of_file.filter(|(_, change)| change.is_some()).map(|(position, _)| position).collect();
    }
    changes.retain(Option::is_some);
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
enum Source {
    Kept(vec::IntoIter<RecordBatch>),
    Again(Box<OrderedStream<ReadChanges>>),
}

impl SideRows for Source {
    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
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
