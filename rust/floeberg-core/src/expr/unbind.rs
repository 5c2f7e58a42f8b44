//! What does a bound filter say in names again?
//!
//! Invariant: bound to the same schema again, it means the same.

use super::{BoundCondition, BoundExpr, BoundPredicate, Expr, Predicate, RawLiteral, Term};

/// A bound filter with names for columns; its literals keep their types.
pub fn unbind(bound: &BoundExpr) -> Expr {
    match bound {
        BoundExpr::True => Expr::True,
        BoundExpr::False => Expr::False,
        BoundExpr::And(children) => Expr::And(children.iter().map(unbind).collect()),
        BoundExpr::Or(children) => Expr::Or(children.iter().map(unbind).collect()),
        BoundExpr::Predicate(test) => Expr::Predicate(unbind_test(test)),
        BoundExpr::Condition(condition) => unbind_condition(condition),
    }
}

/// The expression, with the full names of its columns.
fn unbind_condition(condition: &BoundCondition) -> Expr {
    let name = |written: &str| {
        let found = condition.columns.iter().find(|each| each.name == written);
        Ok(found.map_or_else(
            || written.to_owned(),
            |each| {
                let names = each.inside.names().unwrap_or_default();
                std::iter::once(each.column.name.as_str()).chain(names).collect::<Vec<_>>().join(".")
            },
        ))
    };
    // Names alone change, so that the text is read as before.
    let expression = condition.expression.with_names(&name).unwrap_or_else(|_| condition.expression.clone());
    let expr = Expr::Condition(expression);
    if condition.negated { Expr::Not(Box::new(expr)) } else { expr }
}

fn unbind_test(test: &BoundPredicate) -> Predicate {
    Predicate {
        op: test.op,
        term: Term { name: test.column.name.clone(), transform: test.transform.clone() },
        literals: test.literals.iter().cloned().map(RawLiteral::Typed).collect(),
    }
}
