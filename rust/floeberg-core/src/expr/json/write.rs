//! How is a filter written as JSON?
//!
//! Out: the `term`, `value` and `values` form, which every REST catalog and every client reads, old ones too.
//! Spec: Expressions specification, Appendix B, Backward compatibility.
//!
//! Invariant: an n-ary `and` of n filters is nested log n deep.

use serde_json::{Value as Json, json};

use super::SQL;
use crate::error::{Error, Result};
use crate::expr::display::write_decimal;
use crate::expr::{Expr, Predicate, RawLiteral};
use crate::schema::{PrimitiveType, Type};
use crate::value::{Value, format_hex};

/// Writes a filter. A literal that has its type is written as the specification's single-value JSON.
///
/// Errors: `InvalidInput` for a nested literal or NaN, `LimitExceeded` for a tree that is too deep.
pub fn to_json(expr: &Expr) -> Result<Json> {
    expr.check_depth()?;
    write(expr)
}

fn write(expr: &Expr) -> Result<Json> {
    match expr {
        Expr::True => Ok(Json::Bool(true)),
        Expr::False => Ok(Json::Bool(false)),
        Expr::And(children) => balanced("and", children, true),
        Expr::Or(children) => balanced("or", children, false),
        Expr::Not(child) => Ok(json!({"type": "not", "child": write(child)?})),
        Expr::Predicate(predicate) => test(predicate),
        Expr::Condition(expression) => Ok(json!({"type": SQL, "text": expression.text()})),
    }
}

fn balanced(name: &str, children: &[Expr], of_none: bool) -> Result<Json> {
    match children {
        [] => Ok(Json::Bool(of_none)),
        [only] => write(only),
        _ => {
            let (left, right) = children.split_at(children.len() / 2);
            Ok(json!({
                "type": name,
                "left": balanced(name, left, of_none)?,
                "right": balanced(name, right, of_none)?,
            }))
        }
    }
}

fn test(predicate: &Predicate) -> Result<Json> {
    let name = predicate.op.json_name();
    let term = match &predicate.term.transform {
        None => Json::String(predicate.term.name.clone()),
        Some(transform) => {
            json!({"type": "transform", "transform": transform.to_string(), "term": predicate.term.name})
        }
    };
    if predicate.op.is_unary() {
        return Ok(json!({"type": name, "term": term}));
    }
    if predicate.op.is_set() {
        let values: Vec<Json> = predicate.literals.iter().map(literal).collect::<Result<_>>()?;
        return Ok(json!({"type": name, "term": term, "values": values}));
    }
    match predicate.literals.as_slice() {
        [value] => Ok(json!({"type": name, "term": term, "value": literal(value)?})),
        found => Err(Error::invalid_input(format!("{name} takes one literal, found {}", found.len()))),
    }
}

fn literal(literal: &RawLiteral) -> Result<Json> {
    match literal {
        RawLiteral::Boolean(value) => Ok(Json::Bool(*value)),
        RawLiteral::Integer(number) => Ok(i64::try_from(*number)
            .map(Json::from)
            .or_else(|_| u64::try_from(*number).map(Json::from))
            .unwrap_or_else(|_| Json::String(number.to_string()))),
        RawLiteral::Float(number) => float(*number),
        RawLiteral::Decimal { unscaled, scale } => Ok(Json::String(decimal_text(*unscaled, *scale))),
        RawLiteral::String(text) => Ok(Json::String(text.clone())),
        RawLiteral::Binary(bytes) => Ok(Json::String(format_hex(bytes))),
        RawLiteral::Typed(value) => typed(value),
    }
}

fn float(number: f64) -> Result<Json> {
    match serde_json::Number::from_f64(number) {
        Some(number) => Ok(Json::Number(number)),
        None if number.is_nan() => {
            Err(Error::invalid_input("NaN cannot be a literal: use is-nan or not-nan"))
        }
        None => Ok(Json::String(if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned())),
    }
}

fn decimal_text(unscaled: i128, scale: i32) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_decimal(&mut text, unscaled, scale);
    text
}

fn typed(value: &Value) -> Result<Json> {
    let primitive = match value {
        Value::Float(number) => return float(f64::from(*number)),
        Value::Double(number) => return float(*number),
        Value::Boolean(_) => PrimitiveType::Boolean,
        Value::Int(_) => PrimitiveType::Int,
        Value::Long(_) => PrimitiveType::Long,
        Value::Decimal { unscaled, scale } => {
            return Ok(Json::String(decimal_text(*unscaled, i32::from(*scale))));
        }
        Value::Date(_) => PrimitiveType::Date,
        Value::Time(_) => PrimitiveType::Time,
        Value::Timestamp(_) => PrimitiveType::Timestamp,
        Value::Timestamptz(_) => PrimitiveType::Timestamptz,
        Value::TimestampNs(_) => PrimitiveType::TimestampNs,
        Value::TimestamptzNs(_) => PrimitiveType::TimestamptzNs,
        Value::String(_) => PrimitiveType::String,
        Value::Uuid(_) => PrimitiveType::Uuid,
        Value::Fixed(bytes) => PrimitiveType::Fixed(bytes.len() as u32),
        Value::Binary(_) => PrimitiveType::Binary,
        Value::Struct(_) | Value::List(_) | Value::Map(_) => {
            return Err(Error::invalid_input("a nested value cannot be a literal of a filter"));
        }
    };
    crate::schema::value_json::to_json(Some(value), &Type::Primitive(primitive))
}
