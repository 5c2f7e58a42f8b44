//! Is a dictionary of a column worth its memory?
//!
//! In: the first rows of a write. Out: the stored columns whose values hardly repeat in them.
//!
//! The writer drops a dictionary once it is too large. Until then, it takes memory and time for every column of every file. If
//! nearly all values differ, a dictionary would be dropped, or larger than the values.
//!
//! Invariant: it decides how values are stored, never which.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use arrow_array::ArrayRef;
use floeberg_files::OrderedValues;
use foldhash::fast::RandomState;

/// The fewest rows that are enough to decide.
const FEWEST: usize = 16 * 1024;
/// A dictionary is of no use if this many of ten rows differ.
const DIFFERENT: usize = 9;

/// The numbers of those columns.
pub(super) fn without_repetition(columns: &[ArrayRef]) -> Vec<usize> {
    let hardly_repeats = |(_, column): &(usize, &ArrayRef)| {
        column.len() >= FEWEST
            && different(column).is_some_and(|found| found * 10 >= column.len() * DIFFERENT)
    };
    columns.iter().enumerate().filter(hardly_repeats).map(|(number, _)| number).collect()
}

/// How many values differ, about; `None` for nested ones.
fn different(column: &ArrayRef) -> Option<usize> {
    let values = OrderedValues::of(column).ok()?;
    let state = RandomState::default();
    let mut key = Vec::new();
    let hash = |row| {
        key.clear();
        if !values.is_null(row) {
            values.put(&mut key, row);
        }
        state.hash_one(&key)
    };
    Some((0..column.len()).map(hash).collect::<HashSet<u64, RandomState>>().len())
}
