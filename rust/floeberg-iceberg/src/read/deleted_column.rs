//! How are deleted rows returned and marked, if `_deleted` is selected?
//!
//! In: batches of all rows, with the selected columns, then key columns, then positions. Out: the selected columns, with
//! `_deleted` among them.
//!
//! Invariant: a row is marked if and only if it would be missing without `_deleted`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::BooleanBuffer;
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::reserved::{DELETED, POS, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Error, Result};

use super::deletes::KeyFilter;

/// The column `_deleted` of a task.
#[derive(Debug)]
pub(super) struct DeletedColumn {
    /// Its position among the selected columns.
    place: usize,
    wanted: usize,
    rows: Arc<DeletedRows>,
    keys: Option<Arc<KeyFilter>>,
}

impl DeletedColumn {
    /// For the deletes of a task; `None` if it was not selected, or if there is nothing to mark.
    pub(super) fn new(
        projected: &Schema,
        rows: &Arc<DeletedRows>,
        keys: Option<Arc<KeyFilter>>,
    ) -> Option<Self> {
        let place = projected.fields().iter().position(|field| field.id == DELETED)?;
        let is_needed = keys.is_some() || !rows.is_empty();
        is_needed.then(|| Self { place, wanted: projected.fields().len(), rows: Arc::clone(rows), keys })
    }

    /// The columns to read after the selected ones: keys, then positions.
    pub(super) fn hidden_columns(&self) -> Result<Vec<Field>> {
        let position = metadata_column(POS).ok_or_else(|| Error::internal("the column _pos has no type"))?;
        let keys = self.keys.iter().flat_map(|keys| keys.columns().cloned());
        Ok(keys.chain([position]).collect())
    }

    /// Marks the rows of a batch.
    pub(super) fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let (schema, mut arrays, rows) = batch.into_parts();
        let hidden = arrays.split_off(self.wanted.min(arrays.len()));
        let deleted = BooleanArray::new(self.deleted(&hidden, rows)?, None);
        if let Some(column) = arrays.get_mut(self.place) {
            *column = Arc::new(deleted);
        }
        let schema = Arc::new(ArrowSchema::new(schema.fields()[..arrays.len()].to_vec()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, arrays, &options)
            .map_err(|error| Error::internal(format!("deleted rows cannot be marked: {error}")))
    }

    fn deleted(&self, hidden: &[ArrayRef], rows: usize) -> Result<BooleanBuffer> {
        let Some((positions, keys)) = hidden.split_last() else {
            return Err(Error::internal("the positions of deleted rows were not read"));
        };
        let positions = positions.as_primitive::<Int64Type>().values();
        let is_deleted =
            |row: usize| positions.get(row).is_some_and(|position| self.rows.contains(*position as u64));
        let by_position = if self.rows.is_empty() {
            BooleanBuffer::new_unset(rows)
        } else {
            BooleanBuffer::collect_bool(rows, is_deleted)
        };
        match &self.keys {
            None => Ok(by_position),
            Some(filter) => Ok(&by_position | &filter.deleted(keys, rows)?),
        }
    }
}
