//! How are small batches joined?
//!
//! Invariant: rows keep their order; a batch of a quarter of the wanted size or more is passed on unchanged.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use floeberg_core::{Error, Result};

/// Joined batches do not grow beyond this, so that 32-bit offsets hold.
const LARGEST: usize = 64 << 20;

/// Joins small batches that follow each other.
#[derive(Debug)]
pub struct Coalescer {
    target_rows: usize,
    pending: Vec<RecordBatch>,
    pending_rows: usize,
    pending_bytes: usize,
    ready: VecDeque<RecordBatch>,
}

impl Coalescer {
    /// For batches of so many rows.
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
        let is_large = rows.saturating_mul(4) >= self.target_rows;
        if is_large
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

    /// Ends the input: no batch follows the pending ones.
    pub fn flush(&mut self) -> Result<()> {
        let joined = match self.pending.as_slice() {
            [] => return Ok(()),
            [single] => single.clone(),
            [first, ..] => concat_batches(&first.schema(), &self.pending)
                .map_err(|error| Error::internal(format!("batches of one scan cannot be joined: {error}")))?,
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
