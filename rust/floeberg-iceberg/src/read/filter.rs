//! Which rows of a file does a filter leave?
//!
//! In: what of the filter the plan did not decide. Out: all rows, none, or a predicate over decoded batches.
//!
//! Invariant: a filter whose columns are all absent from the file is decided once, from their constants.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::expr::{BoundExpr, evaluate_batch};
use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};

use super::file::FileFields;
use super::project::{PartitionConstants, Projection};

/// A filter, as far as one file needs it.
#[derive(Debug, Clone)]
pub(super) enum FileFilter {
    /// Every row.
    All,
    /// No row.
    None,
    /// The rows that a predicate says.
    Rows(Arc<RowPredicate>),
}

/// A filter over decoded columns of one file.
#[derive(Debug)]
pub(super) struct RowPredicate {
    /// The filter.
    pub(super) expr: Arc<BoundExpr>,
    /// How the file yields its columns.
    projection: Projection,
}

impl FileFilter {
    /// A residual over the columns of a file.
    pub(super) fn new(
        expr: &Arc<BoundExpr>,
        schema: &Schema,
        file: &FileFields,
        constants: &PartitionConstants,
    ) -> Result<Self> {
        match expr.as_ref() {
            BoundExpr::True => return Ok(Self::All),
            BoundExpr::False => return Ok(Self::None),
            _ => {}
        }
        let columns = schema.select(&expr.column_ids())?;
        let projection = Projection::new(&columns, file, constants)?;
        let predicate = RowPredicate { expr: Arc::clone(expr), projection };
        if !predicate.leaves().is_empty() {
            return Ok(Self::Rows(Arc::new(predicate)));
        }
        let one_row = RecordBatch::try_new_with_options(
            Arc::new(ArrowSchema::empty()),
            Vec::new(),
            &RecordBatchOptions::new().with_row_count(Some(1)),
        )
        .map_err(|error| Error::internal(format!("a batch without columns cannot be made: {error}")))?;
        let matches = predicate.evaluate(&one_row)?.true_count() == 1;
        Ok(if matches { Self::All } else { Self::None })
    }
}

impl RowPredicate {
    /// The leaves of the file that the filter reads.
    pub(super) fn leaves(&self) -> &BTreeSet<usize> {
        &self.projection.leaves
    }

    /// Which rows of a decoded batch of [`Self::leaves`] match.
    pub(super) fn evaluate(&self, decoded: &RecordBatch) -> Result<BooleanArray> {
        evaluate_batch(&self.expr, &self.projection.apply(decoded)?)
    }
}
