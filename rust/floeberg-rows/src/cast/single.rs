//! How do values that are not nested become those of another type?
//!
//! Invariant: values of null rows are not looked at: they may be anything.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{NullBuffer, i256};
use arrow_cast::cast::{CastOptions, cast, cast_with_options};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use floeberg_core::Error;
use floeberg_core::arrow_values::first_non_utf8;
use floeberg_core::value::decimal;

use super::bytes::with_short_offsets;
use super::fault::Fault;
use super::fixed_bytes::{sized, uuids_of_text};
use super::leaf::Conversion;
use super::names::type_name;
use super::numbers::numbers;
use super::units::rescaled;

/// An array in another type. `mask` marks the rows that count, as far as null does not say so.
///
/// Errors: the first value that does not fit; `LimitExceeded` for more text or bytes than the type counts.
pub fn convert(
    conversion: Conversion,
    array: &ArrayRef,
    to: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    if let Some(row) = first_non_utf8(array) {
        return Err(Fault::unfit(row, name, &type_name(to), "is not UTF-8"));
    }
    match conversion {
        Conversion::Same => {
            check_digits(array, mask, name)?;
            Ok(Arc::clone(array))
        }
        Conversion::Widened => widened(array, to, mask, name),
        Conversion::Narrowed => narrowed(array, to, mask, name),
        Conversion::Numbers => numbers(array, to, mask, name),
        Conversion::Bytes if matches!(to, DataType::Utf8 | DataType::Binary) => match array.data_type() {
            DataType::FixedSizeBinary(_) => Ok(cast(array, to)?),
            _ => with_short_offsets(array, to),
        },
        Conversion::Bytes => Ok(cast(array, to)?),
        Conversion::Sized => sized(array, to, mask, name),
        Conversion::UuidText => uuids_of_text(array, mask, name),
        Conversion::Units { times, divided } => rescaled(array, [times, divided], to, mask, name),
    }
}

/// Numbers, cast to a type that holds all of them.
fn widened(
    array: &ArrayRef,
    to: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    check_width(array, name)?;
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let made = cast_with_options(array, to, &options).map_err(|failure| {
        Error::invalid_input("a value does not fit its column").with("column", name).caused_by(failure)
    })?;
    check_digits(&made, mask, name)?;
    Ok(made)
}

/// Integers, cast to a type that may not hold all of them. Errors: the first that does not fit.
fn narrowed(
    array: &ArrayRef,
    to: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    // A value that does not fit becomes null.
    let made = cast_with_options(array, to, &CastOptions { safe: true, ..CastOptions::default() })?;
    if made.null_count() == array.null_count() {
        return Ok(made);
    }
    let is_lost = |row: &usize| {
        made.is_null(*row) && array.is_valid(*row) && mask.is_none_or(|mask| mask.is_valid(*row))
    };
    match (0..array.len()).find(is_lost) {
        None => Ok(made),
        Some(row) => {
            let (value, kind) = (array_value_to_string(array, row)?, type_name(to));
            Err(Fault::unfit(row, name, &kind, format!("is {value}, and the column is {kind}")))
        }
    }
}

/// The cast of a decimal of 256 bits to one of 128 panics where a value has more bits than its type allows.
fn check_width(array: &ArrayRef, name: &str) -> Result<(), Fault> {
    let Some(decimals) = array.as_primitive_opt::<Decimal256Type>() else { return Ok(()) };
    let is_wide = |value: Option<i256>| value.is_some_and(|value| value.to_i128().is_none());
    match decimals.iter().position(is_wide) {
        None => Ok(()),
        Some(row) => Err(Fault::unfit(row, name, &type_name(array.data_type()), "has more than 38 digits")),
    }
}

/// Arrow allows a decimal more digits than its type has, and files would cut them off.
fn check_digits(array: &ArrayRef, mask: Option<&NullBuffer>, name: &str) -> Result<(), Fault> {
    let DataType::Decimal128(precision, _) = array.data_type() else { return Ok(()) };
    let decimals = array.as_primitive::<Decimal128Type>();
    let used = NullBuffer::union(decimals.nulls(), mask);
    let is_used = |row: usize| used.as_ref().is_none_or(|used| used.is_valid(row));
    let wrong = decimals
        .values()
        .iter()
        .enumerate()
        .find(|(row, value)| !decimal::fits(**value, *precision) && is_used(*row));
    match wrong {
        None => Ok(()),
        Some((row, _)) => {
            let why = format!("has more than {precision} digits");
            Err(Fault::unfit(row, name, &type_name(array.data_type()), why))
        }
    }
}
