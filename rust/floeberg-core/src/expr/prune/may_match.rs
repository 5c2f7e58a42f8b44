//! Can a set of rows have a matching row?
//!
//! In: a bound filter and the statistics of the rows. Out: false only if no row can match.
//! Spec: Scan Planning; Data File Fields.
//!
//! Invariant: false is proven. Unknown or unordered values may match.

use std::cmp::Ordering;

use super::bounds::Bounds;
use super::known::Known;
use super::mismatch_reason::MismatchReason;
use crate::expr::{BoundCondition, BoundExpr, BoundPredicate, ColumnStats, Implied, Operator, Share, Stats};
use crate::schema::{PrimitiveType, Type};

/// Can any of the rows match?
pub fn may_match(expr: &BoundExpr, stats: &dyn Stats) -> bool {
    match expr {
        BoundExpr::True => true,
        BoundExpr::False => false,
        BoundExpr::And(children) => children.iter().all(|child| may_match(child, stats)),
        BoundExpr::Or(children) => children.iter().any(|child| may_match(child, stats)),
        BoundExpr::Predicate(test) => excluded(test, stats).is_none(),
        BoundExpr::Condition(condition) => !is_ruled_out(condition, stats),
    }
}

/// Do the tests that a condition implies rule out every row? Rows of its opposite need not pass them.
pub(super) fn is_ruled_out(condition: &BoundCondition, stats: &dyn Stats) -> bool {
    !condition.negated && condition.implied.iter().any(|test| is_impossible(test, stats))
}

fn is_impossible(test: &Implied, stats: &dyn Stats) -> bool {
    match test {
        Implied::Field(test) => {
            let found = stats.variant_field(&test.field);
            !may_match(&test.expr, &OneColumn(found))
        }
    }
}

/// The statistics of the only column that there is.
struct OneColumn(ColumnStats);

impl Stats for OneColumn {
    fn column(&self, _id: i32, _field_type: &Type) -> ColumnStats {
        self.0.clone()
    }
}

/// What proves that no row passes a test, if anything does.
pub(super) fn excluded(test: &BoundPredicate, stats: &dyn Stats) -> Option<MismatchReason> {
    excluded_by(test, &test.literals, &Bounds::of(test, stats))
}

/// What proves that no row passes a test, whose literals are given in the form of what is known of the rows.
#[inline]
pub(super) fn excluded_by<L>(
    test: &BoundPredicate,
    literals: &[L],
    known: &impl Known<L>,
) -> Option<MismatchReason> {
    let field_type = &test.column.field_type;
    let (nulls, nans) = (known.nulls(), known.nans());
    let because = |proven: bool, reason: MismatchReason| proven.then_some(reason);
    if nulls == Share::All {
        return because(!test.op.holds_for_null(), MismatchReason::NullCount);
    }
    match (test.op, literals) {
        (Operator::IsNull, _) => because(nulls == Share::None, MismatchReason::NullCount),
        (Operator::NotNull, _) => None,
        (Operator::IsNan, _) => because(nans == Share::None, MismatchReason::NanCount),
        (Operator::NotNan, _) => because(nans == Share::All, MismatchReason::NanCount),
        (Operator::NotEq | Operator::NotIn, literals) => {
            let none = all_are_values(field_type, known) && known.are_one_of(literals);
            because(none, MismatchReason::Bounds)
        }
        (Operator::NotStartsWith, [prefix]) => {
            because(all_are_values(field_type, known) && known.share_prefix(prefix), MismatchReason::Bounds)
        }
        _ if nans == Share::All => Some(MismatchReason::NanCount),
        (op, [literal]) => because(no_value_passes(op, literal, known), MismatchReason::Bounds),
        (Operator::In, literals) => because(known.exclude_all(literals), MismatchReason::Bounds),
        _ => None,
    }
}

fn no_value_passes<L>(op: Operator, literal: &L, known: &impl Known<L>) -> bool {
    match op {
        Operator::Eq => known.exclude(literal),
        Operator::Lt => known.lower_to(literal).is_some_and(Ordering::is_ge),
        Operator::LtEq => known.lower_to(literal).is_some_and(Ordering::is_gt),
        Operator::Gt => known.upper_to(literal).is_some_and(Ordering::is_le),
        Operator::GtEq => known.upper_to(literal).is_some_and(Ordering::is_lt),
        Operator::StartsWith => known.exclude_prefix(literal),
        _ => false,
    }
}

/// Is no row null or NaN, so that the bounds speak of all?
pub(super) fn all_are_values<L>(field_type: &Type, known: &impl Known<L>) -> bool {
    known.nulls() == Share::None && (known.nans() == Share::None || !is_float(field_type))
}

/// Can values of a type be NaN?
pub(super) fn is_float(field_type: &Type) -> bool {
    matches!(field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double))
}
