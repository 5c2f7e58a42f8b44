//! Where do the rows that a row group's decoder yields stand in the file?
//!
//! In: the rows that are decoded, and which of these the decoder's filter passes. Out: positions, batch by batch.
//!
//! Invariant: what is not known of the decoder's work is an error, never a guess: the filter tests every row that is
//! decoded, once and in order.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::BooleanArray;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use floeberg_core::{Error, Result};
use floeberg_files::RowPositions;
use parquet::arrow::arrow_reader::RowSelection;

/// The rows that a decoder has still to yield.
#[derive(Debug, Clone)]
pub(super) struct DecodedRows {
    /// The position of the row group's first row.
    first: u64,
    /// How many rows the row group has.
    rows: usize,
    /// Those of them that are yielded; `None` is all of them.
    selection: Option<BooleanBuffer>,
    /// How many rows of the row group were yielded or passed over.
    done: usize,
}

/// What the decoder's filter said of the rows that it was asked.
#[derive(Debug, Clone)]
pub(super) struct Passed(Arc<Mutex<BooleanBufferBuilder>>);

impl DecodedRows {
    /// Of a row group at these positions, with what is decoded of it.
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

    /// Adds what the filter says of the next rows: none is null.
    pub(super) fn add(&self, passed: &BooleanArray) {
        self.lock().append_buffer(passed.values());
    }

    fn lock(&self) -> MutexGuard<'_, BooleanBufferBuilder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
