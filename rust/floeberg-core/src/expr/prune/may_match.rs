//! Can a set of rows hold one that a filter wants?
//!
//! In: a bound filter and the statistics of the rows. Out: false only if no row can match.
//! Spec: Scan Planning; Data File Fields.
//!
//! Invariant: false is proven. What is not known, or not in order, may match.

use std::cmp::Ordering;

use super::bounds::Bounds;
use super::mismatch::MismatchReason;
use crate::expr::{BoundExpr, BoundPredicate, Operator, Share, Stats};
use crate::schema::{PrimitiveType, Type};
use crate::value::Value;

/// Can any of the rows match?
pub fn may_match(expr: &BoundExpr, stats: &dyn Stats) -> bool {
    match expr {
        BoundExpr::True => true,
        BoundExpr::False => false,
        BoundExpr::And(children) => children.iter().all(|child| may_match(child, stats)),
        BoundExpr::Or(children) => children.iter().any(|child| may_match(child, stats)),
        BoundExpr::Predicate(test) => excluded(test, stats).is_none(),
    }
}

/// What proves that no row passes a test, if anything does.
pub(super) fn excluded(test: &BoundPredicate, stats: &dyn Stats) -> Option<MismatchReason> {
    let bounds = Bounds::of(test, stats);
    let (nulls, nans) = (bounds.stats.nulls, bounds.stats.nans);
    let because = |proven: bool, reason: MismatchReason| proven.then_some(reason);
    if nulls == Share::All {
        return because(!test.op.holds_for_null(), MismatchReason::NullCount);
    }
    match (test.op, &*test.literals) {
        (Operator::IsNull, _) => because(nulls == Share::None, MismatchReason::NullCount),
        (Operator::NotNull, _) => None,
        (Operator::IsNan, _) => because(nans == Share::None, MismatchReason::NanCount),
        (Operator::NotNan, _) => because(nans == Share::All, MismatchReason::NanCount),
        (Operator::NotEq | Operator::NotIn, literals) => {
            let only = bounds.only_value(&test.column.field_type).filter(|_| all_are_values(test, &bounds));
            because(only.is_some_and(|only| contains(literals, only)), MismatchReason::Bounds)
        }
        (Operator::NotStartsWith, [Value::String(prefix)]) => {
            because(all_are_values(test, &bounds) && bounds.share_prefix(prefix), MismatchReason::Bounds)
        }
        _ if nans == Share::All => Some(MismatchReason::NanCount),
        (op, [literal]) => because(no_value_passes(op, literal, &bounds), MismatchReason::Bounds),
        (Operator::In, literals) => because(bounds.exclude_all(literals), MismatchReason::Bounds),
        _ => None,
    }
}

fn no_value_passes(op: Operator, literal: &Value, bounds: &Bounds) -> bool {
    match (op, literal) {
        (Operator::Eq, _) => bounds.exclude(literal),
        (Operator::Lt, _) => bounds.lower_to(literal).is_some_and(Ordering::is_ge),
        (Operator::LtEq, _) => bounds.lower_to(literal).is_some_and(Ordering::is_gt),
        (Operator::Gt, _) => bounds.upper_to(literal).is_some_and(Ordering::is_le),
        (Operator::GtEq, _) => bounds.upper_to(literal).is_some_and(Ordering::is_lt),
        (Operator::StartsWith, Value::String(prefix)) => bounds.exclude_prefix(prefix),
        _ => false,
    }
}

/// Is no row null or NaN, so that the bounds speak of all?
pub(super) fn all_are_values(test: &BoundPredicate, bounds: &Bounds) -> bool {
    bounds.stats.nulls == Share::None
        && (bounds.stats.nans == Share::None || !is_float(&test.column.field_type))
}

/// Can values of a type be NaN?
pub(super) fn is_float(field_type: &Type) -> bool {
    matches!(field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double))
}

/// Is a value in a sorted set?
pub(super) fn contains(literals: &[Value], value: &Value) -> bool {
    literals
        .binary_search_by(|literal| crate::value::ordering::compare(literal, value).unwrap_or(Ordering::Less))
        .is_ok()
}
