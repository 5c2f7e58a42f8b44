//! Which partitions hold only rows that match?
//!
//! In: a filter on columns and partition fields. Out: a filter on partition values that is true only for partitions
//! all of whose rows match.
//! Spec: Scan Planning (strict projection); Partition Transforms.
//!
//! Invariant: if a partition matches, all its rows match. A test that cannot be projected is `FALSE`.

use std::ops::ControlFlow;

use super::PartitionColumn;
use super::before_epoch::narrow;
use super::discrete::{after, before};
use super::exact::{apply_all, cut_prefix, exactly};
use super::wrapped::{apply_in_order, wrapped};
use crate::expr::{BoundExpr, BoundPredicate, Operator};
use crate::transform::Transform;
use crate::value::Value;

/// Projects a filter to partition values; the result tests partition field ids.
pub fn project_strict(expr: &BoundExpr, fields: &[PartitionColumn]) -> BoundExpr {
    expr.map_leaves(&mut |test| predicate_strict(test, fields), &|_| BoundExpr::False)
}

/// The projections of one test to all partition fields.
pub(super) fn predicate_strict(test: &BoundPredicate, fields: &[PartitionColumn]) -> BoundExpr {
    let of_column = fields.iter().filter(|field| field.source_id == test.column.id);
    BoundExpr::any_of(of_column.filter_map(|field| through(test, field)))
}

fn through(test: &BoundPredicate, field: &PartitionColumn) -> Option<BoundExpr> {
    if matches!(field.transform, Transform::Void | Transform::Unknown(_)) {
        return None;
    }
    if let ControlFlow::Break(answer) = exactly(test, field) {
        return answer;
    }
    match (test.op, &*test.literals) {
        (Operator::NotEq, [literal]) => strict(field, Operator::NotEq, vec![field.apply(literal)?]),
        (Operator::NotIn, literals) => strict(field, Operator::NotIn, apply_all(field, literals)?),
        (op, [Value::String(prefix)]) if matches!(op, Operator::StartsWith | Operator::NotStartsWith) => {
            prefix_test(op, prefix, field)
        }
        (op, [literal]) if field.transform.is_order_preserving() => {
            let test = ordered(op, literal, field)?;
            match wrapped(field, literal) {
                Some(low) if matches!(op, Operator::Gt | Operator::GtEq) => {
                    Some(BoundExpr::all_of([test, field.test(Operator::NotEq, vec![low])?]))
                }
                _ => Some(test),
            }
        }
        _ => None,
    }
}

/// Where the transform of x is below the transform of 10, x is below 10.
fn ordered(op: Operator, literal: &Value, field: &PartitionColumn) -> Option<BoundExpr> {
    let value = apply_in_order(field, literal)?;
    let is_whole = value == *literal;
    match op {
        Operator::Lt => strict(field, Operator::Lt, vec![value]),
        Operator::LtEq => {
            let next = after(literal).and_then(|literal| apply_in_order(field, &literal));
            strict(field, Operator::Lt, vec![next.unwrap_or(value)])
        }
        Operator::Gt => strict(field, Operator::Gt, vec![value]),
        Operator::GtEq => match before(literal).and_then(|literal| apply_in_order(field, &literal)) {
            Some(previous) => strict(field, Operator::Gt, vec![previous]),
            // A transformed value is never above its source: a text that is not cut is a bound itself.
            None => strict(field, if is_whole { Operator::GtEq } else { Operator::Gt }, vec![value]),
        },
        _ => None,
    }
}

fn prefix_test(op: Operator, prefix: &str, field: &PartitionColumn) -> Option<BoundExpr> {
    let (value, is_whole) = cut_prefix(field, prefix)?;
    match op {
        _ if is_whole => strict(field, op, value),
        // Another beginning is another text.
        Operator::NotStartsWith => strict(field, Operator::NotEq, value),
        _ => None,
    }
}

/// A test of the partition value that holds for old writers, too.
fn strict(field: &PartitionColumn, op: Operator, literals: Vec<Value>) -> Option<BoundExpr> {
    let (op, literals) = narrow(field, op, literals);
    field.test(op, literals)
}
