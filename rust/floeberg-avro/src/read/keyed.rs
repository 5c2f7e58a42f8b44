//! How are the values of single keys of a map read?
//!
//! In: a cursor at a map with int keys, which Avro has as a list of pairs. Out: one more value in the column of each wanted
//! key that the map has.
//! Spec: Data File Fields (counts and bounds by field id).
//!
//! Invariant: a wanted key that occurs twice is an error.

use floeberg_core::Result;

use super::allowance::Allowance;
use super::column::{Column, Values};
use super::cursor::Cursor;
use super::skip::{Skip, check_count};
use super::step::ReadStep;

impl ReadStep {
    /// Reads the values of the wanted keys, which are ascending, and walks past the others.
    pub(super) fn wanted_keys(
        &self,
        wanted: &[(i32, ReadStep)],
        skip: &Skip,
        cursor: &mut Cursor<'_>,
        columns: &mut [Column],
        allowance: &mut Allowance,
    ) -> Result<()> {
        let step_of = |key: i32| match wanted {
            [(only, step)] => (key == *only).then_some(step),
            _ => wanted.binary_search_by_key(&key, |(wanted, _)| *wanted).ok().map(|at| &wanted[at].1),
        };
        loop {
            let block = cursor.item_block()?;
            if block.count == 0 {
                return Ok(());
            }
            check_count(cursor, block.count, false, &mut allowance.empty_left)?;
            let start = cursor.position();
            let mut left = block.count;
            while let Some((step, key)) =
                next_wanted(cursor, &mut left, skip, &mut allowance.empty_left, step_of)?
            {
                let Values::Keyed(rows, _) = columns[self.column].values else { return Ok(()) };
                if columns[step.column].len() >= rows {
                    return Err(cursor
                        .error(&format!("a map that has the key {key} once, found it twice"))
                        .with("field", &self.label));
                }
                step.run(cursor, columns, allowance)?;
            }
            cursor.check_size(start, &block)?;
        }
    }
}

/// Walks over pairs until one has a wanted key; the cursor is at its value then. `None` after the last pair.
#[inline]
fn next_wanted<T>(
    cursor: &mut Cursor<'_>,
    left: &mut u64,
    skip: &Skip,
    empty_left: &mut u64,
    wanted: impl Fn(i32) -> Option<T>,
) -> Result<Option<(T, i32)>> {
    while let Some(fewer) = left.checked_sub(1) {
        *left = fewer;
        let key = cursor.int()?;
        if let Some(found) = wanted(key) {
            return Ok(Some((found, key)));
        }
        match skip {
            // Counts and bounds are the most frequent, so they are read inline.
            Skip::Varints(1) => cursor.skip_varint()?,
            Skip::Prefixed => drop(cursor.prefixed()?),
            other => other.run(cursor, empty_left)?,
        }
    }
    Ok(None)
}
