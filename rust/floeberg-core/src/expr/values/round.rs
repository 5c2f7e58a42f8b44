//! To which numbers are numbers rounded?
//!
//! Invariant: ROUND rounds half away from zero. A decimal gets the digits that its rounded value needs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal256Type, Float64Type};
use arrow_array::{ArrayRef, Decimal256Array, Float64Array};
use arrow_buffer::i256;
use arrow_schema::DataType;

use super::kernels::to_type;
use super::kinds::{decimal_type, digits, is_float, shown};
use super::operand::Operand;
use crate::error::{Error, Result};

/// Where numbers between two go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rounding {
    /// To the nearest, half away from zero.
    Nearest,
    /// To the one that is not larger.
    Down,
    /// To the one that is not smaller.
    Up,
}

/// Numbers rounded to so many digits behind the point; before it, where that is negative.
///
/// Errors: `InvalidInput` for other types; `Unsupported` for decimals that no type has room for.
pub(super) fn rounded(function: &str, values: &Operand, places: i32, rounding: Rounding) -> Result<Operand> {
    let kind = values.data_type().clone();
    if kind == DataType::Null {
        return Ok(values.clone());
    }
    if is_float(&kind) {
        return values.map(|array| floats(array, places, rounding));
    }
    if kind.is_integer() {
        return if places >= 0 {
            Ok(values.clone())
        } else {
            let whole = values.map(|array| to_type(array, &DataType::Decimal128(20, 0)))?;
            let whole = whole.map(|array| decimals(array, places, rounding))?;
            whole.map(|array| to_type(array, &kind))
        };
    }
    if digits(&kind).is_some() {
        return values.map(|array| decimals(array, places, rounding));
    }
    Err(Error::invalid_input(format!("{function} needs numbers, found {}", shown(&kind))))
}

fn floats(array: &ArrayRef, places: i32, rounding: Rounding) -> Result<ArrayRef> {
    let doubles = to_type(array, &DataType::Float64)?;
    let factor = 10_f64.powi(places.clamp(-400, 400).abs());
    let round = |value: f64| match rounding {
        Rounding::Nearest => value.round(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    };
    let made: Float64Array = doubles.as_primitive::<Float64Type>().try_unary(|value| {
        if !value.is_finite() {
            return Ok(value);
        }
        let scaled = if places < 0 { value / factor } else { value * factor };
        let rounded = if places < 0 { round(scaled) * factor } else { round(scaled) / factor };
        if factor.is_finite() && rounded.is_finite() {
            Ok(rounded)
        } else {
            Err(Error::invalid_input(format!("overflow: {value} cannot be rounded to {places} digits")))
        }
    })?;
    to_type(&(Arc::new(made) as ArrayRef), array.data_type())
}

fn decimals(array: &ArrayRef, places: i32, rounding: Rounding) -> Result<ArrayRef> {
    let kind = array.data_type();
    let (precision, scale) = digits(kind).unwrap_or((1, 0));
    let dropped = i32::from(scale) - places;
    if dropped <= 0 {
        return Ok(Arc::clone(array));
    }
    // A rounded number may need one digit more than it had.
    let needed = i32::from(precision).max(dropped) + 1;
    let wide = u8::try_from(needed).ok().and_then(|needed| decimal_type(needed, scale)).ok_or_else(|| {
        Error::unsupported(format!("a {} cannot be rounded to {places} digits behind the point", shown(kind)))
    })?;
    let unit = i256::from_i128(10).checked_pow(dropped as u32).unwrap_or(i256::MAX);
    let values = to_type(array, &DataType::Decimal256(arrow_schema::DECIMAL256_MAX_PRECISION, scale))?;
    let made: Decimal256Array = values.as_primitive::<Decimal256Type>().try_unary(|value| {
        let rest = value.checked_rem(unit).unwrap_or(i256::ZERO);
        let toward_zero = value.wrapping_sub(rest);
        let is_negative = value.is_negative();
        let away = match rounding {
            Rounding::Nearest => {
                let rest = rest.wrapping_abs();
                rest >= unit.wrapping_sub(rest)
            }
            Rounding::Down => is_negative && rest != i256::ZERO,
            Rounding::Up => !is_negative && rest != i256::ZERO,
        };
        let step = if is_negative { unit.wrapping_neg() } else { unit };
        let rounded = if away { toward_zero.checked_add(step) } else { Some(toward_zero) };
        rounded.ok_or_else(|| Error::invalid_input("overflow: a rounded number has too many digits"))
    })?;
    let made = made
        .with_precision_and_scale(arrow_schema::DECIMAL256_MAX_PRECISION, scale)
        .map_err(super::kernels::computing)?;
    to_type(&(Arc::new(made) as ArrayRef), &wide)
}
