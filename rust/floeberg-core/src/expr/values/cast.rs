//! What does CAST do?
//!
//! Invariant: a cast of numbers to decimals and floats rounds, half away from zero. What does not fit is an error, or null
//! for `TRY_CAST`. A number is never a date or a time: engines do not agree on days, seconds or microseconds. Times with a
//! zone are in UTC.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int64Type,
};
use arrow_array::{Array, ArrayRef, Date32Array, PrimitiveArray, new_null_array};
use arrow_buffer::NullBuffer;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};

use super::cast_text::{from_text, to_text};
use super::kernels::{computing, to_type};
use super::kinds::{digits, is_decimal, is_float, is_number, is_text, shown};
use crate::error::{Error, Result};
use crate::schema::arrow::units_per_second;

/// The values in another type.
///
/// Errors: `InvalidInput` for a value that does not fit, unless such a value becomes null; for a cast that there is not.
pub(super) fn cast_values(array: &ArrayRef, kind: &DataType, fails_as_null: bool) -> Result<ArrayRef> {
    let found = array.data_type();
    if found == kind {
        return Ok(Arc::clone(array));
    }
    if found == &DataType::Null {
        return Ok(new_null_array(kind, array.len()));
    }
    let is_numeric = |kind: &DataType| is_number(kind) || kind == &DataType::Boolean;
    if is_numeric(found) && kind.is_temporal() || found.is_temporal() && is_numeric(kind) {
        return Err(Error::invalid_input(format!(
            "a value of type {} cannot be cast to {}: use a pyarrow.compute expression",
            shown(found),
            shown(kind)
        )));
    }
    if found.is_nested() {
        return Err(Error::invalid_input(format!(
            "a value of type {} cannot be cast to {}",
            shown(found),
            shown(kind)
        )));
    }
    if is_text(kind) {
        return to_text(array, kind, fails_as_null);
    }
    if is_text(found) {
        return from_text(array, kind, fails_as_null);
    }
    match (found, kind) {
        (DataType::Timestamp(unit, _), DataType::Date32) => days(array, *unit),
        (DataType::Timestamp(unit, _), DataType::Timestamp(wanted, _)) if wanted < unit => {
            let whole = whole_units(array, *unit, *wanted, fails_as_null)?;
            arrow(&whole, kind, fails_as_null)
        }
        (DataType::Timestamp(unit, _), DataType::Timestamp(_, zone)) => {
            // The same moment in UTC, whether it says so or not.
            let named = arrow(array, &DataType::Int64, false)?;
            let named = arrow(&named, &DataType::Timestamp(*unit, zone.clone()), false)?;
            arrow(&named, kind, fails_as_null)
        }
        _ if kind.is_integer() && is_float(found) => whole_floats(array, kind, fails_as_null),
        _ if kind.is_integer() && is_decimal(found) => whole_decimals(array, kind, fails_as_null),
        _ if is_float(kind) && is_decimal(found) => nearest_floats(array, kind),
        (DataType::Float32, _) if is_decimal(kind) => {
            arrow(&arrow(array, &DataType::Float64, false)?, kind, fails_as_null)
        }
        _ => arrow(array, kind, fails_as_null),
    }
}

fn arrow(array: &ArrayRef, kind: &DataType, fails_as_null: bool) -> Result<ArrayRef> {
    cast_with_options(array, kind, &CastOptions { safe: fails_as_null, ..CastOptions::default() })
        .map_err(computing)
}

/// The days of moments.
fn days(array: &ArrayRef, unit: TimeUnit) -> Result<ArrayRef> {
    let units = arrow(array, &DataType::Int64, false)?;
    let per_day = 86_400 * units_per_second(unit);
    let made: Date32Array = units.as_primitive::<Int64Type>().try_unary::<_, Date32Type, Error>(|units| {
        i32::try_from(units.div_euclid(per_day))
            .map_err(|_| Error::invalid_input("overflow: the day is beyond those of a date"))
    })?;
    Ok(Arc::new(made))
}

/// Moments that a coarser unit has.
fn whole_units(array: &ArrayRef, unit: TimeUnit, wanted: TimeUnit, fails_as_null: bool) -> Result<ArrayRef> {
    let units = arrow(array, &DataType::Int64, false)?;
    let factor = units_per_second(unit) / units_per_second(wanted);
    let wrong = |row: usize| units.as_primitive::<Int64Type>().value(row) % factor != 0;
    let nulls = failing(array, wrong, fails_as_null, |_| "a moment has a part of a coarser unit".to_owned())?;
    with_nulls(array, nulls)
}

/// Which values are null where some cannot be cast.
///
/// Errors: `InvalidInput` at the first that cannot, unless it becomes null.
fn failing(
    array: &ArrayRef,
    fails: impl Fn(usize) -> bool,
    fails_as_null: bool,
    said: impl Fn(usize) -> String,
) -> Result<Option<NullBuffer>> {
    let bad: Vec<bool> = (0..array.len()).map(|row| array.is_valid(row) && fails(row)).collect();
    match bad.iter().position(|bad| *bad) {
        None => Ok(None),
        Some(row) if !fails_as_null => Err(Error::invalid_input(said(row))),
        Some(_) => Ok(Some(bad.iter().map(|bad| !bad).collect::<Vec<_>>().into())),
    }
}

fn with_nulls(array: &ArrayRef, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let Some(nulls) = nulls else { return Ok(Arc::clone(array)) };
    let bad = arrow_array::BooleanArray::new(!nulls.inner(), None);
    arrow_select::nullif::nullif(array, &bad).map_err(computing)
}

/// Floats as integers. A fraction is an error: engines round it, or cut it off.
fn whole_floats(array: &ArrayRef, kind: &DataType, fails_as_null: bool) -> Result<ArrayRef> {
    let doubles = to_type(array, &DataType::Float64)?;
    let values = doubles.as_primitive::<Float64Type>();
    let nulls = failing(
        &doubles,
        |row| values.value(row).fract() != 0.0,
        fails_as_null,
        |row| format!("the number {} is no integer: ROUND, FLOOR or CEIL it first", values.value(row)),
    )?;
    arrow(&with_nulls(&doubles, nulls)?, kind, fails_as_null)
}

/// Decimals as integers.
fn whole_decimals(array: &ArrayRef, kind: &DataType, fails_as_null: bool) -> Result<ArrayRef> {
    let (precision, scale) = digits(array.data_type()).unwrap_or((1, 0));
    let nearest = arrow(array, &DataType::Decimal256(precision.max(1), 0), false)
        .or_else(|_| arrow(array, &DataType::Decimal256(arrow_schema::DECIMAL256_MAX_PRECISION, 0), false))?;
    let back = arrow(&nearest, &DataType::Decimal256(arrow_schema::DECIMAL256_MAX_PRECISION, scale), false)?;
    let own = arrow(array, &DataType::Decimal256(arrow_schema::DECIMAL256_MAX_PRECISION, scale), false)?;
    let (own, back) = (own.as_primitive::<Decimal256Type>(), back.as_primitive::<Decimal256Type>());
    let nulls = failing(
        array,
        |row| own.value(row) != back.value(row),
        fails_as_null,
        |row| format!("the number {} is no integer: ROUND, FLOOR or CEIL it first", own.value_as_string(row)),
    )?;
    arrow(&with_nulls(array, nulls)?, kind, fails_as_null)
}

/// Decimals as the nearest floats: a division would round twice.
fn nearest_floats(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    let text: Box<dyn Fn(usize) -> String> = match array.data_type() {
        DataType::Decimal256(..) => {
            let values = array.as_primitive::<Decimal256Type>().clone();
            Box::new(move |row| values.value_as_string(row))
        }
        other => {
            let (precision, scale) = digits(other).unwrap_or((1, 0));
            let values = to_type(array, &DataType::Decimal128(precision, scale))?;
            let values = values.as_primitive::<Decimal128Type>().clone();
            Box::new(move |row| values.value_as_string(row))
        }
    };
    Ok(match kind {
        DataType::Float64 => Arc::new(floats::<Float64Type>(array, &text)?),
        _ => to_type(&(Arc::new(floats::<Float32Type>(array, &text)?) as ArrayRef), kind)?,
    })
}

fn floats<T>(array: &ArrayRef, text: &dyn Fn(usize) -> String) -> Result<PrimitiveArray<T>>
where
    T: ArrowPrimitiveType,
    T::Native: std::str::FromStr,
{
    (0..array.len())
        .map(|row| {
            if array.is_valid(row) {
                text(row).parse().map(Some).map_err(|_| Error::internal("a decimal is written as no number"))
            } else {
                Ok(None)
            }
        })
        .collect()
}
