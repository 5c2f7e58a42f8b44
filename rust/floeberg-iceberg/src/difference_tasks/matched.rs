//! Which rows of some buckets are one row?
//!
//! In: pieces of these buckets, those of rows that came first. Out: rows of the difference, or how many there are.
//!
//! Invariant: rows that were read come as they are: what is equal is matched, then what has one key alone on each side.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use floeberg_core::rows::RowHashes;
use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_rows::{ChangedCells, MatchedSides, Matcher, PairedRows, RowCounts, RowNumbers, Side, SideRows};

use super::kept::{Keeping, Kept};
use super::task::DifferenceTask;
use crate::exchange::from_bytes;

/// Changes of some buckets.
pub struct MatchedChanges {
    cells: ChangedCells,
    rows: PairedRows,
    ready: VecDeque<RecordBatch>,
    cancel: Cancel,
}

/// The rows of both sides.
struct KeptSides([Kept; 2]);

impl MatchedSides for KeptSides {
    fn open(&self, side: Side) -> Result<Box<dyn SideRows>> {
        self.0[side.snapshot()].open()
    }
}

impl MatchedChanges {
    /// Takes pieces, as [`SpreadChanges`](super::SpreadChanges) gives them, and matches their rows. `columns` is a task of the same difference.
    ///
    /// Errors: `InvalidInput` for batches of another form, and for rows that went before others that came; those of the batches;
    /// `LimitExceeded` for more rows than can be numbered; `Storage` where a temporary file cannot be written; `Cancelled`.
    pub fn of(
        pieces: impl Iterator<Item = Result<RecordBatch>>,
        columns: &DifferenceTask,
        cancel: &Cancel,
    ) -> Result<Self> {
        let most_bytes = memory_budget()? / 4;
        let hashes = RowHashes::default();
        let mut matcher = Matcher::default();
        let mut sides = [Keeping::new(), Keeping::new()];
        let mut has_deleted = false;
        for batch in pieces {
            cancel.check()?;
            let batch = batch?;
            let (Some(of_sides), Some(rows)) = (
                batch.column_by_name("side").and_then(|sides| sides.as_primitive_opt::<Int32Type>()),
                batch.column_by_name("rows").and_then(|rows| rows.as_binary_opt::<i32>()),
            ) else {
                let found = batch.schema_ref().fields();
                return Err(Error::invalid_input(format!(
                    "expected the side of a piece and rows as bytes, found {found:?}"
                )));
            };
            for piece in 0..batch.num_rows() {
                let side = if of_sides.value(piece) == 0 { Side::Inserted } else { Side::Deleted };
                if has_deleted && side == Side::Inserted {
                    return Err(Error::invalid_input(
                        "expected rows that came before rows that went, found another order",
                    ));
                }
                has_deleted |= side == Side::Deleted;
                from_bytes(rows.value(piece), &mut |batch| {
                    matcher.add(side, numbers(columns, &batch, &hashes)?)?;
                    // Both sides share the memory.
                    sides[side.snapshot()].add(columns.selected(&batch)?, most_bytes / 2)
                })?;
            }
        }
        let [inserted, deleted] = sides;
        let kept = KeptSides([inserted.finish()?, deleted.finish()?]);
        let rows = PairedRows::new(Box::new(kept), matcher.finish(), most_bytes)?;
        Ok(Self { cells: columns.cells()?, rows, ready: VecDeque::new(), cancel: cancel.clone() })
    }

    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_until(Instant::now().checked_add(timeout))
    }

    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        loop {
            if let Err(error) = self.cancel.check() {
                return Poll::Ready(Some(Err(error)));
            }
            if let Some(batch) = self.ready.pop_front() {
                if batch.num_rows() > 0 {
                    return Poll::Ready(Some(Ok(batch)));
                }
                continue;
            }
            // Only the columns that are shown were kept.
            match self.rows.next_until(&|batch| Ok(batch.clone()), &self.cells, until) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(Ok(batches))) => self.ready.extend(batches),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    /// How many rows differ.
    ///
    /// Errors: those of reading a temporary file; `Cancelled`.
    pub fn counts(mut self) -> Result<RowCounts> {
        let mut counts = RowCounts::default();
        while let Poll::Ready(Some(batch)) = self.next_until(None) {
            counts.add(&batch?);
        }
        Ok(counts)
    }
}

/// What tells the rows of a batch apart.
fn numbers(task: &DifferenceTask, batch: &RecordBatch, hashes: &RowHashes) -> Result<RowNumbers> {
    let of = |places: &[usize]| {
        let column = |place: &usize| {
            let missing = || Error::invalid_input("rows of another worker lack a column");
            batch.columns().get(*place).map(Arc::clone).ok_or_else(missing)
        };
        let columns: Vec<ArrayRef> = places.iter().map(column).collect::<Result<_>>()?;
        hashes.of(&columns, batch.num_rows())
    };
    let keys = if task.keys.is_empty() { None } else { Some(of(&task.keys)?) };
    Ok(RowNumbers { rows: of(&task.identity)?, keys })
}
