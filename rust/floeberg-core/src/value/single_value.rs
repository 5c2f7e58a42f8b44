//! Which bytes stand for a value in bounds and hashes?
//!
//! In: a value, or bytes and the column's type now. Out: bytes, or a value of that type.
//! Spec: Appendix D, Binary single-value serialization; Schema Evolution (promoted bounds).
//!
//! Invariant: promotion does not rewrite bounds, so the length tells the type at the time of writing; what comes
//! out is always of the type that was asked for.

use super::Value;
use super::datetime::{MICROS_PER_DAY, NANOS_PER_DAY};
use crate::error::{Error, Result};
use crate::schema::PrimitiveType;

/// The binary form of a value.
///
/// Errors: `InvalidInput` for nested values, which have none.
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

/// The value of binary bytes, of the type that is asked for.
///
/// Decodes what was written before a promotion: an int under long, a float under double, a date under timestamp
/// and `timestamp_ns`, a narrower decimal. A fixed value may be shorter than its type: bounds are truncated.
/// Errors: `InvalidData` for a wrong length, text that is not UTF-8, a date that leaves the timestamp's range.
pub fn from_bytes(primitive: &PrimitiveType, bytes: &[u8]) -> Result<Value> {
    let wrong = |expected: &str| {
        Error::invalid_data(format!(
            "expected {expected} for a single value of type {primitive}, found {} bytes",
            bytes.len()
        ))
    };
    let four = || <[u8; 4]>::try_from(bytes).map_err(|_| wrong("4 bytes"));
    let eight = || <[u8; 8]>::try_from(bytes).map(i64::from_le_bytes).map_err(|_| wrong("8 bytes"));
    let promoted_date = |per_day: i64| -> Result<i64> {
        let days = i32::from_le_bytes(four()?);
        i64::from(days).checked_mul(per_day).ok_or_else(|| {
            Error::invalid_data(format!(
                "a date of {days} days from 1970 is outside the range of {primitive}"
            ))
        })
    };
    Ok(match primitive {
        PrimitiveType::Boolean => match bytes {
            [byte] => Value::Boolean(*byte != 0),
            _ => return Err(wrong("1 byte")),
        },
        PrimitiveType::Int => Value::Int(i32::from_le_bytes(four()?)),
        PrimitiveType::Date => Value::Date(i32::from_le_bytes(four()?)),
        PrimitiveType::Long if bytes.len() == 4 => Value::Long(i64::from(i32::from_le_bytes(four()?))),
        PrimitiveType::Long => Value::Long(eight()?),
        PrimitiveType::Float => Value::Float(f32::from_le_bytes(four()?)),
        PrimitiveType::Double if bytes.len() == 4 => Value::Double(f64::from(f32::from_le_bytes(four()?))),
        PrimitiveType::Double => Value::Double(f64::from_bits(eight()? as u64)),
        PrimitiveType::Time => Value::Time(eight()?),
        PrimitiveType::Timestamp if bytes.len() == 4 => Value::Timestamp(promoted_date(MICROS_PER_DAY)?),
        PrimitiveType::Timestamp => Value::Timestamp(eight()?),
        PrimitiveType::TimestampNs if bytes.len() == 4 => Value::TimestampNs(promoted_date(NANOS_PER_DAY)?),
        PrimitiveType::TimestampNs => Value::TimestampNs(eight()?),
        PrimitiveType::Timestamptz => Value::Timestamptz(eight()?),
        PrimitiveType::TimestamptzNs => Value::TimestamptzNs(eight()?),
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
        PrimitiveType::Uuid => Value::Uuid(bytes.try_into().map_err(|_| wrong("16 bytes"))?),
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

/// Sixteen big-endian bytes of a two's complement number and where the shortest form of it begins in them.
pub(crate) fn minimal_bytes(unscaled: i128) -> ([u8; 16], usize) {
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
