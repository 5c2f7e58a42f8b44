//! How is a filter read from JSON?
//!
//! In: JSON of the REST catalog. Out: a filter whose literals stay raw until they are bound.
//! Spec: Expressions specification, Appendix B; the REST catalog's `Predicate` schemas.
//!
//! Both forms are read: `child`, `left` and `right` with references and `apply`, and the older `term`, `value` and
//! `values`. Meaning is two-valued: `not-eq` holds for null.
//!
//! Invariant: recursion is bounded by [`MAX_DEPTH`], chains of `and` in `and` or of `or` in `or` aside, which are
//! walked without it.

use serde_json::{Map, Value as Json};

use super::SQL;
use super::functions;
use crate::error::{Error, Result};
use crate::expr::{Expr, MAX_DEPTH, Operator, RawLiteral, Term, ValueExpression};
use crate::schema::json::type_from_json;
use crate::transform::Transform;
use crate::value::Value;

/// Reads a filter.
///
/// Errors: `InvalidInput` for JSON that is not a filter; `Unsupported` for a valid one that compares two columns, refers to
/// a column by id (`name_references` gives it a name) or calls another function than a transform or those of variants; `LimitExceeded` for a tree that is too deep.
pub fn from_json(json: &Json) -> Result<Expr> {
    let expr = predicate(json, 0)?;
    expr.check_depth()?;
    Ok(expr)
}

fn predicate(json: &Json, depth: usize) -> Result<Expr> {
    if depth > MAX_DEPTH {
        return Err(crate::expr::combine::too_deep());
    }
    let object = match json {
        Json::Bool(constant) => return Ok(constant_of(*constant)),
        // PyIceberg and Java write a constant as a string in places.
        Json::String(word) if word == "true" || word == "false" => return Ok(constant_of(word == "true")),
        Json::Object(object) => object,
        other => return Err(wrong("an object, true or false", other)),
    };
    let name = type_of(object)?;
    match name {
        "true" => return Ok(Expr::True),
        "false" => return Ok(Expr::False),
        "and" | "or" => return chain(json, name, depth),
        "not" => return Ok(predicate(member(object, "child")?, depth + 1)?.negate()),
        SQL => return ValueExpression::parse_condition(text(object, "text")?).map(Expr::Condition),
        "literal" => {
            return match object.get("value") {
                Some(Json::Bool(constant)) => Ok(constant_of(*constant)),
                _ => Err(wrong("a literal that is true or false", json)),
            };
        }
        _ => {}
    }
    let Some(op) = Operator::from_json_name(name) else {
        return Err(Error::invalid_input(format!("unknown type of a filter: {name:?}")));
    };
    if op.is_unary() || op.is_set() {
        let (of, literals) =
            (operand(object)?, if op.is_set() { literals(member(object, "values")?)? } else { Vec::new() });
        return match functions::call(of) {
            Some(call) => functions::test(op, &call?, &literals),
            None => Ok(Expr::set(op, term(of)?, literals)),
        };
    }
    comparison(op, object)
}

/// `and` in `and`, however deep: other writers chain thousands.
fn chain(json: &Json, name: &str, depth: usize) -> Result<Expr> {
    let mut terms = Vec::new();
    let mut waiting = vec![json];
    while let Some(next) = waiting.pop() {
        match next {
            Json::Object(object) if type_of(object)? == name => {
                waiting.push(member(object, "right")?);
                waiting.push(member(object, "left")?);
            }
            other => terms.push(predicate(other, depth + 1)?),
        }
    }
    Ok(if name == "and" { Expr::all_of(terms) } else { Expr::any_of(terms) })
}

fn comparison(op: Operator, object: &Map<String, Json>) -> Result<Expr> {
    if let Some(left) = object.get("term") {
        if let Some(call) = functions::call(left) {
            return functions::test(op, &call?, &[literal(member(object, "value")?)?]);
        }
        return Ok(Expr::comparison(op, term(left)?, literal(member(object, "value")?)?));
    }
    let (left, right) = (member(object, "left")?, member(object, "right")?);
    let is_comparison = op.is_ordered() || matches!(op, Operator::Eq | Operator::NotEq);
    match (functions::call(left), functions::call(right)) {
        (Some(call), None) if !is_term(right) => return functions::test(op, &call?, &[literal(right)?]),
        (None, Some(call)) if is_comparison && !is_term(left) => {
            return functions::test(op.mirrored(), &call?, &[literal(left)?]);
        }
        _ => {}
    }
    match (is_term(left), is_term(right)) {
        (true, false) => Ok(Expr::comparison(op, term(left)?, literal(right)?)),
        (false, true) if is_comparison => Ok(Expr::comparison(op.mirrored(), term(right)?, literal(left)?)),
        _ => Err(Error::unsupported(format!(
            "{} is supported only between a column and a literal",
            op.json_name()
        ))),
    }
}

fn is_term(json: &Json) -> bool {
    matches!(json.get("type").and_then(Json::as_str), Some("reference" | "apply" | "transform"))
}

/// What a test without a second side tests: `child`, `term` of older writers, `left` of others.
fn operand(object: &Map<String, Json>) -> Result<&Json> {
    let found = object.get("term").or_else(|| object.get("child")).or_else(|| object.get("left"));
    found.map_or_else(|| member(object, "child"), Ok)
}

fn term(json: &Json) -> Result<Term> {
    let object = match json {
        Json::String(name) => return Ok(Term::column(name)),
        Json::Object(object) => object,
        other => return Err(wrong("a column's name, a reference or a transform", other)),
    };
    match type_of(object)? {
        "reference" => match (object.get("name").or_else(|| object.get("term")), object.get("id")) {
            (Some(Json::String(name)), _) => Ok(Term::column(name)),
            (None, Some(_)) => Err(Error::unsupported(
                "a reference by field id needs the schema that has the id: give the schema, or use the column name",
            )),
            _ => Err(wrong("a reference with a name", json)),
        },
        "transform" => {
            let name = text(object, "transform")?;
            of_transform(name.parse::<Transform>()?, term(member(object, "term")?)?)
        }
        "apply" => apply(object, json),
        other => Err(Error::unsupported(format!("a term of type {other:?} is not supported"))),
    }
}

/// `bucket(16, id)` as a call of a function.
fn apply(object: &Map<String, Json>, json: &Json) -> Result<Term> {
    let name = match member(object, "function")? {
        Json::Object(function) => function.get("identifier").and_then(only_name),
        other => other.as_str().or_else(|| only_name(other)),
    };
    let name = name.ok_or_else(|| Error::unsupported("only transforms are supported as functions"))?;
    let Some(Json::Array(arguments)) = object.get("arguments") else {
        return Err(wrong("an array of arguments", json));
    };
    let (transform, column) = match (name, arguments.as_slice()) {
        ("year" | "month" | "day" | "hour" | "identity", [column]) => (name.to_owned(), column),
        ("bucket" | "truncate", [width, column]) => {
            let Some(width) = unwrapped(width).as_u64() else { return Err(wrong("a whole number", width)) };
            (format!("{name}[{width}]"), column)
        }
        _ => {
            return Err(Error::unsupported(format!(
                "the function {name:?} with {} arguments is not supported; only transforms are",
                arguments.len()
            )));
        }
    };
    of_transform(transform.parse()?, term(column)?)
}

fn of_transform(transform: Transform, column: Term) -> Result<Term> {
    if column.transform.is_some() {
        return Err(Error::unsupported("a transform of a transform is not supported"));
    }
    Ok(Term { transform: Some(transform), ..column })
}

fn only_name(identifier: &Json) -> Option<&str> {
    match identifier.as_array()?.as_slice() {
        [name] => name.as_str(),
        _ => None,
    }
}

fn literals(json: &Json) -> Result<Vec<RawLiteral>> {
    if let Json::Array(values) = json {
        return values.iter().map(literal).collect();
    }
    let (Some(Json::Array(values)), data_type) = (json.get("values"), json.get("data-type")) else {
        return Err(wrong("an array of literals", json));
    };
    values.iter().map(|value| typed(value, data_type)).collect()
}

fn literal(json: &Json) -> Result<RawLiteral> {
    match json {
        Json::Object(object) if object.get("type").and_then(Json::as_str) == Some("literal") => {
            typed(member(object, "value")?, object.get("data-type"))
        }
        other => raw(other),
    }
}

/// A literal with its type.
fn typed(json: &Json, data_type: Option<&Json>) -> Result<RawLiteral> {
    let Some(data_type) = data_type.filter(|_| !json.is_null()) else { return raw(json) };
    match crate::schema::value_json::from_json(json, &type_from_json(data_type)?).map_err(Error::of_input)? {
        Some(Value::Float(number)) => Ok(RawLiteral::Float(f64::from(number))),
        Some(Value::Double(number)) => Ok(RawLiteral::Float(number)),
        Some(value) => Ok(RawLiteral::Typed(value)),
        None => raw(&Json::Null),
    }
}

fn raw(json: &Json) -> Result<RawLiteral> {
    match json {
        Json::Bool(value) => Ok(RawLiteral::Boolean(*value)),
        Json::String(text) => Ok(RawLiteral::String(text.clone())),
        Json::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            whole
                .map(RawLiteral::Integer)
                .or_else(|| number.as_f64().map(RawLiteral::Float))
                .ok_or_else(|| wrong("a number", json))
        }
        Json::Null => Err(Error::invalid_input("nothing equals null: use is-null or not-null")),
        other => Err(wrong("a literal", other)),
    }
}

fn unwrapped(json: &Json) -> &Json {
    match json.get("type").and_then(Json::as_str) {
        Some("literal") => json.get("value").unwrap_or(json),
        _ => json,
    }
}

fn constant_of(constant: bool) -> Expr {
    if constant { Expr::True } else { Expr::False }
}

fn type_of(object: &Map<String, Json>) -> Result<&str> {
    text(object, "type")
}

fn text<'a>(object: &'a Map<String, Json>, key: &str) -> Result<&'a str> {
    let found = member(object, key)?;
    found.as_str().ok_or_else(|| wrong(&format!("a text for {key:?}"), found))
}

fn member<'a>(object: &'a Map<String, Json>, key: &str) -> Result<&'a Json> {
    object.get(key).ok_or_else(|| {
        let known: Vec<_> = object.keys().take(8).map(String::as_str).collect();
        Error::invalid_input(format!("a filter's JSON lacks {key:?}; it has {}", known.join(", ")))
    })
}

fn wrong(expected: &str, found: &Json) -> Error {
    let shown: String = found.to_string().chars().take(80).collect();
    Error::invalid_input(format!("in a filter's JSON: expected {expected}, found {shown}"))
}
