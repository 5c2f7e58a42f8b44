//! A typed column of a decoded file, by name.

use arrow_array::{Array, StructArray};
use floeberg_core::{Error, Result};

/// The child of that name, in the requested Arrow type.
pub(super) fn column<A: Array + Clone + 'static>(rows: &StructArray, name: &str) -> Result<A> {
    rows.column_by_name(name)
        .and_then(|column| column.as_any().downcast_ref::<A>())
        .cloned()
        .ok_or_else(|| Error::internal(format!("the decoded column {name} is missing or of another type")))
}

/// The value of a row, if there is one.
pub(super) fn value<T>(array: &dyn Array, row: usize, get: impl FnOnce(usize) -> T) -> Option<T> {
    array.is_valid(row).then(|| get(row))
}
