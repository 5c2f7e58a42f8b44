//! What does a filter mean for the columns of a schema?
//!
//! In: a filter by names with raw literals, and a schema. Out: a filter by field ids with typed literals.
//! Spec: Expressions specification, Tests, Comparisons and Boolean logic.
//!
//! Invariant: the bound filter matches exactly the rows that the filter matches, in two-valued logic. Null and NaN
//! have no order and equal no literal, so `NOT (d < 5)` becomes `d >= 5 OR d IS NAN OR d IS NULL`.

mod column;
mod condition;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use super::column_test::bind_to_column;
use super::{BoundColumn, BoundExpr, Expr};
use crate::error::Result;
use crate::schema::Schema;

/// Binds a filter to a schema.
///
/// An exact name wins over a nested path. A set of one becomes a comparison. A literal that the column's type cannot
/// hold is folded into an equivalent test. Columns in lists and maps cannot be tested. Nested, variant, geometry,
/// geography and unrecognized columns can be tested only for null. An expression of values is computed for no rows, so that
/// types that do not fit are found before any row is read.
///
/// Errors: `InvalidInput` for an unknown column (naming near matches), a literal that does not fit the column's type,
/// a test that the type does not have; `LimitExceeded` for a tree that is too deep; `Unsupported` for an unknown
/// transform.
pub fn bind(expr: &Expr, schema: &Schema, case_sensitive: bool) -> Result<BoundExpr> {
    expr.check_depth()?;
    Binder { schema, case_sensitive, columns: HashMap::new() }.expr(expr, false)
}

struct Binder<'a> {
    schema: &'a Schema,
    case_sensitive: bool,
    /// A long filter tests few columns.
    columns: HashMap<&'a str, Arc<BoundColumn>>,
}

impl<'a> Binder<'a> {
    fn expr(&mut self, expr: &'a Expr, negated: bool) -> Result<BoundExpr> {
        match expr {
            Expr::True => Ok(if negated { BoundExpr::False } else { BoundExpr::True }),
            Expr::False => Ok(if negated { BoundExpr::True } else { BoundExpr::False }),
            Expr::Not(inner) => self.expr(inner, !negated),
            Expr::And(children) | Expr::Or(children) => {
                let children: Vec<_> =
                    children.iter().map(|child| self.expr(child, negated)).collect::<Result<_>>()?;
                let all = matches!(expr, Expr::And(_)) != negated;
                Ok(if all { BoundExpr::all_of(children) } else { BoundExpr::any_of(children) })
            }
            Expr::Predicate(predicate) => {
                let column = self.column(&predicate.term.name)?;
                bind_to_column(predicate, column, negated)
            }
            Expr::Condition(expression) => {
                condition::bind(expression, negated, &mut |name| self.column(name))
            }
        }
    }

    fn column(&mut self, name: &'a str) -> Result<Arc<BoundColumn>> {
        if let Some(column) = self.columns.get(name) {
            return Ok(Arc::clone(column));
        }
        let found = Arc::new(column::find(self.schema, name, self.case_sensitive)?);
        self.columns.insert(name, Arc::clone(&found));
        Ok(found)
    }
}
