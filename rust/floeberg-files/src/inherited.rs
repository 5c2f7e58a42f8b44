//! Which lineage does a row have if its file stores none?
//!
//! Spec: Row lineage assignment; Appendix E, Version 3 (a stored value is read without modification).
//!
//! Invariant: a row id that does not fit into 64 bits is an error.

use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array, PrimitiveArray};
use floeberg_core::{Error, Result};

use super::positions::RowPositions;

/// What null means in a column of row lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// One value for all rows of the file.
    Value(i64),
    /// This value and the row's position in the file.
    AndPosition(i64),
}

/// The values of this many rows: the stored value, or the inherited one where it is null.
pub fn inherit(
    stored: Option<&PrimitiveArray<Int64Type>>,
    fallback: Fallback,
    positions: &RowPositions,
    rows: usize,
) -> Result<Int64Array> {
    let stored = stored.filter(|stored| stored.null_count() < stored.len());
    if let Some(stored) = stored.filter(|stored| stored.null_count() == 0) {
        return Ok(stored.clone());
    }
    let inherited = match fallback {
        Fallback::Value(value) => Int64Array::from_value(value, rows),
        Fallback::AndPosition(first) => positions.array(rows)?.try_unary(|position| {
            first.checked_add(position).ok_or_else(|| {
                Error::invalid_data(format!(
                    "the file's first_row_id is {first}: the id of its row {position} does not fit into 64 bits"
                ))
            })
        })?,
    };
    let Some(stored) = stored else { return Ok(inherited) };
    let both = stored.iter().zip(inherited.values());
    Ok(both.map(|(stored, inherited)| stored.unwrap_or(*inherited)).collect::<Vec<i64>>().into())
}
