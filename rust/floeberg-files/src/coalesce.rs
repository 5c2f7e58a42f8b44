//! How are small batches joined?
//!
//! Invariant: rows keep their order; a batch of a quarter of the wanted size or more is passed on unchanged.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use floeberg_core::{Error, Result};

/// Joined batches do not grow beyond this, so that 32-bit offsets hold.
const LARGEST: usize = 64 << 20;

/// Joins small batches of one schema that follow each other.
#[derive(Debug)]
pub struct Coalescer {
    target_rows: usize,
    pending: Vec<RecordBatch>,
    pending_rows: usize,
    pending_bytes: usize,
    ready: VecDeque<RecordBatch>,
}

impl Coalescer {
    /// For batches of at most this many rows.
    pub fn new(target_rows: usize) -> Self {
        Self { target_rows, pending: Vec::new(), pending_rows: 0, pending_bytes: 0, ready: VecDeque::new() }
    }

    /// Takes the next batch.
    pub fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(());
        }
        let bytes = batch.get_array_memory_size();
        let is_other = self.pending.last().is_some_and(|last| last.schema_ref() != batch.schema_ref());
        let is_large = rows.saturating_mul(4) >= self.target_rows;
        if is_large
            || is_other
            || self.pending_rows + rows > self.target_rows
            || self.pending_bytes.saturating_add(bytes) > LARGEST
        {
            self.flush()?;
        }
        if is_large {
            self.ready.push_back(batch);
        } else {
            self.pending_rows += rows;
            self.pending_bytes += bytes;
            self.pending.push(batch);
        }
        Ok(())
    }

    /// How many rows wait for others.
    pub fn pending_rows(&self) -> usize {
        self.pending_rows
    }

    /// Ends the input: no batch follows the pending ones.
    pub fn flush(&mut self) -> Result<()> {
        let joined = match self.pending.as_slice() {
            [] => return Ok(()),
            [single] => single.clone(),
            [first, ..] => concat_batches(&first.schema(), &self.pending).map_err(|error| {
                Error::internal(format!("batches of one schema cannot be joined: {error}"))
            })?,
        };
        self.ready.push_back(joined);
        self.pending.clear();
        self.pending_rows = 0;
        self.pending_bytes = 0;
        Ok(())
    }

    /// The next complete batch.
    pub fn pop(&mut self) -> Option<RecordBatch> {
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::iter;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, RecordBatch};

    use super::Coalescer;

    fn batch(name: &str, values: &[i32]) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int32Array::from(values.to_vec()));
        RecordBatch::try_from_iter([(name, column)]).unwrap()
    }

    fn joined(batches: impl IntoIterator<Item = RecordBatch>) -> Vec<RecordBatch> {
        let mut joined = Coalescer::new(16);
        batches.into_iter().for_each(|batch| joined.push(batch).unwrap());
        joined.flush().unwrap();
        iter::from_fn(|| joined.pop()).collect()
    }

    fn sizes(batches: &[RecordBatch]) -> Vec<usize> {
        batches.iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn small_batches_are_joined_up_to_a_number_of_rows_and_large_ones_left() {
        let small = (0..6).map(|number| batch("a", &[number; 3]));
        let found = joined(small.chain([batch("a", &[9; 20]), batch("a", &[]), batch("a", &[7])]));
        assert_eq!(sizes(&found), [15, 3, 20, 1]);
        let values: Vec<i32> = (0..5).flat_map(|number| [number; 3]).collect();
        assert_eq!(found[0], batch("a", &values));
    }

    #[test]
    fn batches_of_different_schemas_stay_apart() {
        let given = [batch("a", &[1]), batch("b", &[2]), batch("b", &[3])];
        assert_eq!(sizes(&joined(given)), [1, 2]);
        assert!(joined([]).is_empty());
    }
}
