//! In which rows do two batches differ?
//!
//! In: columns of the same types, twice. Out: the rows in which any of them differs.
//!
//! Invariant: null equals null, and floats are equal if their bits are: a row that does not differ would be written as it is.

use arrow_array::{Array as _, ArrayRef};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_ord::cmp::distinct;

#[cfg(test)]
mod tests;

/// The rows that differ.
pub fn differing_rows(left: &[ArrayRef], right: &[ArrayRef], rows: usize) -> BooleanBuffer {
    let mut differ = BooleanBuffer::new_unset(rows);
    for (left, right) in left.iter().zip(right) {
        // It compares floats by their bits. Nested columns are left to the other one.
        let found = match distinct(left, right) {
            Ok(found) => found.into_parts().0,
            Err(_) => halved(left, right, rows),
        };
        differ = &differ | &found;
    }
    differ
}

/// The rows in which two columns of any type differ.
fn halved(left: &ArrayRef, right: &ArrayRef, rows: usize) -> BooleanBuffer {
    let mut differ = BooleanBufferBuilder::new(rows);
    differ.append_n(rows, false);
    mark(left, right, 0, rows, &mut differ);
    differ.finish()
}

/// Marks rows of a range. A range that is the same as a whole is compared once.
fn mark(left: &ArrayRef, right: &ArrayRef, start: usize, rows: usize, differ: &mut BooleanBufferBuilder) {
    if rows == 0 || left.slice(start, rows).as_ref() == right.slice(start, rows).as_ref() {
        return;
    }
    if rows == 1 {
        differ.set_bit(start, true);
        return;
    }
    let half = rows / 2;
    mark(left, right, start, half, differ);
    mark(left, right, start + half, rows - half, differ);
}
