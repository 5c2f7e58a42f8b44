//! The rows of a stripe, as batches.
//!
//! Invariant: a stripe has exactly the rows that the file says; batches keep below [`BATCH_BYTES`] where one row does.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Schema, SchemaRef};
use floeberg_core::{Context, Error, Result};

use crate::read::column::ColumnReader;

/// The bytes of one batch, about.
const BATCH_BYTES: u64 = 64 << 20;

/// Before the first values are read, they are assumed to be this many times larger than stored.
const GROWTH: u64 = 4;

/// The batches of a stripe. After an error nothing follows.
pub struct StripeReader {
    location: String,
    /// The column of rows; `None` where nothing of it is wanted.
    row: Option<ColumnReader>,
    schema: SchemaRef,
    left: u64,
    /// The rows of a batch, at most.
    most: usize,
    /// The rows of the next batch.
    next: usize,
}

impl StripeReader {
    pub(super) fn new(location: String, row: Option<ColumnReader>, rows: u64, batch_rows: usize) -> Self {
        let schema = match row.as_ref().map(|row| row.field.data_type()) {
            Some(DataType::Struct(fields)) => Schema::new(fields.clone()),
            _ => Schema::empty(),
        };
        let most = batch_rows.max(1);
        Self { location, row, schema: Arc::new(schema), left: rows, most, next: most }
    }

    /// What comes out.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn batch(&mut self) -> Result<RecordBatch> {
        let rows = self.next.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= rows as u64;
        let columns = match &mut self.row {
            None => Vec::new(),
            Some(reader) => {
                let row = reader.read(rows, None)?;
                if row.null_count() > 0 {
                    return Err(Error::invalid_data("a row of the ORC file is null"));
                }
                let size = u64::try_from(row.get_array_memory_size()).unwrap_or(u64::MAX);
                self.next = self.most.min(rows_of(size, rows as u64));
                row.as_struct().columns().to_vec()
            }
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options).map_err(|error| {
            Error::internal("the columns of an ORC file do not fit together").caused_by(error)
        })
    }
}

impl Iterator for StripeReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let batch = self.batch().context("path", &self.location);
        if batch.is_err() {
            self.left = 0;
        }
        Some(batch)
    }
}

/// How many rows make a batch, by the bytes that they are stored in.
pub(super) fn rows_that_fit(stored: u64, rows: u64) -> usize {
    rows_of(stored.saturating_mul(GROWTH), rows)
}

/// How many rows make a batch, by the bytes of some.
fn rows_of(bytes: u64, rows: u64) -> usize {
    let a_row = (bytes / rows.max(1)).max(1);
    usize::try_from((BATCH_BYTES / a_row).max(1)).unwrap_or(usize::MAX)
}
