//! How is a column of the file converted to the type of the table?
//!
//! Spec: Schema Evolution (promotions); Appendix A, Parquet (what else writers store).
//!
//! Invariant: values change only as the specification or a known writer explains; a value that does not fit is an error, never
//! another value.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Int64Type, Time32MillisecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, new_null_array};
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use floeberg_core::value::datetime::{MICROS_PER_DAY, NANOS_PER_DAY};
use floeberg_core::{Error, Result};

/// May a column of one Arrow type be read as another?
pub(super) fn can_cast(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    match (from, to) {
        _ if from == to => true,
        (T::Null, _) => true,
        (T::Int8 | T::Int16 | T::UInt8 | T::UInt16, T::Int32) => true,
        (T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64, T::Int64) => true,
        (T::Float16, T::Float32) | (T::Float16 | T::Float32, T::Float64) => true,
        (T::Decimal128(from, scale), T::Decimal128(to, wanted)) => from <= to && scale == wanted,
        (T::Int32, T::Date32) => true,
        (T::Int64 | T::Time32(TimeUnit::Millisecond) | T::Time64(_), T::Time64(TimeUnit::Microsecond)) => {
            true
        }
        (T::Date32, T::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, None)) => true,
        (T::Timestamp(..), T::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, _)) => true,
        (T::Int64, T::Timestamp(..)) => true,
        (T::Binary, T::Utf8) | (T::Utf8, T::Binary) => true,
        _ => false,
    }
}

/// Reads a column as another type that [`can_cast`] allows.
pub fn cast(array: &ArrayRef, to: &DataType, name: &str) -> Result<ArrayRef> {
    use DataType as T;
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    let from = array.data_type();
    match (from, to) {
        (T::Null, _) => Ok(new_null_array(to, array.len())),
        (T::Decimal128(..), T::Decimal128(precision, scale)) => array
            .as_primitive::<Decimal128Type>()
            .clone()
            .with_precision_and_scale(*precision, *scale)
            .map(|widened| Arc::new(widened) as ArrayRef),
        (T::Time32(TimeUnit::Millisecond), _) => {
            let millis = array.as_primitive::<Time32MillisecondType>();
            scaled::<_, Time64MicrosecondType>(millis, |value| i64::from(value).checked_mul(1_000))
        }
        (T::Time64(TimeUnit::Nanosecond), _) => {
            let nanos = array.as_primitive::<Time64NanosecondType>();
            scaled::<_, Time64MicrosecondType>(nanos, |value| Some(value.div_euclid(1_000)))
        }
        (T::Date32, T::Timestamp(unit, _)) => {
            let factor = if *unit == TimeUnit::Nanosecond { NANOS_PER_DAY } else { MICROS_PER_DAY };
            let days = array.as_primitive::<Date32Type>();
            timestamps(days, to, |value| i64::from(value).checked_mul(factor))
        }
        (T::Timestamp(unit, _), T::Timestamp(wanted, _)) => between_units(array, *unit, *wanted, to),
        (T::Int64, T::Timestamp(..)) => timestamps(array.as_primitive::<Int64Type>(), to, Some),
        _ => cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() }),
    }
    .map_err(|error| {
        Error::invalid_data(format!("column {name:?} is {from} in the file, not readable as {to}: {error}"))
    })
}

/// Timestamps in another unit, and with or without a zone: the instant is never shifted. Digits finer than
/// the wanted unit are rounded down, before 1970 too.
fn between_units(
    array: &ArrayRef,
    from: TimeUnit,
    to: TimeUnit,
    target: &DataType,
) -> Result<ArrayRef, ArrowError> {
    match (from, to) {
        (TimeUnit::Millisecond, TimeUnit::Microsecond) => {
            let millis = array.as_primitive::<TimestampMillisecondType>();
            timestamps(millis, target, |value| value.checked_mul(1_000))
        }
        (TimeUnit::Millisecond, TimeUnit::Nanosecond) => {
            let millis = array.as_primitive::<TimestampMillisecondType>();
            timestamps(millis, target, |value| value.checked_mul(1_000_000))
        }
        (TimeUnit::Microsecond, TimeUnit::Nanosecond) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>();
            timestamps(micros, target, |value| value.checked_mul(1_000))
        }
        (TimeUnit::Nanosecond, TimeUnit::Microsecond) => {
            let nanos = array.as_primitive::<TimestampNanosecondType>();
            timestamps(nanos, target, |value| Some(value.div_euclid(1_000)))
        }
        // The unit stays and the zone's name changes: the values are shared.
        _ => {
            let data = array.to_data().into_builder().data_type(target.clone()).build()?;
            Ok(arrow_array::make_array(data))
        }
    }
}

fn scaled<S: ArrowPrimitiveType, T: ArrowPrimitiveType>(
    array: &PrimitiveArray<S>,
    convert: impl Fn(S::Native) -> Option<T::Native>,
) -> Result<ArrayRef, ArrowError> {
    let converted = array.try_unary::<_, T, ArrowError>(|value| {
        convert(value).ok_or_else(|| ArrowError::ComputeError(format!("{value:?} is out of range")))
    })?;
    Ok(Arc::new(converted))
}

fn timestamps<S: ArrowPrimitiveType>(
    array: &PrimitiveArray<S>,
    target: &DataType,
    convert: impl Fn(S::Native) -> Option<i64>,
) -> Result<ArrayRef, ArrowError> {
    let converted = scaled::<S, Int64Type>(array, convert)?;
    let data = converted.to_data().into_builder().data_type(target.clone()).build()?;
    Ok(arrow_array::make_array(data))
}
