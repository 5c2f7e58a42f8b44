//! Which positions in the file do decoded rows have?
//!
//! In: the rows that are decoded, and which of them pass the decoder's filter. Out: positions, batch by batch.
//!
//! Invariant: the filter tests every decoded row, once and in order. If it did not, that is an error and never a guess.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::BooleanArray;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use floeberg_core::{Error, Result};
use floeberg_files::RowPositions;
use parquet::arrow::arrow_reader::RowSelection;

/// The rows that a decoder has not returned yet.
#[derive(Debug, Clone)]
pub(super) struct DecodedRows {
    /// The position of the row group's first row.
    first: u64,
    /// How many rows the row group has.
    rows: usize,
    /// The rows that are decoded; `None` is all rows.
    selection: Option<BooleanBuffer>,
    /// How many rows of the row group were returned or skipped.
    done: usize,
}

/// The results of the decoder's filter, for the rows that it tested.
#[derive(Debug, Clone)]
pub(super) struct Passed(Arc<Mutex<BooleanBufferBuilder>>);

impl DecodedRows {
    /// For a row group at these positions, with its rows to decode.
    pub(super) fn new(rows: &Range<u64>, selection: Option<&RowSelection>) -> Self {
        let selection = selection.and_then(|rows| rows.clone().force_mask().as_mask().cloned());
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        Self { first: rows.start, rows: count, selection, done: 0 }
    }

    /// Without the rows that the filter did not pass.
    pub(super) fn passed(self, passed: &Passed) -> Result<Self> {
        let passed = passed.lock().finish();
        let decoded = self.selection.as_ref().map_or(self.rows, BooleanBuffer::count_set_bits);
        let tested = passed.len();
        if tested != decoded {
            return Err(Error::invalid_data(format!(
                "the filter tested {tested} of {decoded} decoded rows of the Parquet file"
            )));
        }
        let Some(selection) = self.selection else { return Ok(Self { selection: Some(passed), ..self }) };
        let mut rows = BooleanBufferBuilder::new(selection.len());
        rows.append_n(selection.len(), false);
        for (row, _) in selection.set_indices().zip(&passed).filter(|(_, is_passed)| *is_passed) {
            rows.set_bit(row, true);
        }
        Ok(Self { selection: Some(rows.finish()), ..self })
    }

    /// The positions of the next rows.
    pub(super) fn next(&mut self, count: usize) -> Result<RowPositions> {
        let first = self.first + self.done as u64;
        let (taken, positions) = match &self.selection {
            None => (count, RowPositions::From(first)),
            Some(selection) => {
                let left = selection.slice(self.done, selection.len() - self.done);
                let rows: Vec<usize> = left.set_indices().take(count).collect();
                if rows.len() < count {
                    return Err(self.too_many(self.done + left.len() + count - rows.len()));
                }
                let taken = rows.last().map_or(0, |last| last + 1);
                (taken, RowPositions::of_mask(first, &left.slice(0, taken))?)
            }
        };
        self.done += taken;
        if self.done > self.rows {
            return Err(self.too_many(self.done));
        }
        Ok(positions)
    }

    fn too_many(&self, found: usize) -> Error {
        let expected = self.rows;
        Error::invalid_data(format!("the Parquet file has {found} rows where its footer says {expected}"))
    }
}

impl Passed {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(BooleanBufferBuilder::new(0))))
    }

    /// Adds the results of the filter for the next rows, without nulls.
    pub(super) fn add(&self, passed: &BooleanArray) {
        self.lock().append_buffer(passed.values());
    }

    fn lock(&self) -> MutexGuard<'_, BooleanBufferBuilder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
