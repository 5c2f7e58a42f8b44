//! What is the transform of one value?
//!
//! Spec: Partition Transforms.

use super::bucket::{Buckets, hash};
use super::truncate::{truncate_binary, truncate_decimal, truncate_int, truncate_long, truncate_string};
use super::{Transform, temporal};
use crate::error::{Error, Result, beginning};
use crate::value::Value;

impl Transform {
    /// The transformed value; `None` is null, the result of `void`.
    ///
    /// Null stays null under every transform and is not asked about here.
    /// Errors: `InvalidInput` for a value of a type that it does not take, `Unsupported` for an unknown transform.
    pub fn apply(&self, value: &Value) -> Result<Option<Value>> {
        let result = match self {
            Self::Identity => Some(value.clone()),
            Self::Void => return Ok(None),
            Self::Bucket(number) => bucket(*number, value),
            Self::Truncate(width) => truncate(*width, value),
            Self::Year => days(value).map(|days| Value::Int(temporal::year(days))),
            Self::Month => days(value).map(|days| Value::Int(temporal::month(days))),
            Self::Day => days(value).map(Value::Date),
            Self::Hour => micros(value).map(|micros| Value::Int(temporal::hour(micros))),
            Self::Unknown(written) => {
                return Err(Error::unsupported(format!(
                    "the transform {written} is not known to this version"
                )));
            }
        };
        result.map(Some).ok_or_else(|| {
            let shown = beginning(value);
            Error::invalid_input(format!("the transform {self} cannot be applied to {shown}"))
        })
    }
}

fn bucket(number: u32, value: &Value) -> Option<Value> {
    match value {
        Value::Boolean(_) | Value::Float(_) | Value::Double(_) => None,
        value => hash(value).map(|hash| Value::Int(Buckets::new(number).of(hash))),
    }
}

fn truncate(width: u32, value: &Value) -> Option<Value> {
    Some(match value {
        Value::Int(value) => Value::Int(truncate_int(*value, width)),
        Value::Long(value) => Value::Long(truncate_long(*value, width)),
        Value::Decimal { unscaled, scale } => {
            Value::Decimal { unscaled: truncate_decimal(*unscaled, width), scale: *scale }
        }
        Value::String(text) => Value::String(truncate_string(text, width).to_owned()),
        Value::Binary(bytes) => Value::Binary(truncate_binary(bytes, width).to_vec()),
        _ => return None,
    })
}

fn micros(value: &Value) -> Option<i64> {
    match value {
        Value::Timestamp(micros) | Value::Timestamptz(micros) => Some(*micros),
        Value::TimestampNs(nanos) | Value::TimestamptzNs(nanos) => Some(temporal::nanos_to_micros(*nanos)),
        _ => None,
    }
}

fn days(value: &Value) -> Option<i32> {
    match value {
        Value::Date(days) => Some(*days),
        value => micros(value).map(temporal::day),
    }
}
