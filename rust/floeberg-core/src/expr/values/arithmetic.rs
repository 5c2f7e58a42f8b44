//! How are numbers added, multiplied and divided?
//!
//! Invariant: what overflows is an error, and so is a division by zero. Decimals keep all digits.

use std::sync::Arc;

use arrow_arith::numeric;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array, new_null_array};
use arrow_schema::DataType;

use super::Arithmetic;
use super::cast::cast_values;
use super::intervals::{has_interval, shifted};
use super::kernels::{computing, to_type};
use super::kinds::{digits, is_decimal, is_float, is_number, shown};
use super::operand::Operand;
use super::types::numbers_alike;
use crate::error::{Error, Result};

/// Two numbers, or a moment and an interval, by an operator, for so many rows. Of no rows constants are not computed, and keep their type.
///
/// Errors: `InvalidInput` for other types, an overflow, or a division by zero.
pub(super) fn calculated(operator: Arithmetic, one: Operand, other: Operand, rows: usize) -> Result<Operand> {
    if has_interval(&one, &other) {
        return shifted(operator, one, other, rows);
    }
    for kind in [one.data_type(), other.data_type()] {
        if !is_number(kind) && kind != &DataType::Null {
            return Err(Error::invalid_input(format!(
                "{} needs numbers, found {}",
                sign(operator),
                shown(kind)
            )));
        }
    }
    let both_constant = one.is_constant() && other.is_constant();
    let (one, other) = if operator == Arithmetic::Divide {
        let (left, right) = (one.data_type().clone(), other.data_type().clone());
        (as_float(one, &right)?, as_float(other, &left)?)
    } else {
        (one, other)
    };
    let (one, other) = numbers_alike(&one, &other)?;
    let answer =
        |array: ArrayRef| if both_constant { Operand::Constant(array) } else { Operand::Rows(array) };
    if one.data_type() == &DataType::Null {
        return Ok(Operand::null());
    }
    let (one, other) = with_room(operator, one, other)?;
    let (one, other) = (one.where_asked(rows), other.where_asked(rows));
    if matches!(operator, Arithmetic::Divide | Arithmetic::Remainder) {
        check_divisor(&one, &other)?;
    }
    let made = match operator {
        Arithmetic::Add => numeric::add(&one, &other),
        Arithmetic::Subtract => numeric::sub(&one, &other),
        Arithmetic::Multiply => numeric::mul(&one, &other),
        Arithmetic::Divide => numeric::div(&one, &other),
        Arithmetic::Remainder => numeric::rem(&one, &other),
    };
    let made = made.map_err(computing)?;
    Ok(answer(if both_constant && rows == 0 { new_null_array(made.data_type(), 1) } else { made }))
}

fn sign(operator: Arithmetic) -> char {
    match operator {
        Arithmetic::Add => '+',
        Arithmetic::Subtract => '-',
        Arithmetic::Multiply => '*',
        Arithmetic::Divide => '/',
        Arithmetic::Remainder => '%',
    }
}

/// A number as a float. A constant does not make a float a double.
fn as_float(values: Operand, other: &DataType) -> Result<Operand> {
    if is_float(values.data_type()) || values.data_type() == &DataType::Null {
        return Ok(values);
    }
    let kind = if values.is_constant() && is_float(other) { other.clone() } else { DataType::Float64 };
    values.map(|array| cast_values(array, &kind, false))
}

/// Errors: `InvalidInput` where a number is divided by zero.
fn check_divisor(one: &Operand, other: &Operand) -> Result<()> {
    let divisor = to_type(other.array(), &DataType::Float64)?;
    let divisor = divisor.as_primitive::<Float64Type>();
    if one.array().is_empty() || (one.is_constant() && one.array().is_null(0)) {
        return Ok(());
    }
    for row in 0..divisor.len() {
        let divided = one.is_constant() || other.is_constant() || one.array().is_valid(row);
        if divided && divisor.is_valid(row) && divisor.value(row) == 0.0 {
            // A constant zero divides no row where all others are null.
            if other.is_constant() && one.array().null_count() == one.array().len() {
                return Ok(());
            }
            return Err(Error::invalid_input("divide by zero"));
        }
    }
    Ok(())
}

/// Two decimals, in 256 bits where the result needs more digits than 128 bits hold.
fn with_room(operator: Arithmetic, one: Operand, other: Operand) -> Result<(Operand, Operand)> {
    let (Some((left, scale)), Some((right, of))) = (digits(one.data_type()), digits(other.data_type()))
    else {
        return Ok((one, other));
    };
    let needed = if operator == Arithmetic::Multiply {
        i16::from(left) + i16::from(right) + 1
    } else {
        let whole = (i16::from(left) - i16::from(scale)).max(i16::from(right) - i16::from(of));
        whole + i16::from(scale.max(of)) + 1
    };
    let is_wide = |operand: &Operand| matches!(operand.data_type(), DataType::Decimal256(..));
    if needed > i16::from(arrow_schema::DECIMAL256_MAX_PRECISION) {
        return Err(Error::invalid_input(format!("overflow: the result has up to {needed} digits")));
    }
    let narrow =
        needed <= i16::from(arrow_schema::DECIMAL128_MAX_PRECISION) && !is_wide(&one) && !is_wide(&other);
    let kind = if narrow { DataType::Decimal128 } else { DataType::Decimal256 };
    let one = one.map(|array| to_type(array, &kind(left, scale)))?;
    let other = other.map(|array| to_type(array, &kind(right, of)))?;
    Ok((one, other))
}

/// Numbers without their signs.
///
/// Errors: `InvalidInput` for other types, and for the least integer of a type.
pub(super) fn absolute(values: &Operand) -> Result<Operand> {
    let kind = values.data_type().clone();
    match kind {
        DataType::Null => Ok(values.clone()),
        DataType::Float16 => {
            let wide = values.map(|array| to_type(array, &DataType::Float32))?;
            absolute(&wide)?.map(|array| to_type(array, &kind))
        }
        DataType::Float32 => values.map(|array| {
            let made: Float32Array = array.as_primitive::<Float32Type>().unary(f32::abs);
            Ok(Arc::new(made) as ArrayRef)
        }),
        DataType::Float64 => values.map(|array| {
            let made: Float64Array = array.as_primitive::<Float64Type>().unary(f64::abs);
            Ok(Arc::new(made) as ArrayRef)
        }),
        _ if kind.is_integer() || is_decimal(&kind) => {
            if kind.is_unsigned_integer() {
                return Ok(values.clone());
            }
            values.map(|array| {
                let zero = Operand::Constant(to_type(
                    &(Arc::new(arrow_array::Int64Array::from(vec![0])) as ArrayRef),
                    &kind,
                )?);
                let is_negative =
                    arrow_ord::cmp::lt(&Operand::Rows(Arc::clone(array)), &zero).map_err(computing)?;
                let chosen = arrow_select::nullif::nullif(
                    array,
                    &arrow_arith::boolean::not(&is_negative).map_err(computing)?,
                )
                .map_err(computing)?;
                let negated = numeric::neg(&chosen).map_err(computing)?;
                arrow_select::zip::zip(&is_negative, &negated, array).map_err(computing)
            })
        }
        _ => Err(Error::invalid_input(format!("ABS needs numbers, found {}", shown(&kind)))),
    }
}

/// Numbers with the other sign.
///
/// Errors: `InvalidInput` for other types, and for the least integer of a type.
pub(super) fn negated(values: &Operand) -> Result<Operand> {
    let kind = values.data_type();
    if kind == &DataType::Null {
        return Ok(values.clone());
    }
    if !is_number(kind) {
        return Err(Error::invalid_input(format!("- needs a number, found {}", shown(kind))));
    }
    values.map(|array| numeric::neg(array).map_err(computing))
}
