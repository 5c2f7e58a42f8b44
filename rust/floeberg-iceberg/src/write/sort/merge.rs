//! How do several sorted runs become one?
//!
//! In: runs of batches whose last columns are the key and the partition. Out: batches of one partition each, in order.
//!
//! Invariant: of equal rows those of the earlier run come first.

use std::cmp::Ordering;
use std::mem;

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt32Type;
use arrow_array::{Array as _, BinaryArray, RecordBatch, UInt32Array};
use arrow_select::interleave::interleave_record_batch;
use floeberg_core::{Error, Result};

use super::run::Run;

/// The most rows of a merged batch.
pub(super) const BATCH_ROWS: usize = 16 * 1024;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

/// The position in a run.
struct Cursor {
    batches: Batches,
    /// The number of the run.
    run: usize,
    /// Its batch among those of [`Merge::batches`].
    place: usize,
    row: usize,
    keys: BinaryArray,
    partitions: UInt32Array,
}

impl Cursor {
    fn partition(&self) -> u32 {
        self.partitions.value(self.row)
    }

    /// Which of the next rows comes first?
    fn compare(&self, other: &Self) -> Ordering {
        let key = |cursor: &Self| (cursor.partition(), cursor.run);
        let ((of, run), (of_other, other_run)) = (key(self), key(other));
        of.cmp(&of_other)
            .then_with(|| self.keys.value(self.row).cmp(other.keys.value(other.row)))
            .then(run.cmp(&other_run))
    }
}

struct Merge {
    /// A heap: the next row of a cursor is before those of the two below it.
    cursors: Vec<Cursor>,
    /// The batches that rows are taken from.
    batches: Vec<RecordBatch>,
    /// (batch, row) of the next rows.
    taken: Vec<(usize, usize)>,
}

/// Returns all rows of the runs, in order.
pub(super) fn merge(runs: Vec<Run>, give: &mut dyn FnMut(u32, RecordBatch) -> Result<()>) -> Result<()> {
    let mut merge = Merge { cursors: Vec::new(), batches: Vec::new(), taken: Vec::new() };
    for (run, read) in runs.into_iter().enumerate() {
        let mut batches: Batches = Box::new(read.read()?);
        if let Some(batch) = batches.next().transpose()? {
            let (keys, partitions) = order_of(&batch)?;
            let place = merge.batches.len();
            merge.cursors.push(Cursor { batches, run, place, row: 0, keys, partitions });
            merge.batches.push(batch);
        }
    }
    for at in (0..merge.cursors.len() / 2).rev() {
        merge.sink(at);
    }
    let mut partition = None;
    while let Some(next) = merge.cursors.first() {
        let of = next.partition();
        if merge.taken.len() >= BATCH_ROWS || partition.is_some_and(|partition| partition != of) {
            merge.give(partition, give)?;
        }
        partition = Some(of);
        merge.take()?;
    }
    merge.give(partition, give)
}

/// The last two columns: keys and partitions.
fn order_of(batch: &RecordBatch) -> Result<(BinaryArray, UInt32Array)> {
    let [.., keys, partitions] = batch.columns() else {
        return Err(Error::internal("a run of sorted rows without keys"));
    };
    Ok((keys.as_binary().clone(), partitions.as_primitive::<UInt32Type>().clone()))
}

impl Merge {
    /// Takes the first row. A run without further rows goes.
    fn take(&mut self) -> Result<()> {
        let cursor = &mut self.cursors[0];
        self.taken.push((cursor.place, cursor.row));
        cursor.row += 1;
        if cursor.row >= cursor.keys.len() {
            match cursor.batches.next().transpose()? {
                Some(batch) => {
                    (cursor.keys, cursor.partitions) = order_of(&batch)?;
                    (cursor.place, cursor.row) = (self.batches.len(), 0);
                    self.batches.push(batch);
                }
                None => drop(self.cursors.swap_remove(0)),
            }
        }
        self.sink(0);
        Ok(())
    }

    /// Moves a cursor down the heap until its row is before those below it.
    fn sink(&mut self, mut at: usize) {
        loop {
            let below = [2 * at + 1, 2 * at + 2].into_iter().filter(|below| *below < self.cursors.len());
            let first = below.min_by(|one, other| self.cursors[*one].compare(&self.cursors[*other]));
            match first {
                Some(first) if self.cursors[first].compare(&self.cursors[at]).is_lt() => {
                    self.cursors.swap(at, first);
                    at = first;
                }
                _ => return,
            }
        }
    }

    fn give(
        &mut self,
        partition: Option<u32>,
        give: &mut dyn FnMut(u32, RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (Some(partition), false) = (partition, self.taken.is_empty()) else { return Ok(()) };
        let batches: Vec<_> = self.batches.iter().collect();
        let rows = interleave_record_batch(&batches, &mem::take(&mut self.taken));
        give(partition, rows.map_err(|error| Error::internal("rows cannot be merged").caused_by(error))?)?;
        // Only the current batches of runs are needed from here on.
        let batches = mem::take(&mut self.batches);
        for cursor in &mut self.cursors {
            let batch = batches[cursor.place].clone();
            cursor.place = self.batches.len();
            self.batches.push(batch);
        }
        Ok(())
    }
}
