//! Which rows of a batch match a filter?
//!
//! In: a bound filter and a batch whose fields carry their ids as `PARQUET:field_id`. Out: one bit per row, without nulls.
//! Spec: Expressions specification, Boolean logic.
//!
//! Invariant: agrees with [`super::evaluate_row`] on every row.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;

use super::column_array::ColumnArray;
use super::mask::mask;
use crate::error::Result;
use crate::expr::BoundExpr;

/// Evaluates a filter over a batch.
///
/// Columns are found by field id along [`crate::expr::BoundColumn::path`]; a null parent makes its children null.
/// Large, view, dictionary and narrower forms are taken too.
///
/// Errors: `InvalidInput` for a column that the batch does not have, `InvalidData` for one of a type that can not be
/// compared with the column's.
pub fn evaluate_batch(expr: &BoundExpr, batch: &RecordBatch) -> Result<BooleanArray> {
    let mut evaluation = Evaluation { batch, columns: HashMap::new() };
    Ok(BooleanArray::new(evaluation.expr(expr)?, None))
}

struct Evaluation<'a> {
    batch: &'a RecordBatch,
    /// A long filter tests few columns.
    columns: HashMap<i32, ColumnArray>,
}

impl Evaluation<'_> {
    fn expr(&mut self, expr: &BoundExpr) -> Result<BooleanBuffer> {
        let rows = self.batch.num_rows();
        match expr {
            BoundExpr::True => Ok(BooleanBuffer::new_set(rows)),
            BoundExpr::False => Ok(BooleanBuffer::new_unset(rows)),
            BoundExpr::And(children) => {
                let mut all = BooleanBuffer::new_set(rows);
                for child in children {
                    all = &all & &self.expr(child)?;
                    if all.count_set_bits() == 0 {
                        break;
                    }
                }
                Ok(all)
            }
            BoundExpr::Or(children) => {
                let mut any = BooleanBuffer::new_unset(rows);
                for child in children {
                    any = &any | &self.expr(child)?;
                    if any.count_set_bits() == rows {
                        break;
                    }
                }
                Ok(any)
            }
            BoundExpr::Predicate(test) => {
                let column = match self.columns.entry(test.column.id) {
                    Entry::Occupied(found) => found.into_mut(),
                    Entry::Vacant(place) => place.insert(ColumnArray::find(self.batch, &test.column)?),
                };
                mask(test, column)
            }
        }
    }
}
