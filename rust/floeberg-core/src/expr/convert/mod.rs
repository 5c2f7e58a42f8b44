//! Which value of a column's type does a literal mean?
//!
//! In: a literal as written, and the type to compare with. Out: the value, or its place between the values of the
//! type.
//!
//! Invariant: nothing is lost silently. A literal that no value of the type equals (`1.5` for an int, 3000000000 for
//! an int, a moment for a date) keeps its exact place in the order. Only floats round, as in SQL: to the nearest.

mod bytes;
mod lattice;
mod float;
mod temporal;
#[cfg(test)]
mod tests;

use super::RawLiteral;
use crate::error::{Error, Result};
use crate::schema::PrimitiveType;
use crate::value::Value;

pub(super) use temporal::parse_any_timestamp;

/// Where a literal stands among the values of a type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Converted {
    /// It is this value.
    Exact(Value),
    /// It is larger than the one and smaller than the other, and no value is between them.
    Between(Value, Value),
    /// It is larger than every value.
    Above,
    /// It is smaller than every value.
    Below,
}

/// Finds the place of a literal among the values of a type.
///
/// Integers are days for a date, and the column's own unit for a time or timestamp. Strings are read as
/// the type is written: ISO 8601 for dates, times and timestamps, hexadecimal digits for fixed and binary, decimal
/// digits for numbers (`'Infinity'` for floats). A timestamp with a zone is compared with a moment that has one, and one without with
/// one without.
///
/// Errors: `InvalidInput` for a literal of another kind, and for NaN.
pub(super) fn convert(literal: &RawLiteral, target: &PrimitiveType) -> Result<Converted> {
    use PrimitiveType as T;
    match target {
        T::Boolean => match literal {
            RawLiteral::Boolean(value) | RawLiteral::Typed(Value::Boolean(value)) => {
                Ok(Converted::Exact(Value::Boolean(*value)))
            }
            _ => Err(expected("TRUE or FALSE")),
        },
        T::String => match literal {
            RawLiteral::String(text) | RawLiteral::Typed(Value::String(text)) => {
                Ok(Converted::Exact(Value::String(text.clone())))
            }
            _ => Err(expected("a text")),
        },
        T::Int => lattice::int(literal),
        T::Long => lattice::long(literal),
        T::Decimal { precision, scale } => lattice::decimal(literal, *precision, *scale),
        T::Float => float::float(literal),
        T::Double => float::double(literal),
        T::Date | T::Time | T::Timestamp | T::Timestamptz | T::TimestampNs | T::TimestamptzNs => {
            temporal::temporal(literal, target)
        }
        T::Uuid | T::Fixed(_) | T::Binary => bytes::bytes(literal, target),
        T::Unknown | T::Geometry { .. } | T::Geography { .. } => {
            Err(Error::unsupported("only IS NULL and IS NOT NULL are supported for this type"))
        }
    }
}

/// The value of a type that a text means, as it is written in a filter or in the name of a partition's folder.
///
/// Errors: `InvalidInput` for a text that is no such value, or that the type cannot hold exactly.
pub fn value_of_text(text: &str, target: &PrimitiveType) -> Result<Value> {
    let literal = match target {
        PrimitiveType::Boolean if text.eq_ignore_ascii_case("true") => RawLiteral::Boolean(true),
        PrimitiveType::Boolean if text.eq_ignore_ascii_case("false") => RawLiteral::Boolean(false),
        _ => RawLiteral::String(text.to_owned()),
    };
    let wrong = || Error::invalid_input(format!("expected a value of type {target}, found {text:?}"));
    match convert(&literal, target) {
        Ok(Converted::Exact(value)) => Ok(value),
        Ok(_) => Err(wrong()),
        Err(error) => Err(wrong().caused_by(error)),
    }
}

/// The error for a literal of another kind.
fn expected(what: &str) -> Error {
    Error::invalid_input(format!("expected {what}"))
}
