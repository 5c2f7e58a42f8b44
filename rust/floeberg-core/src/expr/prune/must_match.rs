//! Do all rows of a set match a filter?
//!
//! In: a bound filter and the statistics of the rows. Out: true only if every row matches.
//!
//! Invariant: true is proven. Nothing is proven for nested columns, because writers count the nulls of parents
//! differently.

use std::cmp::Ordering;

use super::bounds::Bounds;
use super::known::Known;
use super::may_match::all_are_values;
use crate::expr::{BoundExpr, BoundPredicate, Operator, Share, Stats};

/// Must every row match?
pub fn must_match(expr: &BoundExpr, stats: &dyn Stats) -> bool {
    match expr {
        BoundExpr::True => true,
        BoundExpr::False => false,
        BoundExpr::And(children) => children.iter().all(|child| must_match(child, stats)),
        BoundExpr::Or(children) => children.iter().any(|child| must_match(child, stats)),
        BoundExpr::Predicate(test) => all_pass(test, stats),
        BoundExpr::Condition(_) => false,
    }
}

/// Do all rows pass a test?
pub(super) fn all_pass(test: &BoundPredicate, stats: &dyn Stats) -> bool {
    all_pass_by(test, &test.literals, &Bounds::of(test, stats))
}

/// Do all rows pass a test, whose literals are given in the form of what is known of the rows?
#[inline]
pub(super) fn all_pass_by<L>(test: &BoundPredicate, literals: &[L], known: &impl Known<L>) -> bool {
    if test.column.path.len() > 1 {
        return false;
    }
    let (nulls, nans) = (known.nulls(), known.nans());
    if nulls == Share::All {
        return test.op.holds_for_null();
    }
    match (test.op, literals) {
        (Operator::IsNull, _) => false,
        (Operator::NotNull, _) => nulls == Share::None,
        (Operator::IsNan, _) => nans == Share::All,
        (Operator::NotNan, _) => nans == Share::None,
        (Operator::NotEq, [literal]) => nans == Share::All || known.exclude(literal),
        (Operator::NotIn, literals) => {
            nans == Share::All || literals.iter().all(|literal| known.exclude(literal))
        }
        (Operator::NotStartsWith, [prefix]) => known.exclude_prefix(prefix),
        (op, literals) if all_are_values(&test.column.field_type, known) => {
            all_values_pass(op, literals, known)
        }
        _ => false,
    }
}

fn all_values_pass<L>(op: Operator, literals: &[L], known: &impl Known<L>) -> bool {
    match (op, literals) {
        (Operator::Eq | Operator::In, literals) => known.are_one_of(literals),
        (Operator::Lt, [literal]) => known.upper_to(literal).is_some_and(Ordering::is_lt),
        (Operator::LtEq, [literal]) => known.upper_to(literal).is_some_and(Ordering::is_le),
        (Operator::Gt, [literal]) => known.lower_to(literal).is_some_and(Ordering::is_gt),
        (Operator::GtEq, [literal]) => known.lower_to(literal).is_some_and(Ordering::is_ge),
        (Operator::StartsWith, [prefix]) => known.share_prefix(prefix),
        _ => false,
    }
}
