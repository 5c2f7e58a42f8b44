//! Which rows of a batch do equality deletes leave?
//!
//! In: batches of the selected columns, then key columns. Out: batches of the selected columns, without the deleted
//! rows.
//!
//! Invariant: a row is deleted if its key is in a set with a greater sequence number than that of the data file.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::rows::KeptRows;
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Error, Result};

use super::cache::KeySet;
use super::key_column::{KeyColumn, keys_of};
use super::task_keys::TaskKeys;

/// The equality deletes of a task, ready for its batches.
#[derive(Debug)]
pub(crate) struct KeyFilter {
    columns: Vec<KeyColumn>,
    /// Each with the numbers of its key columns.
    sets: Vec<(Vec<usize>, Arc<KeySet>)>,
    data_sequence_number: i64,
    /// How many columns were selected.
    wanted: usize,
}

impl KeyFilter {
    /// The filter of some sets of keys for a data file with a sequence number; `None` without a set.
    pub(crate) fn new(keys: TaskKeys, projected: &Schema, data_sequence_number: i64) -> Option<Self> {
        if keys.sets.is_empty() {
            return None;
        }
        let mut columns: Vec<KeyColumn> = Vec::new();
        let mut sets = Vec::with_capacity(keys.sets.len());
        for (own, set) in keys.sets {
            let mut numbers = Vec::with_capacity(own.len());
            for column in own {
                let known = columns.iter().position(|known| known.id == column.id);
                numbers.push(known.unwrap_or(columns.len()));
                if known.is_none() {
                    columns.push(column);
                }
            }
            sets.push((numbers, set));
        }
        Some(Self { columns, sets, data_sequence_number, wanted: projected.fields().len() })
    }

    /// The columns to read after the selected ones.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &Field> {
        self.columns.iter().map(|column| &column.root)
    }

    /// A batch without the key columns and the rows that they delete.
    pub(crate) fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let (schema, mut arrays, rows) = batch.into_parts();
        let keys = arrays.split_off(self.wanted.min(arrays.len()));
        let kept = !&self.deleted(&keys, rows)?;
        // Buffers without other owners are filtered in place.
        drop(keys);
        let schema = Arc::new(ArrowSchema::new(schema.fields()[..arrays.len()].to_vec())) as SchemaRef;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options)
            .map_err(|error| Error::internal(format!("a batch lost its key columns: {error}")))?;
        KeptRows::new(kept).filter(batch)
    }

    /// Which rows with these key columns are deleted.
    pub(crate) fn deleted(&self, roots: &[ArrayRef], rows: usize) -> Result<BooleanBuffer> {
        let values = keys_of(&self.columns, roots)?;
        let mut deleted = BooleanBuffer::new_unset(rows);
        for (numbers, set) in &self.sets {
            let keys: Vec<_> = numbers.iter().filter_map(|number| values.get(*number).cloned()).collect();
            deleted = &deleted | &set.keys().deleted(&keys, self.data_sequence_number)?;
        }
        Ok(deleted)
    }
}
