//! Which rows of a file does a filter leave?
//!
//! In: the residual of the plan. Out: all rows, none, or a predicate over decoded batches.
//!
//! Invariant: a filter whose columns are all absent from the file is decided once, from their constants.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::expr::{BoundExpr, evaluate_rows, may_match};
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{ROW_ID, is_requested};
use floeberg_core::{Error, Result};

use super::file_fields::FileFields;
use super::inherited::Fallback;
use super::origin::names_metadata;
use super::position_stats::PositionStats;
use super::positions::RowPositions;
use super::project::{FileConstants, Projection};

/// Positions that are tested at once.
const POSITIONS: u64 = 1 << 16;

/// A filter, reduced to what one file needs.
#[derive(Debug, Clone)]
pub enum FileFilter {
    /// Every row.
    All,
    /// No row.
    None,
    /// The rows that a predicate says.
    Rows(Arc<RowPredicate>),
}

/// A filter over decoded columns of one file.
#[derive(Debug)]
pub struct RowPredicate {
    /// The part of the filter that statistics of the file can decide. Statistics of a stored metadata column do not describe the
    /// values of its rows.
    pub expr: Arc<BoundExpr>,
    whole: Arc<BoundExpr>,
    /// How the file yields its columns.
    projection: Projection,
    /// The id of the file's first row, if row ids follow from positions.
    first_row_id: Option<i64>,
}

impl FileFilter {
    /// A residual over the columns of a file.
    pub fn new(
        expr: &Arc<BoundExpr>,
        schema: &Schema,
        file: &FileFields,
        constants: &FileConstants,
    ) -> Result<Self> {
        match expr.as_ref() {
            BoundExpr::True => return Ok(Self::All),
            BoundExpr::False => return Ok(Self::None),
            _ => {}
        }
        let columns = schema.select(&expr.column_ids())?;
        let projection = Projection::new(&columns, file, constants)?;
        let predicate = RowPredicate::new(expr, projection, &columns, file, constants);
        if !predicate.leaves().is_empty() || predicate.needs_positions() {
            return Ok(Self::Rows(Arc::new(predicate)));
        }
        let matches =
            predicate.evaluate(&without_columns(1)?, &RowPositions::Unasked, None)?.true_count() == 1;
        Ok(if matches { Self::All } else { Self::None })
    }
}

impl RowPredicate {
    fn new(
        whole: &Arc<BoundExpr>,
        projection: Projection,
        columns: &Schema,
        file: &FileFields,
        constants: &FileConstants,
    ) -> Self {
        let expr = match constants.origin() {
            Some(_) if names_metadata(columns) => Arc::new(whole.without_columns(is_requested)),
            _ => Arc::clone(whole),
        };
        let stores_ids = file.has_ids && file.fields.iter().any(|field| field.id == Some(ROW_ID));
        let fallback = constants.origin().filter(|_| !stores_ids).and_then(|origin| origin.inherited(ROW_ID));
        let first_row_id = match fallback {
            Some(Fallback::AndPosition(first)) => Some(first),
            _ => None,
        };
        Self { expr, whole: Arc::clone(whole), projection, first_row_id }
    }

    /// Does it test positions, or columns computed from them?
    pub fn needs_positions(&self) -> bool {
        self.projection.needs_positions()
    }

    /// May a row at these positions match?
    pub fn may_match_at(&self, rows: Range<u64>) -> bool {
        !self.needs_positions()
            || may_match(&self.whole, &PositionStats { rows, first_row_id: self.first_row_id })
    }

    /// Which rows at these positions match, if no column of the file is tested.
    pub fn matching_at(&self, rows: Range<u64>) -> Result<BooleanBuffer> {
        let mut matching = BooleanBufferBuilder::new(0);
        let mut start = rows.start;
        while start < rows.end {
            let count = (rows.end - start).min(POSITIONS) as usize;
            let batch = without_columns(count)?;
            matching.append_buffer(self.evaluate(&batch, &RowPositions::From(start), None)?.values());
            start += count as u64;
        }
        Ok(matching.finish())
    }

    /// The leaves of the file that the filter reads.
    pub fn leaves(&self) -> &BTreeSet<usize> {
        &self.projection.leaves
    }

    /// Which rows of a decoded batch of [`Self::leaves`] match, of some of its rows; `None` is all. What is said of others means nothing.
    pub fn evaluate(
        &self,
        decoded: &RecordBatch,
        positions: &RowPositions,
        rows: Option<&BooleanBuffer>,
    ) -> Result<BooleanArray> {
        evaluate_rows(&self.whole, &self.projection.apply(decoded, positions)?, rows)
    }
}

/// A batch of rows without columns.
fn without_columns(rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(ArrowSchema::empty()), Vec::new(), &options)
        .map_err(|error| Error::internal(format!("a batch without columns cannot be made: {error}")))
}
