//! Which partitions hold times before 1970 that an old writer put one too high?
//!
//! Early writers divided toward zero, but the specification floors: an hour of -1 may be written as 0. So the projection of a
//! value below zero allows the next value too.
//!
//! Invariant: projections are sound for the values of both kinds of writers. Values of zero and above are exact.

use crate::expr::Operator;
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::Value;

use super::PartitionColumn;
use super::discrete::after;

/// May the values of a field below zero be one too high?
fn may_be_high(field: &PartitionColumn) -> bool {
    match field.transform {
        Transform::Year | Transform::Month | Transform::Hour => true,
        Transform::Day => field.source_type != Type::Primitive(PrimitiveType::Date),
        _ => false,
    }
}

/// The test of an inclusive projection, widened.
pub(super) fn widen(field: &PartitionColumn, op: Operator, literals: Vec<Value>) -> (Operator, Vec<Value>) {
    match op {
        Operator::Lt | Operator::LtEq => raised(field, op, literals),
        Operator::Eq | Operator::In => doubled(field, op, Operator::In, literals),
        _ => (op, literals),
    }
}

/// The test of a strict projection, narrowed.
pub(super) fn narrow(field: &PartitionColumn, op: Operator, literals: Vec<Value>) -> (Operator, Vec<Value>) {
    match op {
        Operator::Gt | Operator::GtEq => raised(field, op, literals),
        Operator::NotEq | Operator::NotIn => doubled(field, op, Operator::NotIn, literals),
        _ => (op, literals),
    }
}

fn raised(field: &PartitionColumn, op: Operator, literals: Vec<Value>) -> (Operator, Vec<Value>) {
    let raise = |literal| next_of_negative(field, &literal).unwrap_or(literal);
    (op, literals.into_iter().map(raise).collect())
}

fn doubled(
    field: &PartitionColumn,
    op: Operator,
    set: Operator,
    mut literals: Vec<Value>,
) -> (Operator, Vec<Value>) {
    let next: Vec<Value> = literals.iter().filter_map(|literal| next_of_negative(field, literal)).collect();
    if next.is_empty() {
        return (op, literals);
    }
    literals.extend(next);
    (set, literals)
}

fn next_of_negative(field: &PartitionColumn, literal: &Value) -> Option<Value> {
    let negative = matches!(literal, Value::Int(value) | Value::Date(value) if *value < 0);
    if negative && may_be_high(field) { after(literal) } else { None }
}
