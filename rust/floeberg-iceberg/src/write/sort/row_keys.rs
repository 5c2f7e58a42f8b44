//! Which bytes bring the rows of a write into its order?
//!
//! In: batches in the table's form. Out: one key per row.
//!
//! Invariant: comparing keys byte by byte gives the order of the rows.

use arrow_array::{BinaryArray, RecordBatch};
use floeberg_core::Result;
use floeberg_core::schema::Schema;

use super::keys::FieldKeys;
use super::z_keys::ZKeys;
use crate::metadata::SortOrder;
use crate::write::ZOrder;

/// How keys are made.
#[derive(Debug)]
pub(in crate::write) enum SortKeys {
    /// By the fields of a sort order.
    Fields(FieldKeys),
    /// By a z-order.
    ZOrder(ZKeys),
}

impl SortKeys {
    /// For a sort order; `None` for unsorted rows. Errors: those of [`FieldKeys::new`].
    pub fn of_order(order: &SortOrder, schema: &Schema) -> Result<Option<Self>> {
        Ok(FieldKeys::new(order, schema)?.map(Self::Fields))
    }

    /// For a z-order. Errors: those of [`ZKeys::new`].
    pub fn of_z_order(order: &ZOrder, schema: &Schema) -> Result<Self> {
        ZKeys::new(order, schema).map(Self::ZOrder)
    }

    /// The keys of the rows of a batch.
    pub fn of(&self, batch: &RecordBatch) -> Result<BinaryArray> {
        match self {
            Self::Fields(keys) => keys.of(batch),
            Self::ZOrder(keys) => keys.of(batch),
        }
    }
}
