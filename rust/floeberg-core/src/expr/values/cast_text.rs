//! How do texts become values, and values texts?
//!
//! Invariant: a text means what it means in a filter. Times are written as SQL engines do: `2024-01-02 10:00:00.5`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int64Type, Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, StringArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};

use super::kernels::{computing, to_type};
use crate::error::{Error, Result};
use crate::expr::value_of_text;
use crate::schema::PrimitiveType;
use crate::value::Value;
use crate::value::datetime::{format_date, format_time, format_timestamp, format_timestamp_ns};

/// Texts as values of a type.
///
/// Errors: `InvalidInput` for a text that is no such value, unless it becomes null; for a type that texts are not cast
/// to.
pub(super) fn from_text(array: &ArrayRef, kind: &DataType, fails_as_null: bool) -> Result<ArrayRef> {
    let texts = to_type(array, &DataType::Utf8)?;
    let texts = texts.as_string::<i32>();
    let values = |target: PrimitiveType| {
        let value = move |text: &str| value_of_text(text, &target);
        each(texts, fails_as_null, value)
    };
    let whole = |value: Value| value.as_long().ok_or_else(|| Error::internal("a time is no number"));
    Ok(match kind {
        DataType::Boolean => {
            let found = each(texts, fails_as_null, boolean)?;
            Arc::new(BooleanArray::from(found))
        }
        DataType::Date32 => {
            let found = values(PrimitiveType::Date)?.into_iter().map(|value| match value {
                Some(Value::Date(days)) => Some(days),
                _ => None,
            });
            Arc::new(found.collect::<arrow_array::Date32Array>())
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            let found = longs(values(PrimitiveType::Time)?, whole)?;
            Arc::new(PrimitiveArray::<Time64MicrosecondType>::from(found))
        }
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let target = if zone.is_some() { PrimitiveType::Timestamptz } else { PrimitiveType::Timestamp };
            let found = PrimitiveArray::<TimestampMicrosecondType>::from(longs(values(target)?, whole)?);
            Arc::new(found.with_timezone_opt(zone.clone()))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
            let target =
                if zone.is_some() { PrimitiveType::TimestamptzNs } else { PrimitiveType::TimestampNs };
            let found = PrimitiveArray::<TimestampNanosecondType>::from(longs(values(target)?, whole)?);
            Arc::new(found.with_timezone_opt(zone.clone()))
        }
        DataType::FixedSizeBinary(16) => {
            let found = values(PrimitiveType::Uuid)?.into_iter().map(|value| match value {
                Some(Value::Uuid(bytes)) => Some(bytes),
                _ => None,
            });
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(found, 16).map_err(computing)?)
        }
        _ => {
            let options = CastOptions { safe: fails_as_null, ..CastOptions::default() };
            cast_with_options(texts, kind, &options).map_err(computing)?
        }
    })
}

fn boolean(text: &str) -> Result<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Error::invalid_input(format!("expected 'true' or 'false', found {text:?}"))),
    }
}

fn each<T>(
    texts: &StringArray,
    fails_as_null: bool,
    value: impl Fn(&str) -> Result<T>,
) -> Result<Vec<Option<T>>> {
    texts
        .iter()
        .map(|text| match text.map(&value) {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(_)) if fails_as_null => Ok(None),
            Some(Err(error)) => Err(error),
        })
        .collect()
}

fn longs(values: Vec<Option<Value>>, whole: impl Fn(Value) -> Result<i64>) -> Result<Vec<Option<i64>>> {
    values.into_iter().map(|value| value.map(&whole).transpose()).collect()
}

/// Values as texts.
///
/// Errors: `InvalidInput` for bytes that are no text, unless they become null; for types without texts.
pub(super) fn to_text(array: &ArrayRef, kind: &DataType, fails_as_null: bool) -> Result<ArrayRef> {
    let longs = || to_type(array, &DataType::Int64);
    let written = |form: &dyn Fn(i64) -> String| -> Result<ArrayRef> {
        let longs = longs()?;
        let texts = longs.as_primitive::<Int64Type>().iter().map(|value| value.map(form));
        to_type(&(Arc::new(texts.collect::<StringArray>()) as ArrayRef), kind)
    };
    match array.data_type() {
        DataType::Date32 => written(&|days| format_date(days as i32)),
        DataType::Time32(_) | DataType::Time64(TimeUnit::Microsecond) => {
            let micros = to_type(array, &DataType::Time64(TimeUnit::Microsecond))?;
            let micros = to_type(&micros, &DataType::Int64)?;
            let texts = micros
                .as_primitive::<Int64Type>()
                .iter()
                .map(|value| value.map(|at| short(&format_time(at))));
            to_type(&(Arc::new(texts.collect::<StringArray>()) as ArrayRef), kind)
        }
        DataType::Timestamp(unit, zone) => {
            let zone = if zone.is_some() { "+00:00" } else { "" };
            let form = |units: i64| -> String {
                let text = match unit {
                    TimeUnit::Nanosecond => format_timestamp_ns(units),
                    TimeUnit::Microsecond => format_timestamp(units),
                    TimeUnit::Millisecond => format_timestamp(units.saturating_mul(1_000)),
                    TimeUnit::Second => format_timestamp(units.saturating_mul(1_000_000)),
                };
                short(&text.replacen('T', " ", 1)) + zone
            };
            written(&form)
        }
        _ => {
            let options = CastOptions { safe: fails_as_null, ..CastOptions::default() };
            let texts = cast_with_options(array, &DataType::Utf8, &options).map_err(computing)?;
            to_type(&texts, kind)
        }
    }
}

/// A time without the zeros at the end of its fraction.
fn short(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').to_owned() } else { text.to_owned() }
}
