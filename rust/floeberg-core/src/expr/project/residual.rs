//! What is left to ask of the rows of one partition?
//!
//! In: a filter, the partition fields and one partition's values. Out: the filter without the tests that the partition
//! answers.
//! Spec: Scan Planning.
//!
//! Invariant: for every row of the partition the residual and the filter agree.

use super::PartitionColumn;
use super::inclusive::predicate_inclusive;
use super::strict::predicate_strict;
use crate::expr::{BoundExpr, evaluate_row};
use crate::value::Value;

/// The residual of a filter in a partition; `partition` holds the values of `fields`, in their order.
///
/// A test that a partition value can not answer, or answers with an error, stays.
pub fn residual(expr: &BoundExpr, fields: &[PartitionColumn], partition: &[Option<Value>]) -> BoundExpr {
    let value = |id: i32| {
        fields
            .iter()
            .position(|field| field.field_id == id)
            .and_then(|at| partition.get(at).cloned().flatten())
    };
    // A field without a value in the tuple would read as null.
    let fields = &fields[..fields.len().min(partition.len())];
    expr.map_predicates(&mut |test| {
        if evaluate_row(&predicate_strict(test, fields), &value).unwrap_or(false) {
            BoundExpr::True
        } else if evaluate_row(&predicate_inclusive(test, fields), &value).unwrap_or(true) {
            BoundExpr::Predicate(test.clone())
        } else {
            BoundExpr::False
        }
    })
}
