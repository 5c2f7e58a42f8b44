//! Which row was each updated row before?
//!
//! In: the rows that went and those that came, and what happened to each. Out: batches of a difference.
//!
//! Invariant: as many old rows wait for their new ones as fit into a number of bytes. With more, the rows that came are taken
//! again for each part of them.

use std::ops::Range;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_select::filter::filter_record_batch;
use arrow_select::interleave::interleave;
use floeberg_core::{Error, Result};

use crate::changed_cells::{ChangedCells, misfit};
use crate::matching::{ChangeType, Changes, Matched, Side};

/// Rows of a side, one batch after another.
pub trait SideRows: Send {
    /// The next rows, if there are some before a deadline; `Ready(None)` is the end.
    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>>;
}

/// The rows that were matched, which can be taken several times.
pub trait MatchedSides: Send {
    /// The rows of a side, in the order in which they were matched.
    ///
    /// Errors: those of opening files.
    fn open(&self, side: Side) -> Result<Box<dyn SideRows>>;
}

/// Takes the columns of a batch that are shown.
pub type Select<'s> = &'s dyn Fn(&RecordBatch) -> Result<RecordBatch>;

/// The rows of two snapshots that differ, while they are taken.
pub struct PairedRows {
    rows: Box<dyn MatchedSides>,
    matched: Matched,
    /// The deleted rows; `None` after the last one.
    old: Option<Box<dyn SideRows>>,
    /// The next deleted row.
    next_old: usize,
    waiting: Waiting,
    /// The inserted rows, while those that wait are looked for.
    new: Option<NewRows>,
    /// Were inserted rows given?
    gave_inserts: bool,
    most_bytes: u64,
}

/// Updated rows, as they were, whose new values are not known yet.
#[derive(Default)]
struct Waiting {
    /// The number of the first one.
    first: u32,
    batches: Vec<RecordBatch>,
    /// For each of them its batch, and its place there.
    places: Vec<(usize, usize)>,
    bytes: u64,
}

impl Waiting {
    fn add(&mut self, batch: RecordBatch) {
        self.places.extend((0..batch.num_rows()).map(|row| (self.batches.len(), row)));
        self.bytes = self.bytes.saturating_add(batch.get_array_memory_size() as u64);
        self.batches.push(batch);
    }

    fn numbers(&self) -> Range<u32> {
        self.first..self.first.saturating_add(self.places.len() as u32)
    }

    /// Begins with the rows after these.
    fn restart(&mut self) {
        *self = Self { first: self.numbers().end, ..Self::default() };
    }
}

/// The inserted rows, taken from the first one on.
struct NewRows {
    source: Box<dyn SideRows>,
    /// The next inserted row.
    next: usize,
    /// The next updated row among them.
    next_update: usize,
}

impl PairedRows {
    /// Of rows that were matched. So many bytes of old rows may wait.
    ///
    /// Errors: those of [`MatchedSides::open`].
    pub fn new(rows: Box<dyn MatchedSides>, matched: Matched, most_bytes: u64) -> Result<Self> {
        let (old, waiting) = (Some(rows.open(Side::Deleted)?), Waiting::default());
        Ok(Self { rows, matched, old, next_old: 0, waiting, new: None, gave_inserts: false, most_bytes })
    }

    /// The next rows, if there are some before a deadline; `Ready(None)` is the end.
    pub fn next_until(
        &mut self,
        select: Select<'_>,
        cells: &ChangedCells,
        until: Option<Instant>,
    ) -> Poll<Option<Result<Vec<RecordBatch>>>> {
        loop {
            if let Some(new) = &mut self.new {
                match new.source.next_until(until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(batch)) => {
                        let given = batch.and_then(|batch| self.take_new(&select(&batch)?, cells));
                        return Poll::Ready(Some(given));
                    }
                    Poll::Ready(None) if new.next != self.matched.inserted.len() => {
                        return Poll::Ready(Some(Err(other_rows())));
                    }
                    Poll::Ready(None) => {
                        self.new = None;
                        self.gave_inserts = true;
                        self.waiting.restart();
                    }
                }
            } else if let Some(old) = &mut self.old {
                match old.next_until(until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(batch)) => {
                        let given = batch.and_then(|batch| self.take_old(&select(&batch)?, cells));
                        return Poll::Ready(Some(given));
                    }
                    Poll::Ready(None) if self.next_old != self.matched.deleted.len() => {
                        return Poll::Ready(Some(Err(other_rows())));
                    }
                    Poll::Ready(None) => self.old = None,
                }
            } else if self.waiting.places.is_empty() && self.gave_inserts {
                return Poll::Ready(None);
            } else {
                match self.look_for_new() {
                    Ok(()) => {}
                    Err(error) => return Poll::Ready(Some(Err(error))),
                }
            }
        }
    }

    fn look_for_new(&mut self) -> Result<()> {
        self.new = Some(NewRows { source: self.rows.open(Side::Inserted)?, next: 0, next_update: 0 });
        Ok(())
    }

    /// Gives the rows that went, and has the old ones of updates wait.
    fn take_old(&mut self, batch: &RecordBatch, cells: &ChangedCells) -> Result<Vec<RecordBatch>> {
        let changes = next_changes(&self.matched.deleted, self.next_old, batch)?;
        if changes.iter().all(Option::is_none) {
            self.next_old += batch.num_rows();
            return Ok(Vec::new());
        }
        let gone = rows_of(batch, changes, ChangeType::Delete)?;
        let updated = rows_of(batch, changes, ChangeType::UpdateBefore)?;
        self.next_old += batch.num_rows();
        if updated.num_rows() > 0 {
            self.waiting.add(updated);
        }
        if self.waiting.bytes > self.most_bytes {
            self.look_for_new()?;
        }
        Ok(vec![cells.deleted(&gone)?])
    }

    /// Gives the rows that came, once, and the updates whose old rows wait.
    fn take_new(&mut self, batch: &RecordBatch, cells: &ChangedCells) -> Result<Vec<RecordBatch>> {
        let Some(new) = &mut self.new else {
            return Err(Error::internal("no rows of a difference are open"));
        };
        let changes = next_changes(&self.matched.inserted, new.next, batch)?;
        new.next += batch.num_rows();
        if changes.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let numbers = self.waiting.numbers();
        let mut places = Vec::new();
        let mut is_found = |change: &Option<ChangeType>| {
            if *change != Some(ChangeType::UpdateAfter) {
                return false;
            }
            let number = self.matched.pairs.get(new.next_update).filter(|number| numbers.contains(number));
            new.next_update += 1;
            let place = number.and_then(|number| self.waiting.places.get((number - numbers.start) as usize));
            places.extend(place);
            place.is_some()
        };
        let mask: BooleanArray = changes.iter().map(|change| Some(is_found(change))).collect();
        let mut given = Vec::new();
        if !self.gave_inserts {
            given.push(cells.inserted(&rows_of(batch, changes, ChangeType::Insert)?)?);
        }
        if !places.is_empty() {
            let after = filter_record_batch(batch, &mask).map_err(misfit)?;
            given.push(cells.updated(&picked(&self.waiting.batches, &places, &after)?, &after)?);
        }
        Ok(given)
    }
}

/// What happened to the rows of a batch.
fn next_changes<'c>(
    changes: &'c Changes,
    first: usize,
    batch: &RecordBatch,
) -> Result<&'c [Option<ChangeType>]> {
    changes.get(first..first + batch.num_rows()).ok_or_else(other_rows)
}

/// The rows to which something happened.
fn rows_of(batch: &RecordBatch, changes: &[Option<ChangeType>], wanted: ChangeType) -> Result<RecordBatch> {
    let mask: BooleanArray = changes.iter().map(|change| Some(*change == Some(wanted))).collect();
    filter_record_batch(batch, &mask).map_err(misfit)
}

/// Rows of several batches, as one with the columns of another.
fn picked(batches: &[RecordBatch], places: &[(usize, usize)], like: &RecordBatch) -> Result<RecordBatch> {
    let column = |number: usize| {
        let columns: Vec<_> = batches.iter().map(|batch| batch.column(number).as_ref()).collect();
        interleave(&columns, places).map_err(misfit)
    };
    let columns = (0..like.num_columns()).map(column).collect::<Result<Vec<_>>>()?;
    let rows = RecordBatchOptions::new().with_row_count(Some(places.len()));
    RecordBatch::try_new_with_options(Arc::clone(like.schema_ref()), columns, &rows).map_err(misfit)
}

/// Rows are others than before.
pub fn other_rows() -> Error {
    Error::invalid_data("a data file had other rows when it was read again: files of a table never change")
}
