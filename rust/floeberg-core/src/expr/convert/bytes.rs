//! Which bytes does a literal mean?
//!
//! Spec: Appendix D, JSON single-value serialization (hexadecimal digits).

use super::{Converted, expected};
use crate::error::{Error, Result};
use crate::expr::RawLiteral;
use crate::schema::PrimitiveType;
use crate::value::{Value, parse_hex, parse_uuid};

/// The value of a uuid, fixed or binary column.
pub(super) fn bytes(literal: &RawLiteral, target: &PrimitiveType) -> Result<Converted> {
    let found = match literal {
        RawLiteral::String(text) | RawLiteral::Typed(Value::String(text)) => match target {
            PrimitiveType::Uuid => parse_uuid(text)?.to_vec(),
            _ => parse_hex(text)?,
        },
        RawLiteral::Binary(bytes) | RawLiteral::Typed(Value::Binary(bytes) | Value::Fixed(bytes)) => {
            bytes.clone()
        }
        RawLiteral::Typed(Value::Uuid(bytes)) => bytes.to_vec(),
        _ => return Err(expected("bytes, as X'00ff'")),
    };
    let value = match target {
        PrimitiveType::Uuid => {
            let sixteen = found.try_into().map_err(|found: Vec<u8>| wrong_length(16, found.len()))?;
            Value::Uuid(sixteen)
        }
        PrimitiveType::Fixed(length) if *length as usize != found.len() => {
            return Err(wrong_length(*length as usize, found.len()));
        }
        PrimitiveType::Fixed(_) => Value::Fixed(found),
        _ => Value::Binary(found),
    };
    Ok(Converted::Exact(value))
}

fn wrong_length(expected: usize, found: usize) -> Error {
    Error::invalid_input(format!("expected {expected} bytes, found {found}"))
}
