//! How do several sorted runs become one?
//!
//! In: runs of batches whose last columns are the key and the partition. Out: batches of one partition each, in order.
//!
//! Invariant: of equal rows those of the earlier run come first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt32Type;
use arrow_select::interleave::interleave_record_batch;
use floeberg_core::{Error, Result};

use super::run::Run;

/// The most rows of a merged batch.
pub(super) const BATCH_ROWS: usize = 16 * 1024;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

/// The position in a run.
struct Cursor {
    batches: Batches,
    /// Its batch among those of [`Merge::batches`].
    place: usize,
    row: usize,
}

struct Merge {
    cursors: Vec<Cursor>,
    /// The batches that rows are taken from.
    batches: Vec<RecordBatch>,
    /// (batch, row) of the next rows.
    taken: Vec<(usize, usize)>,
}

/// Returns all rows of the runs, in order.
pub(super) fn merge(runs: Vec<Run>, give: &mut dyn FnMut(u32, RecordBatch) -> Result<()>) -> Result<()> {
    let mut merge = Merge { cursors: Vec::new(), batches: Vec::new(), taken: Vec::new() };
    let mut next = BinaryHeap::new();
    for run in runs {
        let mut batches: Batches = Box::new(run.read()?);
        if let Some(batch) = batches.next().transpose()? {
            merge.cursors.push(Cursor { batches, place: merge.batches.len(), row: 0 });
            merge.batches.push(batch);
            next.push(Reverse(merge.key(merge.cursors.len() - 1)));
        }
    }
    let mut partition = None;
    while let Some(Reverse((of, _, number))) = next.pop() {
        if merge.taken.len() >= BATCH_ROWS || partition.is_some_and(|partition| partition != of) {
            merge.give(partition, give)?;
        }
        partition = Some(of);
        if merge.take(number)? {
            next.push(Reverse(merge.key(number)));
        }
    }
    merge.give(partition, give)
}

impl Merge {
    /// The order of the next row of a run.
    fn key(&self, number: usize) -> (u32, Vec<u8>, usize) {
        let cursor = &self.cursors[number];
        let columns = self.batches[cursor.place].columns();
        let [.., keys, partitions] = columns else { return (0, Vec::new(), number) };
        let key = keys.as_binary::<i32>().value(cursor.row).to_vec();
        (partitions.as_primitive::<UInt32Type>().value(cursor.row), key, number)
    }

    /// Takes the next row of a run. Does it have another one?
    fn take(&mut self, number: usize) -> Result<bool> {
        let cursor = &mut self.cursors[number];
        self.taken.push((cursor.place, cursor.row));
        cursor.row += 1;
        if cursor.row < self.batches[cursor.place].num_rows() {
            return Ok(true);
        }
        let Some(batch) = cursor.batches.next().transpose()? else { return Ok(false) };
        (cursor.place, cursor.row) = (self.batches.len(), 0);
        self.batches.push(batch);
        Ok(true)
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
