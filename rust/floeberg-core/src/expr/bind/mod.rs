//! What does a filter mean for the columns of a schema?
//!
//! In: a filter by names with raw literals, and a schema. Out: a filter by field ids with typed literals.
//! Spec: Expressions specification, Tests, Comparisons and Boolean logic.
//!
//! Invariant: the bound filter matches exactly the rows that the filter matches, in two-valued logic. Null and NaN
//! have no order and equal no literal, so `NOT (d < 5)` becomes `d >= 5 OR d IS NAN OR d IS NULL`.

mod column;
mod implied;
mod condition;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::column_test::bind_to_column;
use super::term_text::quoted;
use super::{BoundColumn, BoundExpr, Expr, Operator, Predicate, ValueExpression};
use crate::error::{Error, Result};
use crate::schema::{Schema, Type};
use crate::variant::VariantPath;

/// Binds a filter to a schema.
///
/// An exact name wins over a nested path. A set of one becomes a comparison. A literal that the column's type cannot
/// hold is folded into an equivalent test. Columns in lists and maps cannot be tested. Nested, variant, geometry,
/// geography and unrecognized columns can be tested only for null; a field of a variant by an expression that gives it a type. An expression of values is computed for no rows, so that
/// types that do not fit are found before any row is read.
///
/// Errors: `InvalidInput` for an unknown column (naming near matches), a literal that does not fit the column's type,
/// a test that the type does not have; `LimitExceeded` for a tree that is too deep; `Unsupported` for an unknown
/// transform.
pub fn bind(expr: &Expr, schema: &Schema, case_sensitive: bool) -> Result<BoundExpr> {
    expr.check_depth()?;
    Binder { schema, case_sensitive, columns: RefCell::default() }.expr(expr, false)
}

struct Binder<'a> {
    schema: &'a Schema,
    case_sensitive: bool,
    /// A long filter tests few columns.
    columns: RefCell<HashMap<String, Arc<BoundColumn>>>,
}

impl Binder<'_> {
    fn expr(&self, expr: &Expr, negated: bool) -> Result<BoundExpr> {
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
            Expr::Predicate(predicate) => match self.column(&predicate.term.name) {
                Ok(column) => bind_to_column(predicate, column, negated),
                Err(error) => self.of_variant(predicate, negated, error),
            },
            Expr::Condition(expression) => {
                condition::bind(expression, negated, &|name| self.column_or_field(name))
            }
        }
    }

    fn column(&self, name: &str) -> Result<Arc<BoundColumn>> {
        if let Some(column) = self.columns.borrow().get(name) {
            return Ok(Arc::clone(column));
        }
        let found = Arc::new(column::find(self.schema, name, self.case_sensitive)?);
        self.columns.borrow_mut().insert(name.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// The column of a name; without such a column, the field of a variant.
    fn column_or_field(&self, name: &str) -> Result<(Arc<BoundColumn>, VariantPath)> {
        let error = match self.column(name) {
            Ok(column) => return Ok((column, VariantPath::default())),
            Err(error) => error,
        };
        let points = name.rmatch_indices('.').map(|(point, _)| point);
        for point in points.filter(|point| *point > 0) {
            if let Ok(column) = self.column(&name[..point])
                && column.field_type == Type::Variant
            {
                return Ok((column, VariantPath::of_names(name[point + 1..].split('.'))));
            }
        }
        Err(error)
    }

    /// A test of a name that no column has: of a field of a variant, whether it is null. `error` is of the column.
    fn of_variant(&self, predicate: &Predicate, negated: bool, error: Error) -> Result<BoundExpr> {
        let name = &predicate.term.name;
        if self.column_or_field(name).is_err() {
            return Err(error);
        }
        if !matches!(predicate.op, Operator::IsNull | Operator::NotNull) || predicate.term.transform.is_some()
        {
            return Err(Error::invalid_input(format!(
                "{name:?} is a field of a variant, which needs a type: write CAST({name} AS BIGINT), {name}::BIGINT or \
                 VARIANT_GET(.., '$.field', 'long')"
            )));
        }
        let written = ValueExpression::parse(&format!("{} {}", quoted(name), predicate.op.sql()))?;
        condition::bind(&written, negated, &|name| self.column_or_field(name))
    }
}
