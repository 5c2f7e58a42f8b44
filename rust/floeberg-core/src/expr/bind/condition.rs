//! What does an expression of values mean, once the types of its columns are known?
//!
//! In: an expression, and a function that finds columns. Out: a condition over columns, or a constant.
//!
//! Invariant: it is computed for no rows, so that types that do not fit are errors before any row is read. An expression without columns is
//! computed once.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::DataType;

use super::implied::implied;
use crate::error::{Error, Result};
use crate::expr::term_text::quoted_text;
use crate::expr::{BoundColumn, BoundCondition, BoundExpr, ConditionColumn, ValueExpression};
use crate::schema::Type;
use crate::schema::arrow::type_to_arrow;
use crate::variant::VariantPath;

/// Finds a column by its name, with the path into a variant.
type FindColumn<'a> = dyn Fn(&str) -> Result<(Arc<BoundColumn>, VariantPath)> + 'a;

/// The rows for which an expression is true; with `negated`, all others.
///
/// Errors: those of finding a column; `InvalidInput` for types that do not fit, and for values that are no condition.
pub(super) fn bind(expression: &ValueExpression, negated: bool, find: &FindColumn<'_>) -> Result<BoundExpr> {
    let names = expression.columns();
    let columns: Vec<_> = names
        .into_iter()
        .map(|name| {
            let (column, inside) = find(name).map_err(|error| maybe_text(expression, name, error))?;
            let data_type = computed_type(&column, name, expression)?;
            Ok(ConditionColumn { name: name.to_owned(), column, data_type, inside })
        })
        .collect::<Result<_>>()?;
    let empty: HashMap<String, ArrayRef> =
        columns.iter().map(|each| (each.name.clone(), new_empty_array(&each.data_type))).collect();
    let rows = usize::from(columns.is_empty());
    let answers = expression.evaluate(&empty, rows)?;
    let constant = |holds: bool| if holds == negated { BoundExpr::False } else { BoundExpr::True };
    match answers.data_type() {
        DataType::Null => Ok(constant(false)),
        DataType::Boolean if rows == 1 => Ok(constant(answers.is_valid(0) && answers.as_boolean().value(0))),
        DataType::Boolean => Ok(BoundExpr::Condition(BoundCondition {
            expression: expression.clone(),
            implied: implied(expression, &columns),
            columns: columns.into(),
            negated,
        })),
        _ => Err(expression.no_condition(answers.data_type())),
    }
}

/// The type in which the values of a column are computed with.
fn computed_type(column: &BoundColumn, name: &str, expression: &ValueExpression) -> Result<DataType> {
    match &column.field_type {
        Type::Variant if expression.tree.gives_type(name) => type_to_arrow(&Type::Variant),
        Type::Variant => Err(Error::invalid_input(format!(
            "column {:?} of type variant can only be filtered by IS NULL and IS NOT NULL, and by its fields with a type, as in \
             VARIANT_GET({}, '$.name', 'long') > 5",
            column.name, column.name
        ))),
        Type::Unrecognized(_) => Err(Error::invalid_input(format!(
            "column {:?} of type {} can only be filtered by IS NULL and IS NOT NULL",
            column.name, column.field_type
        ))),
        known => type_to_arrow(known),
    }
}

/// The error for a name that is no column, and may be a text in the wrong quotes, as in `name = "x"`.
fn maybe_text(expression: &ValueExpression, name: &str, error: Error) -> Error {
    if !expression.compares_with(name) {
        return error;
    }
    let said = format!("{}; texts stand in single quotes, as in {}", error.message(), quoted_text(name));
    Error::new(error.kind(), said)
}
