//! Which test in JSON is of a function that expressions of values have?
//!
//! In: a test whose operand is a call of `variant_get` or `try_variant_get`. Out: a condition.
//! Spec: Expressions specification, Function calls.
//!
//! Invariant: JSON is two-valued. The opposite of a test matches where the test is null.

use serde_json::Value as Json;

use crate::error::{Error, Result};
use crate::expr::sql::escaped_prefix;
use crate::expr::term_text::{quoted, quoted_text};
use crate::expr::{Expr, Operator, RawLiteral, ValueExpression};

/// The SQL text of a call; `None` for another term.
pub(super) fn call(json: &Json) -> Option<Result<String>> {
    if json.get("type").and_then(Json::as_str) != Some("apply") {
        return None;
    }
    let name = match json.get("function")? {
        Json::String(name) => name.as_str(),
        Json::Array(parts) => only(parts)?,
        other => only(other.get("identifier")?.as_array()?)?,
    };
    let known =
        ["variant_get", "try_variant_get"].into_iter().find(|known| name.eq_ignore_ascii_case(known))?;
    let text = |argument: &Json| {
        let value = argument.get("value").filter(|_| argument["type"] == "literal").unwrap_or(argument);
        value.as_str().map(quoted_text)
    };
    let column = |argument: &Json| match argument {
        Json::Object(reference) if argument["type"] == "reference" => {
            reference.get("name").or_else(|| reference.get("term")).and_then(Json::as_str).map(quoted)
        }
        _ => None,
    };
    let written = match json.get("arguments").and_then(Json::as_array).map(Vec::as_slice) {
        Some([of, path, kind]) => column(of).zip(text(path)).zip(text(kind)),
        _ => None,
    };
    Some(written.map(|((of, path), kind)| format!("{known}({of}, {path}, {kind})")).ok_or_else(|| {
        Error::invalid_input(format!(
            "in a filter's JSON: {known} has three arguments: a reference with a name, a path and a type as texts"
        ))
    }))
}

/// A test of a call against literals.
pub(super) fn test(op: Operator, call: &str, literals: &[RawLiteral]) -> Result<Expr> {
    let positive = op.complement().filter(|_| is_opposite(op)).unwrap_or(op);
    let listed = literals.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let text = match (positive, literals) {
        (Operator::In, []) => return Ok(if positive == op { Expr::False } else { Expr::True }),
        (Operator::In, _) => format!("{call} IN ({listed})"),
        // NaN alone is not equal to itself.
        (Operator::IsNan, _) => format!("{call} <> {call}"),
        (Operator::StartsWith, [RawLiteral::String(prefix)]) => {
            format!("{call} LIKE {}", quoted_text(&escaped_prefix(prefix)))
        }
        (Operator::StartsWith, _) => {
            return Err(Error::invalid_input("in a filter's JSON: starts-with takes a text"));
        }
        _ => format!("{call} {} {listed}", positive.sql()),
    };
    let condition = Expr::Condition(ValueExpression::parse_condition(text.trim_end())?);
    Ok(if positive == op { condition } else { condition.negate() })
}

fn is_opposite(op: Operator) -> bool {
    matches!(
        op,
        Operator::NotNull | Operator::NotNan | Operator::NotEq | Operator::NotIn | Operator::NotStartsWith
    )
}

fn only(parts: &[Json]) -> Option<&str> {
    match parts {
        [name] => name.as_str(),
        _ => None,
    }
}
