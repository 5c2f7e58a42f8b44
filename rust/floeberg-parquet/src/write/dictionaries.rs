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

/// The fewest rows that are enough to decide, if there may be more.
const FEWEST: usize = 16 * 1024;
/// The most rows that are looked at.
const MOST: usize = 64 * 1024;
/// A dictionary is of no use if this many of ten rows differ.
const DIFFERENT: usize = 9;

/// The numbers of those columns, of the columns of some batches. `are_all` says that the write has no other rows.
pub(super) fn without_repetition(batches: &[Vec<ArrayRef>], are_all: bool) -> Vec<usize> {
    let rows: usize = batches.iter().filter_map(|columns| columns.first()).map(|column| column.len()).sum();
    if rows < FEWEST && !are_all {
        return Vec::new();
    }
    let width = batches.first().map_or(0, Vec::len);
    (0..width).filter(|number| hardly_repeats(batches, *number).unwrap_or(false)).collect()
}

/// Do nearly all values of a column differ, about? `None` for nested ones.
fn hardly_repeats(batches: &[Vec<ArrayRef>], number: usize) -> Option<bool> {
    let state = RandomState::default();
    let mut seen = HashSet::<u64, RandomState>::default();
    let (mut rows, mut key) = (0, Vec::new());
    for column in batches.iter().filter_map(|columns| columns.get(number)) {
        let values = OrderedValues::of(column).ok()?;
        let taken = column.len().min(MOST - rows);
        for row in 0..taken {
            key.clear();
            if !values.is_null(row) {
                values.put(&mut key, row);
            }
            seen.insert(state.hash_one(&key));
        }
        rows += taken;
    }
    Some(seen.len() * 10 >= rows * DIFFERENT)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};

    use super::{FEWEST, without_repetition};

    fn batch(first: i64, rows: i64) -> Vec<ArrayRef> {
        let texts = (first..first + rows).map(|number| format!("text {}", number % 7));
        vec![
            Arc::new(Int64Array::from_iter_values(first..first + rows)),
            Arc::new(StringArray::from_iter_values(texts)),
        ]
    }

    #[test]
    fn many_small_batches_decide_as_a_large_one_does() {
        let rows = FEWEST as i64;
        let small: Vec<_> = (0..rows / 64).map(|number| batch(number * 64, 64)).collect();
        assert_eq!(without_repetition(&small, false), [0]);
        assert_eq!(without_repetition(&[batch(0, rows)], false), [0]);
    }

    #[test]
    fn few_rows_decide_only_where_they_are_all() {
        assert_eq!(without_repetition(&[batch(0, 100)], true), [0]);
        assert!(without_repetition(&[batch(0, 100)], false).is_empty());
        assert!(
            without_repetition(&[batch(0, 100), batch(0, 100)], true).is_empty(),
            "each value is there twice"
        );
    }
}
