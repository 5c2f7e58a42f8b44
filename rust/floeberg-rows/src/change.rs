//! What becomes of rows of a table that were read?
//!
//! In: a batch of rows, with their positions and rows of a source. Out: rows that are deleted, and new rows for others.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, UInt32Array};
use arrow_select::take::take;
use floeberg_core::{Error, Result};

/// Rows of a table that may change.
///
/// A row stands there once for each row of the source with its key; all of these are in one batch.
#[derive(Debug)]
pub struct FoundRows<'b> {
    /// The columns of the table. Those that nobody asked for may have any values.
    pub columns: &'b [ArrayRef],
    /// A number for each row that no other row of the batch has.
    pub positions: &'b [u64],
    /// The row of the source, or null; `None` where there is no source.
    pub source_rows: Option<&'b UInt32Array>,
}

impl FoundRows<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn of_source(&self) -> Result<&UInt32Array> {
        self.source_rows.ok_or_else(|| Error::internal("rows of a merge have rows of a source"))
    }
}

/// What becomes of the rows of a batch.
#[derive(Debug, Default)]
pub struct BatchChange {
    /// The rows that are deleted, by their numbers in the batch, each once.
    pub deleted: Vec<u32>,
    /// Rows that are replaced, and what by.
    pub updated: Vec<UpdatedRows>,
}

/// New rows in the place of old ones.
#[derive(Debug)]
pub struct UpdatedRows {
    /// The old rows, by their numbers in the batch, each once.
    pub rows: Vec<u32>,
    /// The columns of the table, with a value for each of them.
    pub columns: Vec<ArrayRef>,
}

/// Changes rows of a table.
pub trait RowChange: Send + Sync {
    /// The numbers of the columns of the table that it reads; other columns need no values.
    fn columns_to_read(&self) -> &[usize];

    /// What becomes of some rows.
    ///
    /// Errors: `InvalidInput` where values do not fit or clauses contradict each other.
    fn apply(&self, found: &FoundRows<'_>) -> Result<BatchChange>;
}

/// Some rows of a column. All of them are shared, and not copied.
pub(crate) fn taken(column: &ArrayRef, rows: &UInt32Array) -> Result<ArrayRef> {
    let is_whole =
        rows.len() == column.len() && rows.values().iter().zip(0_u32..).all(|(row, at)| *row == at);
    if is_whole {
        return Ok(Arc::clone(column));
    }
    take(column, rows, None).map_err(|error| Error::internal("rows that change are taken").caused_by(error))
}
