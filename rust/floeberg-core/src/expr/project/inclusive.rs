//! Which partitions can hold a row that matches?
//!
//! In: a filter on columns and partition fields. Out: a filter on partition values that is true for the partition of
//! every row that matches.
//! Spec: Scan Planning (inclusive projection); Partition Transforms.
//!
//! Invariant: if a row matches, its partition matches. A test that cannot be projected is `TRUE`.

use std::ops::ControlFlow;

use super::PartitionColumn;
use super::before_epoch::widen;
use super::discrete::{after, before};
use super::exact::{apply_all, cut_prefix, exactly};
use super::wrapped::{apply_in_order, wrapped};
use crate::expr::{BoundExpr, BoundPredicate, Operator};
use crate::transform::Transform;
use crate::value::Value;

/// Projects a filter to partition values; the result tests partition field ids.
pub fn project_inclusive(expr: &BoundExpr, fields: &[PartitionColumn]) -> BoundExpr {
    expr.map_leaves(&mut |test| predicate_inclusive(test, fields), &|_| BoundExpr::True)
}

/// The projections of one test to all partition fields.
pub(super) fn predicate_inclusive(test: &BoundPredicate, fields: &[PartitionColumn]) -> BoundExpr {
    let of_column = fields.iter().filter(|field| field.source_id == test.column.id);
    BoundExpr::all_of(of_column.filter_map(|field| through(test, field)))
}

fn through(test: &BoundPredicate, field: &PartitionColumn) -> Option<BoundExpr> {
    if matches!(field.transform, Transform::Void | Transform::Unknown(_)) {
        return None;
    }
    // Every transform gives null for null and nothing else: what no null passes needs a partition value.
    precisely(test, field)
        .or_else(|| if test.op.holds_for_null() { None } else { field.test(Operator::NotNull, Vec::new()) })
}

fn precisely(test: &BoundPredicate, field: &PartitionColumn) -> Option<BoundExpr> {
    if let ControlFlow::Break(answer) = exactly(test, field) {
        return answer;
    }
    match (test.op, &*test.literals) {
        (Operator::Eq, [literal]) => inclusive(field, Operator::Eq, vec![field.apply(literal)?]),
        (Operator::In, literals) => inclusive(field, Operator::In, apply_all(field, literals)?),
        (op, [Value::String(prefix)]) if matches!(op, Operator::StartsWith | Operator::NotStartsWith) => {
            prefix_test(op, prefix, field)
        }
        (op, [literal]) if field.transform.is_order_preserving() => {
            let test = ordered(op, literal, field)?;
            match wrapped(field, literal) {
                Some(low) if matches!(op, Operator::Lt | Operator::LtEq) => {
                    Some(BoundExpr::any_of([test, field.test(Operator::Eq, vec![low])?]))
                }
                _ => Some(test),
            }
        }
        _ => None,
    }
}

/// `x < 10` holds only where the transform of x is at most the transform of 9.
fn ordered(op: Operator, literal: &Value, field: &PartitionColumn) -> Option<BoundExpr> {
    match op {
        Operator::Lt => {
            if let Some(value) = before(literal).and_then(|literal| apply_in_order(field, &literal)) {
                return inclusive(field, Operator::LtEq, vec![value]);
            }
            let value = apply_in_order(field, literal)?;
            // The string is not truncated: smaller values have smaller transforms.
            let op = if value == *literal { Operator::Lt } else { Operator::LtEq };
            inclusive(field, op, vec![value])
        }
        Operator::LtEq => inclusive(field, Operator::LtEq, vec![apply_in_order(field, literal)?]),
        Operator::Gt => {
            let value = after(literal)
                .and_then(|literal| apply_in_order(field, &literal))
                .or_else(|| apply_in_order(field, literal));
            inclusive(field, Operator::GtEq, vec![value?])
        }
        Operator::GtEq => inclusive(field, Operator::GtEq, vec![apply_in_order(field, literal)?]),
        _ => None,
    }
}

/// A text is cut to a number of code points: a prefix no longer than that is seen whole.
fn prefix_test(op: Operator, prefix: &str, field: &PartitionColumn) -> Option<BoundExpr> {
    let (value, is_whole) = cut_prefix(field, prefix)?;
    match op {
        _ if is_whole => inclusive(field, op, value),
        Operator::StartsWith => inclusive(field, Operator::Eq, value),
        _ => None,
    }
}

/// A test of the partition value that holds for old writers, too.
fn inclusive(field: &PartitionColumn, op: Operator, literals: Vec<Value>) -> Option<BoundExpr> {
    let (op, literals) = widen(field, op, literals);
    field.test(op, literals)
}
