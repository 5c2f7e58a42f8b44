//! How do values become a dictionary?

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt64Array, make_array, new_empty_array};
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_ord::ord::make_comparator;
use arrow_schema::{DataType, SortOptions};
use arrow_select::take::take;

use super::fault::Fault;
use super::names::type_name;

/// The values in a dictionary of their own, in the order in which they occur.
///
/// Errors: more different values than the indices count.
pub(super) fn encoded(values: &ArrayRef, keys: &DataType, name: &str) -> Result<ArrayRef, Fault> {
    use DataType as T;
    let kind = T::Dictionary(Box::new(keys.clone()), Box::new(values.data_type().clone()));
    let is_hashed = matches!(values.data_type(), T::Utf8 | T::LargeUtf8 | T::Binary | T::LargeBinary);
    if is_hashed || values.data_type().is_integer() {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        if let Ok(made) = cast_with_options(values, &kind, &options) {
            return Ok(made);
        }
    }
    let (places, distinct) = numbered(values)?;
    let places: ArrayRef = Arc::new(places);
    let options = CastOptions { safe: true, ..CastOptions::default() };
    let narrow = cast_with_options(&places, keys, &options)?;
    if narrow.null_count() > places.null_count() {
        let kind = type_name(&kind);
        let row =
            (0..places.len()).find(|row| narrow.is_null(*row) && places.is_valid(*row)).unwrap_or_default();
        let why = format!("is one of {} different values, more than the indices count", distinct.len());
        return Err(Fault::unfit(row, name, &kind, why));
    }
    let data = narrow.to_data().into_builder().data_type(kind).child_data(vec![distinct.to_data()]);
    Ok(make_array(data.build()?))
}

/// The number of each value among those that differ, and those.
fn numbered(values: &ArrayRef) -> Result<(UInt64Array, ArrayRef), Fault> {
    let same = make_comparator(values, values, SortOptions::default())?;
    let nulls = values.logical_nulls();
    let mut rows: Vec<usize> =
        (0..values.len()).filter(|row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row))).collect();
    rows.sort_by(|one, other| same(*one, *other));
    // Equal values are neighbours now, the first one first.
    let mut first_of: Vec<usize> = vec![0; values.len()];
    let mut first = None;
    for row in rows {
        let leader = first.filter(|first| same(*first, row).is_eq()).unwrap_or(row);
        first_of[row] = leader;
        first = Some(leader);
    }
    let (mut numbers, mut distinct) = (HashMap::new(), Vec::new());
    let places = (0..values.len()).map(|row| {
        nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then(|| {
            *numbers.entry(first_of[row]).or_insert_with(|| {
                distinct.push(row as u64);
                distinct.len() as u64 - 1
            })
        })
    });
    let places: UInt64Array = places.collect();
    let distinct = if distinct.is_empty() {
        new_empty_array(values.data_type())
    } else {
        take(values, &UInt64Array::from(distinct), None)?
    };
    Ok((places, distinct))
}
