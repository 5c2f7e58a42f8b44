//! Does one row match a filter?
//!
//! In: a bound filter and the values of a row by field id. Out: true or false.
//! Spec: Expressions specification, Tests and Comparisons.

use std::cmp::Ordering;

use super::batch::tests_first;
use super::condition::{holds, inside};
use crate::arrow_values::to_array;
use crate::error::{Error, Result};
use crate::expr::{BoundCondition, BoundExpr, BoundPredicate, Operator};
use crate::value::Value;
use crate::value::ordering::compare;

/// Does a row match? `get` gives the value of a field id, `None` for null.
///
/// Errors: `InvalidData` for a value of another type than the literals'.
pub fn evaluate_row(expr: &BoundExpr, get: &dyn Fn(i32) -> Option<Value>) -> Result<bool> {
    match expr {
        BoundExpr::True => Ok(true),
        BoundExpr::False => Ok(false),
        BoundExpr::And(children) => {
            for child in tests_first(children) {
                if !evaluate_row(child, get)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        BoundExpr::Or(children) => {
            for child in tests_first(children) {
                if evaluate_row(child, get)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        BoundExpr::Predicate(test) => passes(test, get(test.column.id)),
        BoundExpr::Condition(condition) => computed(condition, get),
    }
}

/// Is an expression true for the values of a row?
fn computed(condition: &BoundCondition, get: &dyn Fn(i32) -> Option<Value>) -> Result<bool> {
    let columns = condition.columns.iter().map(|each| {
        let array = to_array(get(each.column.id).as_ref(), &each.column.field_type, 1)?;
        Ok((each.name.clone(), inside(array, each)?))
    });
    Ok(holds(condition, &columns.collect::<Result<_>>()?, 1)?.value(0))
}

fn passes(test: &BoundPredicate, value: Option<Value>) -> Result<bool> {
    let value = match (&test.transform, value) {
        (Some(transform), Some(value)) => transform.apply(&value)?,
        (_, value) => value,
    };
    let Some(value) = value else { return Ok(test.op.holds_for_null()) };
    match (test.op, &*test.literals) {
        (Operator::IsNull, _) => Ok(false),
        (Operator::NotNull, _) => Ok(true),
        (Operator::IsNan, _) => Ok(is_nan(&value)),
        (Operator::NotNan, _) => Ok(!is_nan(&value)),
        (Operator::StartsWith, [literal]) => begins(&value, literal).ok_or_else(|| mismatch(test, &value)),
        (Operator::NotStartsWith, [literal]) => {
            begins(&value, literal).map(|begins| !begins).ok_or_else(|| mismatch(test, &value))
        }
        (op, literals) => {
            if is_nan(&value) {
                return Ok(matches!(op, Operator::NotEq | Operator::NotIn));
            }
            compares(op, &value, literals).ok_or_else(|| mismatch(test, &value))
        }
    }
}

/// `None` where value and literals have no order.
fn compares(op: Operator, value: &Value, literals: &[Value]) -> Option<bool> {
    let first = literals.first()?;
    let order = compare(value, first)?;
    Some(match op {
        Operator::Eq => order.is_eq(),
        Operator::NotEq => order.is_ne(),
        Operator::Lt => order.is_lt(),
        Operator::LtEq => order.is_le(),
        Operator::Gt => order.is_gt(),
        Operator::GtEq => order.is_ge(),
        Operator::In | Operator::NotIn => {
            let found = literals
                .binary_search_by(|literal| compare(literal, value).unwrap_or(Ordering::Less))
                .is_ok();
            found == (op == Operator::In)
        }
        _ => return None,
    })
}

fn begins(value: &Value, prefix: &Value) -> Option<bool> {
    match (value, prefix) {
        (Value::String(value), Value::String(prefix)) => Some(value.starts_with(prefix.as_str())),
        _ => None,
    }
}

fn is_nan(value: &Value) -> bool {
    match value {
        Value::Float(value) => value.is_nan(),
        Value::Double(value) => value.is_nan(),
        _ => false,
    }
}

fn mismatch(test: &BoundPredicate, value: &Value) -> Error {
    Error::invalid_data(format!(
        "column {:?} of type {}: the value {value} is of another type",
        test.column.name, test.column.field_type
    ))
}
