//! Which bytes stand for a value in bounds and hashes?
//!
//! In: a value, or bytes and the column's type now. Out: bytes, or a value of that type.
//! Spec: Appendix D, Binary single-value serialization; Schema Evolution (promoted bounds).
//!
//! Invariant: promotion does not rewrite bounds, so the length gives the type at the time of writing. The result always has the
//! requested type.

use super::Value;
use super::datetime::{MICROS_PER_DAY, NANOS_PER_DAY};
use crate::error::{Error, Result};
use crate::primitive::PrimitiveType;

/// The binary form of a value.
///
/// Errors: `InvalidInput` for nested values, which have no binary form.
pub fn to_bytes(value: &Value) -> Result<Vec<u8>> {
    Ok(match value {
        Value::Boolean(value) => vec![u8::from(*value)],
        Value::Int(value) | Value::Date(value) => value.to_le_bytes().to_vec(),
        Value::Long(value)
        | Value::Time(value)
        | Value::Timestamp(value)
        | Value::Timestamptz(value)
        | Value::TimestampNs(value)
        | Value::TimestamptzNs(value) => value.to_le_bytes().to_vec(),
        Value::Float(value) => value.to_le_bytes().to_vec(),
        Value::Double(value) => value.to_le_bytes().to_vec(),
        Value::Decimal { unscaled, .. } => {
            let (bytes, start) = minimal_bytes(*unscaled);
            bytes[start..].to_vec()
        }
        Value::String(text) => text.clone().into_bytes(),
        Value::Uuid(bytes) => bytes.to_vec(),
        Value::Fixed(bytes) | Value::Binary(bytes) => bytes.clone(),
        Value::Struct(_) | Value::List(_) | Value::Map(_) => {
            return Err(Error::invalid_input("a nested value has no binary single-value form"));
        }
    })
}

/// The value of binary bytes, in the requested type.
///
/// Decodes what was written before a promotion: an int under long, a float under double, a date under timestamp
/// and `timestamp_ns`, a narrower decimal. A fixed value may be shorter than its type: bounds are truncated.
/// Errors: `InvalidData` for a wrong length, text that is not UTF-8, a date that leaves the timestamp's range.
pub fn from_bytes(primitive: &PrimitiveType, bytes: &[u8]) -> Result<Value> {
    let wrong = |expected: &str| wrong_length(primitive, bytes, expected);
    let integer = || integer_from_bytes(primitive, bytes);
    Ok(match primitive {
        PrimitiveType::Boolean => Value::Boolean(integer()? != 0),
        PrimitiveType::Int => Value::Int(integer()? as i32),
        PrimitiveType::Date => Value::Date(integer()? as i32),
        PrimitiveType::Long => Value::Long(integer()?),
        PrimitiveType::Float => Value::Float(f32::from_le_bytes(exactly(primitive, bytes)?)),
        PrimitiveType::Double => Value::Double(float_from_bytes(primitive, bytes)?),
        PrimitiveType::Time => Value::Time(integer()?),
        PrimitiveType::Timestamp => Value::Timestamp(integer()?),
        PrimitiveType::TimestampNs => Value::TimestampNs(integer()?),
        PrimitiveType::Timestamptz => Value::Timestamptz(integer()?),
        PrimitiveType::TimestamptzNs => Value::TimestamptzNs(integer()?),
        PrimitiveType::Decimal { scale, .. } => match unscaled_from_bytes(bytes) {
            Some(unscaled) => Value::Decimal { unscaled, scale: *scale },
            None => return Err(wrong("the bytes of a number of at most 38 digits")),
        },
        PrimitiveType::String => match std::str::from_utf8(bytes) {
            Ok(text) => Value::String(text.to_owned()),
            Err(error) => {
                return Err(
                    Error::invalid_data("a single value of type string is not UTF-8").caused_by(error)
                );
            }
        },
        PrimitiveType::Uuid => Value::Uuid(exactly(primitive, bytes)?),
        PrimitiveType::Fixed(length) if bytes.len() > *length as usize => {
            return Err(wrong(&format!("at most {length} bytes")));
        }
        PrimitiveType::Fixed(_) => Value::Fixed(bytes.to_vec()),
        PrimitiveType::Binary | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. } => {
            Value::Binary(bytes.to_vec())
        }
        PrimitiveType::Unknown => return Err(wrong("no value")),
    })
}

/// The number that a value of a whole-numbered type is stored as: of an int, a long, days, or units of time; 0 or 1 of a
/// boolean.
///
/// Errors: those of [`from_bytes`]; `Internal` for another type.
#[inline]
pub(crate) fn integer_from_bytes(primitive: &PrimitiveType, bytes: &[u8]) -> Result<i64> {
    use PrimitiveType as P;
    let four = || exactly(primitive, bytes).map(i32::from_le_bytes).map(i64::from);
    let promoted_date = |per_day: i64| -> Result<i64> {
        let days = four()?;
        days.checked_mul(per_day).ok_or_else(|| {
            Error::invalid_data(format!(
                "a date of {days} days from 1970 is outside the range of {primitive}"
            ))
        })
    };
    match primitive {
        P::Boolean => match bytes {
            [byte] => Ok(i64::from(*byte != 0)),
            _ => Err(wrong_length(primitive, bytes, "1 byte")),
        },
        P::Int | P::Date => four(),
        P::Long if bytes.len() == 4 => four(),
        P::Timestamp if bytes.len() == 4 => promoted_date(MICROS_PER_DAY),
        P::TimestampNs if bytes.len() == 4 => promoted_date(NANOS_PER_DAY),
        P::Long | P::Time | P::Timestamp | P::Timestamptz | P::TimestampNs | P::TimestamptzNs => {
            exactly(primitive, bytes).map(i64::from_le_bytes)
        }
        other => Err(Error::internal(format!("a value of type {other} is not a whole number"))),
    }
}

/// The number of a float or a double. A float's is the same as a double.
///
/// Errors: those of [`from_bytes`].
#[inline]
pub(crate) fn float_from_bytes(primitive: &PrimitiveType, bytes: &[u8]) -> Result<f64> {
    if *primitive == PrimitiveType::Float || bytes.len() == 4 {
        return exactly(primitive, bytes).map(f32::from_le_bytes).map(f64::from);
    }
    exactly(primitive, bytes).map(f64::from_le_bytes)
}

fn exactly<const LENGTH: usize>(primitive: &PrimitiveType, bytes: &[u8]) -> Result<[u8; LENGTH]> {
    bytes.try_into().map_err(|_| wrong_length(primitive, bytes, &format!("{LENGTH} bytes")))
}

#[cold]
fn wrong_length(primitive: &PrimitiveType, bytes: &[u8], expected: &str) -> Error {
    Error::invalid_data(format!(
        "expected {expected} for a single value of type {primitive}, found {} bytes",
        bytes.len()
    ))
}

/// Sixteen big-endian bytes of a two's complement number and where the shortest form of it begins in them.
pub fn minimal_bytes(unscaled: i128) -> ([u8; 16], usize) {
    let sign_bits = if unscaled < 0 { unscaled.leading_ones() } else { unscaled.leading_zeros() };
    // All bytes that repeat the sign go, as long as the first bit of the next one still shows it.
    (unscaled.to_be_bytes(), (sign_bits as usize - 1) / 8)
}

/// The number of big-endian two's complement bytes, of which more than 16 may repeat the sign; `None` for no bytes and for
/// a number that 16 bytes do not hold.
pub fn unscaled_from_bytes(bytes: &[u8]) -> Option<i128> {
    let sign = if bytes.first()? & 0x80 == 0 { 0 } else { 0xff };
    let digits = match bytes.split_last_chunk::<16>() {
        Some((before, digits))
            if before.iter().all(|byte| *byte == sign) && (digits[0] ^ sign) & 0x80 == 0 =>
        {
            digits
        }
        Some(_) => return None,
        None => bytes,
    };
    let mut wide = [sign; 16];
    wide[16 - digits.len()..].copy_from_slice(digits);
    Some(i128::from_be_bytes(wide))
}
