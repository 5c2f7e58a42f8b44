//! Which tests have the same result on a partition value as on the column itself?
//!
//! In: a test and a partition field of its column. Out: the test of the partition value, if no rule of a transform is
//! needed: tests for null, the column's own value, and the very transform that the field has.
//! Spec: Partition Transforms.
//!
//! Invariant: results here are exact, so inclusive and strict projections are the same.

use std::ops::ControlFlow;

use super::PartitionColumn;
use crate::expr::{BoundExpr, BoundPredicate, Operator};
use crate::transform::Transform;
use crate::value::Value;

/// Breaks with the test of the partition value, or with `None` without one. Continues if the transform decides.
pub(super) fn exactly(test: &BoundPredicate, field: &PartitionColumn) -> ControlFlow<Option<BoundExpr>> {
    if matches!(test.op, Operator::IsNull | Operator::NotNull) {
        return ControlFlow::Break(field.test(test.op, Vec::new()));
    }
    if test.transform.as_ref() == Some(&field.transform)
        || test.transform.is_none() && field.transform == Transform::Identity
    {
        return ControlFlow::Break(field.test(test.op, test.literals.to_vec()));
    }
    if test.transform.is_some() { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
}

/// The partition values of all literals; `None` if one has none.
pub(super) fn apply_all(field: &PartitionColumn, literals: &[Value]) -> Option<Vec<Value>> {
    literals.iter().map(|literal| field.apply(literal)).collect()
}

/// A prefix, cut as the texts of the column are, and whether it is short enough to be seen whole.
pub(super) fn cut_prefix(field: &PartitionColumn, prefix: &str) -> Option<(Vec<Value>, bool)> {
    let Transform::Truncate(width) = field.transform else { return None };
    let is_whole = prefix.chars().count() <= width as usize;
    Some((vec![field.apply(&Value::String(prefix.to_owned()))?], is_whole))
}
