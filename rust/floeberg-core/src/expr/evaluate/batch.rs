//! Which rows of a batch match a filter?
//!
//! In: a bound filter and a batch whose fields carry their ids as `PARQUET:field_id`. Out: one bit per row, without nulls.
//! Spec: Expressions specification, Boolean logic.
//!
//! Invariant: agrees with [`super::evaluate_row`] on every row. Of an AND, and of an OR, the tests of columns come first: an expression of
//! values is computed only for the rows that they do not decide.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;

use super::condition;
use crate::error::Result;
use crate::expr::BoundExpr;
use crate::expr::column_test::{ColumnArray, mask};

/// Evaluates a filter over a batch.
///
/// Columns are found by field id along [`crate::expr::BoundColumn::path`]; a null parent makes its children null.
/// Large, view, dictionary and narrower forms are taken too.
///
/// Errors: `InvalidInput` for a column that the batch does not have, and for an expression of values that cannot be computed, such as a
/// division by zero; `InvalidData` for a column of a type that can not be compared with the table's.
pub fn evaluate_batch(expr: &BoundExpr, batch: &RecordBatch) -> Result<BooleanArray> {
    evaluate_rows(expr, batch, None)
}

/// Evaluates a filter over some rows of a batch; `None` is all. What is said of the other rows means nothing.
///
/// Errors: those of [`evaluate_batch`], for these rows.
pub fn evaluate_rows(
    expr: &BoundExpr,
    batch: &RecordBatch,
    rows: Option<&BooleanBuffer>,
) -> Result<BooleanArray> {
    let mut evaluation = Evaluation { batch, columns: HashMap::new() };
    let found = if expr.computes() { evaluation.in_order(expr, rows)? } else { evaluation.expr(expr)? };
    Ok(BooleanArray::new(found, None))
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
            BoundExpr::Condition(found) => condition::matching(found, self.batch, None),
        }
    }

    /// A filter with expressions of values, among some rows. The bits of other rows mean nothing.
    fn in_order(&mut self, expr: &BoundExpr, among: Option<&BooleanBuffer>) -> Result<BooleanBuffer> {
        let rows = self.batch.num_rows();
        match expr {
            BoundExpr::And(children) => {
                let mut left = among.cloned().unwrap_or_else(|| BooleanBuffer::new_set(rows));
                for child in tests_first(children) {
                    if left.count_set_bits() == 0 {
                        break;
                    }
                    left = &left & &self.child(child, &left)?;
                }
                Ok(left)
            }
            BoundExpr::Or(children) => {
                let mut open = among.cloned().unwrap_or_else(|| BooleanBuffer::new_set(rows));
                let mut any = BooleanBuffer::new_unset(rows);
                for child in tests_first(children) {
                    if open.count_set_bits() == 0 {
                        break;
                    }
                    let found = &open & &self.child(child, &open)?;
                    any = &any | &found;
                    open = &open & &!&found;
                }
                Ok(any)
            }
            BoundExpr::Condition(found) => condition::matching(found, self.batch, among),
            BoundExpr::True | BoundExpr::False | BoundExpr::Predicate(_) => self.expr(expr),
        }
    }

    fn child(&mut self, child: &BoundExpr, among: &BooleanBuffer) -> Result<BooleanBuffer> {
        if child.computes() { self.in_order(child, Some(among)) } else { self.expr(child) }
    }
}

/// The parts of an AND or an OR in the order in which they are evaluated.
pub(super) fn tests_first(children: &[BoundExpr]) -> impl Iterator<Item = &BoundExpr> {
    let (computed, tests): (Vec<_>, Vec<_>) = children.iter().partition(|child| child.computes());
    tests.into_iter().chain(computed)
}
