//! Does every value of an array fit its column, if the type alone does not prove it?
//!
//! Invariant: values of null rows are not checked: they may be anything.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use floeberg_core::value::check_wkb;
use floeberg_core::variant::Checker;

use super::arrow_names::arrow_name;
use super::fault::Fault;

/// Integers, cast to a narrower type. Errors: the first that does not fit.
pub(super) fn narrowed(
    array: &ArrayRef,
    target: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    // A value that does not fit becomes null.
    let made = cast_with_options(array, target, &CastOptions { safe: true, ..CastOptions::default() })?;
    if made.null_count() == array.null_count() {
        return Ok(made);
    }
    let is_lost = |row: &usize| {
        made.is_null(*row) && array.is_valid(*row) && mask.is_none_or(|mask| mask.is_valid(*row))
    };
    match (0..array.len()).find(is_lost) {
        None => Ok(made),
        Some(row) => {
            let (value, target) = (array_value_to_string(array, row)?, arrow_name(target));
            let why = format!("is {value}, and the column is {target}");
            Err(Fault::At { row, column: name.to_owned(), why })
        }
    }
}

/// Errors: the first value that is not a geometry.
pub(super) fn check_places(array: &ArrayRef, mask: Option<&NullBuffer>, name: &str) -> Result<(), Fault> {
    let places = array.as_binary::<i32>();
    let is_there = NullBuffer::union(mask, places.nulls());
    for row in 0..places.len() {
        if is_there.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
            check_wkb(places.value(row)).map_err(|why| Fault::At {
                row,
                column: name.to_owned(),
                why: format!("is not a geometry in WKB: {why}"),
            })?;
        }
    }
    Ok(())
}

/// Errors: the first value that is not a variant.
pub(super) fn check_variants(
    array: &StructArray,
    is_there: Option<&NullBuffer>,
    name: &str,
) -> Result<(), Fault> {
    let bytes = |number: usize| array.columns().get(number).and_then(|column| column.as_binary_opt::<i32>());
    let Some((metadata, values)) = bytes(0).zip(bytes(1)) else { return Ok(()) };
    let mut checker = Checker::default();
    for row in 0..array.len() {
        if is_there.is_none_or(|nulls| nulls.is_valid(row)) {
            checker.check(metadata.value(row), values.value(row)).map_err(|error| Fault::At {
                row,
                column: name.to_owned(),
                why: format!("is not a valid variant: {}", error.message()),
            })?;
        }
    }
    Ok(())
}
