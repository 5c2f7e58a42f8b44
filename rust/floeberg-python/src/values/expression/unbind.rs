//! What does a bound filter say in names again?
//!
//! Invariant: bound to the same schema again, it means the same.

use floeberg_core::expr::{BoundExpr, BoundPredicate, Expr, Predicate, RawLiteral, Term};

/// A bound filter with names for columns; its literals keep their types.
pub fn unbind(bound: &BoundExpr) -> Expr {
    match bound {
        BoundExpr::True => Expr::True,
        BoundExpr::False => Expr::False,
        BoundExpr::And(children) => Expr::And(children.iter().map(unbind).collect()),
        BoundExpr::Or(children) => Expr::Or(children.iter().map(unbind).collect()),
        BoundExpr::Predicate(test) => Expr::Predicate(unbind_test(test)),
    }
}

fn unbind_test(test: &BoundPredicate) -> Predicate {
    Predicate {
        op: test.op,
        term: Term { name: test.column.name.clone(), transform: test.transform.clone() },
        literals: test.literals.iter().cloned().map(RawLiteral::Typed).collect(),
    }
}
