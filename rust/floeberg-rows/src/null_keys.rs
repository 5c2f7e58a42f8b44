//! Which keys may a source have?
//!
//! In: what a null in a key means, and whether several rows may have one key. Out: errors that name the row.

use arrow_array::{Array as _, ArrayRef};
use floeberg_core::{Error, Result};

/// What a null in a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullKeys {
    /// It is an error.
    Refused,
    /// It equals null.
    Equal,
    /// It equals nothing, as in SQL.
    Unequal,
}

/// Checks that no key column has a null. `first_row` is the number of the first row among all rows of the source.
///
/// Errors: `InvalidInput` with the column and the row.
pub fn check_no_nulls<'n>(
    names: impl Iterator<Item = &'n str>,
    columns: &[ArrayRef],
    first_row: usize,
) -> Result<()> {
    for (name, column) in names.zip(columns) {
        let nulls = column.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        if let Some(row) = nulls.and_then(|nulls| (0..nulls.len()).find(|row| nulls.is_null(*row))) {
            return Err(Error::invalid_input(
                "a key of the source is null: expected a value, or null_keys=\"equal\"",
            )
            .with("column", name)
            .with("row", first_row + row));
        }
    }
    Ok(())
}

/// The error for a key, as text, that two rows of a source have.
pub fn repeated_key(key: &str, earlier: usize, row: usize) -> Error {
    Error::invalid_input(format!("two rows of the source have one key: {key}. Keep one of them"))
        .with("row", earlier)
        .with("other_row", row)
}
