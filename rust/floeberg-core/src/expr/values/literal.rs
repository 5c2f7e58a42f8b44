//! Which value does a literal of SQL text have, by itself and beside values of a type?
//!
//! Invariant: no digit is lost, and only floats round, to the nearest.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, Decimal256Array, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
    TimestampNanosecondArray,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};

use super::kernels::to_type;
use super::kinds::{UTC, shown};
use crate::error::{Error, Result};
use crate::expr::RawLiteral;
use crate::expr::convert::{Converted, convert, parse_any_timestamp};
use crate::expr::number::parse_number;
use crate::schema::PrimitiveType;
use crate::value::Value;

/// The longest number.
const MOST_CHARACTERS: usize = 1000;

/// A number, a text or bytes as written.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expr) struct Literal {
    /// As filters have it.
    pub(in crate::expr) raw: RawLiteral,
    /// A number as it is written, with its sign.
    pub(in crate::expr) digits: String,
}

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
            Converted::Exact(value) => array_of(&value, kind),
            _ => Err(no_value()),
        }
    }

    /// The value of `TIMESTAMP '..'`: with a zone where the text has one, in nanoseconds where it needs them.
    ///
    /// Errors: `InvalidInput` for another text.
    pub(super) fn timestamp(text: &str) -> Result<ArrayRef> {
        let value = parse_any_timestamp(text)?;
        let zone = Some(Arc::from(UTC));
        let kind = match value {
            Value::Timestamptz(_) => DataType::Timestamp(TimeUnit::Microsecond, zone),
            Value::TimestampNs(_) => DataType::Timestamp(TimeUnit::Nanosecond, None),
            Value::TimestamptzNs(_) => DataType::Timestamp(TimeUnit::Nanosecond, zone),
            _ => DataType::Timestamp(TimeUnit::Microsecond, None),
        };
        array_of(&value, &kind)
    }

    /// The type of filters that values of a type are compared in with the literal; `None` for a type without literals.
    pub(super) fn compared_type(&self, kind: &DataType) -> Option<PrimitiveType> {
        use DataType as D;
        use PrimitiveType as P;
        Some(match kind {
            D::Boolean => P::Boolean,
            D::Int8 | D::Int16 | D::UInt8 | D::UInt16 | D::Int32 => P::Int,
            D::UInt32 | D::Int64 => P::Long,
            D::UInt64 => P::Decimal { precision: 20, scale: 0 },
            D::Float16 | D::Float32 => P::Float,
            D::Float64 => P::Double,
            D::Decimal32(precision, scale)
            | D::Decimal64(precision, scale)
            | D::Decimal128(precision, scale)
                if *scale >= 0 =>
            {
                P::Decimal { precision: *precision, scale: *scale as u8 }
            }
            D::Date32 | D::Date64 => P::Date,
            D::Time32(_) | D::Time64(_) => P::Time,
            D::Timestamp(TimeUnit::Nanosecond, None) => P::TimestampNs,
            D::Timestamp(TimeUnit::Nanosecond, Some(_)) => P::TimestamptzNs,
            D::Timestamp(_, None) => P::Timestamp,
            D::Timestamp(_, Some(_)) => P::Timestamptz,
            D::Utf8 | D::LargeUtf8 | D::Utf8View => P::String,
            D::Binary | D::LargeBinary | D::BinaryView => P::Binary,
            D::FixedSizeBinary(16) if self.text().is_some_and(is_uuid) => P::Uuid,
            D::FixedSizeBinary(width) => P::Fixed(u32::try_from(*width).ok()?),
            _ => return None,
        })
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

/// A value as an array of one of a type that holds it.
///
/// Errors: `InvalidInput` where it does not.
fn array_of(value: &Value, kind: &DataType) -> Result<ArrayRef> {
    let zone = match kind {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    };
    let made: ArrayRef = match value {
        Value::Boolean(value) => Arc::new(arrow_array::BooleanArray::from(vec![*value])),
        Value::Int(value) => Arc::new(Int32Array::from(vec![*value])),
        Value::Long(value) => Arc::new(Int64Array::from(vec![*value])),
        Value::Float(value) => Arc::new(Float32Array::from(vec![*value])),
        Value::Double(value) => Arc::new(Float64Array::from(vec![*value])),
        Value::Decimal { unscaled, scale } => {
            decimal_of(i256::from_i128(*unscaled), arrow_schema::DECIMAL128_MAX_PRECISION, *scale as i8)?
        }
        Value::Date(days) => Arc::new(Date32Array::from(vec![*days])),
        Value::Time(micros) => Arc::new(Time64MicrosecondArray::from(vec![*micros])),
        Value::Timestamp(micros) | Value::Timestamptz(micros) => {
            Arc::new(TimestampMicrosecondArray::from(vec![*micros]).with_timezone_opt(zone))
        }
        Value::TimestampNs(nanos) | Value::TimestamptzNs(nanos) => {
            Arc::new(TimestampNanosecondArray::from(vec![*nanos]).with_timezone_opt(zone))
        }
        Value::String(text) => Arc::new(StringArray::from(vec![text.as_str()])),
        Value::Binary(bytes) => Arc::new(BinaryArray::from(vec![bytes.as_slice()])),
        Value::Fixed(bytes) => fixed(bytes)?,
        Value::Uuid(bytes) => fixed(bytes)?,
        _ => return Err(Error::internal("a literal has a nested value")),
    };
    to_type(&made, kind)
}

fn fixed(bytes: &[u8]) -> Result<ArrayRef> {
    let made = FixedSizeBinaryArray::try_from_iter(std::iter::once(bytes));
    Ok(Arc::new(made.map_err(|error| Error::internal("bytes of a literal").caused_by(error))?))
}
