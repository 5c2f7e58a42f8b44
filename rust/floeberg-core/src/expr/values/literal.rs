//! Which value does a literal of SQL text have, by itself and beside values of a type?
//!
//! Invariant: no digit is lost, and only floats round, to the nearest.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Decimal128Array, Decimal256Array, Float64Array, Int64Array, StringArray,
};
use arrow_buffer::i256;
use arrow_schema::DataType;

use super::Literal;
use super::kernels::to_type;
use super::kinds::{primitive_of, shown};
use crate::arrow_values::to_array;
use crate::error::{Error, Result};
use crate::expr::RawLiteral;
use crate::expr::convert::{Converted, convert, parse_any_timestamp};
use crate::expr::number::parse_number;
use crate::schema::{PrimitiveType, Type};
use crate::value::Value;

/// The longest number.
const MOST_CHARACTERS: usize = 1000;

impl Literal {
    /// A number, with a sign or without.
    ///
    /// Errors: `InvalidInput` for one that is too long.
    pub(in crate::expr) fn number(digits: &str, raw: RawLiteral) -> Result<Self> {
        if digits.len() > MOST_CHARACTERS {
            return Err(Error::invalid_input(format!(
                "a number has {} characters, expected at most {MOST_CHARACTERS}",
                digits.len()
            )));
        }
        Ok(Self { raw, digits: digits.to_owned() })
    }

    /// A text or bytes.
    pub(in crate::expr) fn other(raw: RawLiteral) -> Self {
        Self { raw, digits: String::new() }
    }

    /// Is it a number?
    pub(in crate::expr) fn is_number(&self) -> bool {
        !self.digits.is_empty()
    }

    /// The number with the other sign.
    pub(in crate::expr) fn negated(&self) -> Result<Self> {
        let digits = match self.digits.strip_prefix('-') {
            Some(rest) => rest.to_owned(),
            None => format!("-{}", self.digits),
        };
        let raw = parse_number(&digits).ok_or_else(|| self.no_number())?;
        Ok(Self { raw, digits })
    }

    /// The text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.raw {
            RawLiteral::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value by itself, as an array of one: a text, a `bigint`, a decimal, or with an exponent a double.
    ///
    /// Errors: `InvalidInput` where no type holds the number.
    pub(super) fn by_itself(&self) -> Result<ArrayRef> {
        match &self.raw {
            RawLiteral::String(text) => return Ok(Arc::new(StringArray::from(vec![text.as_str()]))),
            RawLiteral::Binary(bytes) => return Ok(Arc::new(BinaryArray::from(vec![bytes.as_slice()]))),
            _ => {}
        }
        if self.digits.contains(['e', 'E']) {
            let number: f64 = self.digits.parse().map_err(|_| self.no_number())?;
            if number.is_infinite() {
                return Err(Error::invalid_input(format!(
                    "the number {} is too large for a double",
                    self.digits
                )));
            }
            return Ok(Arc::new(Float64Array::from(vec![number])));
        }
        match self.digits.parse::<i64>() {
            Ok(number) => Ok(Arc::new(Int64Array::from(vec![number]))),
            Err(_) => self.decimal(),
        }
    }

    /// The number as a decimal with as many digits as are written.
    fn decimal(&self) -> Result<ArrayRef> {
        let (sign, unsigned) = match self.digits.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", self.digits.strip_prefix('+').unwrap_or(&self.digits)),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let whole = whole.trim_start_matches('0');
        let digits = format!("{whole}{fraction}");
        let precision = digits.len().max(1);
        if precision > usize::from(arrow_schema::DECIMAL256_MAX_PRECISION) {
            return Err(Error::invalid_input(format!(
                "the number {} has {precision} digits, and a decimal at most {}",
                self.digits,
                arrow_schema::DECIMAL128_MAX_PRECISION
            )));
        }
        let unscaled = i256::from_string(&format!("{sign}{digits}")).unwrap_or(i256::ZERO);
        decimal_of(unscaled, precision as u8, fraction.len() as i8)
    }

    fn no_number(&self) -> Error {
        Error::invalid_input(format!("expected a number, found {:?}", self.digits))
    }

    /// The value of a type that the literal is, as an array of one.
    ///
    /// Errors: `InvalidInput` where the type has no such value.
    pub(super) fn of_type(&self, kind: &DataType) -> Result<ArrayRef> {
        let no_value =
            || Error::invalid_input(format!("{} is not a value of type {}", self.shown(), shown(kind)));
        let target = self.compared_type(kind).ok_or_else(no_value)?;
        match convert(&self.raw, &target)? {
            Converted::Exact(value) => to_type(&to_array(Some(&value), &Type::Primitive(target), 1)?, kind),
            _ => Err(no_value()),
        }
    }

    /// The value of `TIMESTAMP '..'`: with a zone where the text has one, in nanoseconds where it needs them.
    ///
    /// Errors: `InvalidInput` for another text.
    pub(super) fn timestamp(text: &str) -> Result<ArrayRef> {
        let value = parse_any_timestamp(text)?;
        let kind = match value {
            Value::Timestamptz(_) => PrimitiveType::Timestamptz,
            Value::TimestampNs(_) => PrimitiveType::TimestampNs,
            Value::TimestamptzNs(_) => PrimitiveType::TimestamptzNs,
            _ => PrimitiveType::Timestamp,
        };
        to_array(Some(&value), &Type::Primitive(kind), 1)
    }

    /// The type of filters that values of a type are compared in with the literal; `None` for a type without literals.
    pub(super) fn compared_type(&self, kind: &DataType) -> Option<PrimitiveType> {
        match kind {
            DataType::FixedSizeBinary(16) if self.text().is_some_and(is_uuid) => Some(PrimitiveType::Uuid),
            DataType::UInt64 => Some(PrimitiveType::Decimal { precision: 20, scale: 0 }),
            _ => primitive_of(kind),
        }
    }

    /// As errors show it.
    pub(super) fn shown(&self) -> String {
        match &self.raw {
            RawLiteral::String(text) => format!("{text:?}"),
            RawLiteral::Binary(_) => "bytes".to_owned(),
            _ => self.digits.clone(),
        }
    }
}

/// Is a text written as a UUID?
fn is_uuid(text: &str) -> bool {
    let text = text.trim().as_bytes();
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A decimal of a precision and scale, as an array of one.
pub(super) fn decimal_of(unscaled: i256, precision: u8, scale: i8) -> Result<ArrayRef> {
    let wrong = |error| Error::invalid_input("the number is no decimal").caused_by(error);
    Ok(match unscaled.to_i128() {
        Some(narrow) if precision <= arrow_schema::DECIMAL128_MAX_PRECISION => Arc::new(
            Decimal128Array::from(vec![narrow]).with_precision_and_scale(precision, scale).map_err(wrong)?,
        ),
        _ => Arc::new(
            Decimal256Array::from(vec![unscaled])
                .with_precision_and_scale(precision, scale)
                .map_err(wrong)?,
        ),
    })
}
