//! Where does a row belong in the order of a write?
//!
//! In: a recipe, and batches of its columns, or of those that rows are sorted by. Out: one short key per row.
//! Spec: Sorting.
//!
//! Invariant: a row before another one in the order of the write never has the greater key. Keys are bounded, so that a key may stand for
//! rows that differ.

use arrow_array::{BinaryArray, RecordBatch};
use floeberg_core::Result;
use floeberg_core::arrow_values::positions;
use floeberg_core::schema::Schema;

use super::WriteRecipe;
use super::row_order::RowOrder;
use super::sort::SortKeys;

/// The most bytes of a key: ranges of rows need no more, and the rows of a range are sorted by the whole key.
const MOST_BYTES: usize = 256;

/// How keys are made.
#[derive(Debug)]
pub struct RangeKeys(SortKeys);

impl RangeKeys {
    /// The first bytes of the keys of a batch.
    ///
    /// Errors: those of the transforms that rows are sorted by; `LimitExceeded` for values that are too long.
    pub fn of(&self, batch: &RecordBatch) -> Result<BinaryArray> {
        self.0.of(batch)
    }

    /// The part of a key that counts.
    pub fn cut(key: &[u8]) -> &[u8] {
        &key[..key.len().min(MOST_BYTES)]
    }
}

impl WriteRecipe {
    /// Keys of batches with these columns, which are all of the recipe or [`WriteRecipe::sort_columns`]; `None` for unsorted rows.
    ///
    /// Errors: those of [`WriteRecipe::with_order`].
    pub fn range_keys(&self, columns: &Schema) -> Result<Option<RangeKeys>> {
        let keys = match self.own_order.as_deref() {
            None => SortKeys::of_order(&self.order, columns)?,
            Some(RowOrder::Sort(order)) => SortKeys::of_order(order, columns)?,
            Some(RowOrder::ZOrder(order)) => Some(SortKeys::of_z_order(order, columns)?),
        };
        Ok(keys.map(RangeKeys))
    }

    /// The columns, with all their fields, that rows are sorted by; `None` where no value of theirs decides the order.
    ///
    /// Errors: those of [`WriteRecipe::with_order`].
    pub fn sort_columns(&self) -> Result<Option<Schema>> {
        let ids: Vec<i32> = match self.own_order.as_deref() {
            None => source_ids(&self.order.fields),
            Some(RowOrder::Sort(order)) => source_ids(&order.fields),
            Some(RowOrder::ZOrder(order)) => order.column_ids.clone(),
        };
        let tops: Vec<usize> =
            ids.iter().filter_map(|id| positions(&self.schema, *id).first().copied()).collect();
        if tops.is_empty() || self.range_keys(&self.schema)?.is_none() {
            return Ok(None);
        }
        let fields = self.schema.fields().iter().enumerate();
        let fields = fields.filter(|(at, _)| tops.contains(at)).map(|(_, field)| field.clone());
        Schema::new(self.schema.schema_id(), fields.collect()).map(Some)
    }
}

fn source_ids(fields: &[crate::metadata::SortField]) -> Vec<i32> {
    fields.iter().flat_map(|field| field.source_ids.iter().copied()).collect()
}
