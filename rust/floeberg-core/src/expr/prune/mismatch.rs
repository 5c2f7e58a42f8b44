//! Which test ruled out a set of rows, and why?

use super::may_match::{excluded, is_ruled_out, may_match};
use super::mismatch_reason::MismatchReason;
use crate::expr::{BoundExpr, Stats};

/// The test that no row passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The full name of the column; empty for a filter that is false for every row.
    pub column: String,
    /// What proves it.
    pub reason: MismatchReason,
    /// The test, as SQL text.
    pub predicate: String,
}

/// Why no row can match; `None` if one may.
///
/// Of several tests that exclude the rows, the first is named. If every alternative of an `OR` is excluded, the first
/// one is named, with the whole `OR` as text.
pub fn explain_mismatch(expr: &BoundExpr, stats: &dyn Stats) -> Option<Mismatch> {
    match expr {
        BoundExpr::True => None,
        BoundExpr::Condition(condition) => is_ruled_out(condition, stats).then(|| Mismatch {
            column: condition.columns.first().map(|each| each.column.name.clone()).unwrap_or_default(),
            reason: MismatchReason::Bounds,
            predicate: condition.to_string(),
        }),
        BoundExpr::False => Some(Mismatch {
            column: String::new(),
            reason: MismatchReason::Never,
            predicate: expr.to_string(),
        }),
        BoundExpr::And(children) => children.iter().find_map(|child| explain_mismatch(child, stats)),
        BoundExpr::Or(children) => {
            let first = explain_mismatch(children.first()?, stats)?;
            let none = children[1..].iter().all(|child| !may_match(child, stats));
            none.then(|| Mismatch { predicate: expr.to_string(), ..first })
        }
        BoundExpr::Predicate(test) => excluded(test, stats).map(|reason| Mismatch {
            column: test.column.name.clone(),
            reason,
            predicate: test.to_string(),
        }),
    }
}
