//! Are all values geometries or variants?
//!
//! Invariant: values of null rows are not checked: they may be anything.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use floeberg_core::value::check_wkb;
use floeberg_core::variant::Checker;
use floeberg_rows::Fault;

/// Errors: the first value that is not a geometry.
pub(super) fn check_places(array: &ArrayRef, mask: Option<&NullBuffer>, name: &str) -> Result<(), Fault> {
    let places = array.as_binary::<i32>();
    let is_there = NullBuffer::union(mask, places.nulls());
    for row in 0..places.len() {
        if is_there.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
            check_wkb(places.value(row)).map_err(|why| {
                Fault::unfit(row, name, "geometry", format!("is not a geometry in WKB: {why}"))
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
            checker.check(metadata.value(row), values.value(row)).map_err(|error| {
                Fault::unfit(row, name, "variant", format!("is not a valid variant: {}", error.message()))
            })?;
        }
    }
    Ok(())
}
