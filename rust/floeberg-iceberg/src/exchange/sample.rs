//! Which keys do the rows of a group have, about?
//!
//! In: a group of tasks, of which only the columns are read that rows are sorted by. Out: keys of some rows, and how many rows there are.
//!
//! Invariant: each row is as likely to be chosen as any other, whatever the order of the rows. The choice is the same each time.

use arrow_array::Array as _;
use floeberg_core::{Cancel, Error, Result};

use crate::GroupRecipe;
use crate::write::{RangeKeys, WriteRecipe};

/// The most keys of one group.
const MOST_KEYS: usize = 1 << 16;

/// Keys of some rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySample {
    /// The keys.
    pub keys: Vec<Vec<u8>>,
    /// The rows that they stand for.
    pub rows: u64,
}

/// Reads keys of rows: between half of `most` and all of it, unless there are fewer rows.
///
/// Errors: `InvalidInput` for rows without an order; those of reading.
pub fn sample_keys(
    group: &GroupRecipe,
    recipe: &WriteRecipe,
    most: usize,
    threads: Option<usize>,
    cancel: &Cancel,
) -> Result<KeySample> {
    let columns = recipe.sort_columns()?.ok_or_else(unsorted)?;
    let keys = recipe.range_keys(&columns)?.ok_or_else(unsorted)?;
    let most = most.clamp(1, MOST_KEYS);
    let mut chosen = Chosen { most, limit: u64::MAX, keys: Vec::new(), rows: 0 };
    for batch in group.with_columns(columns).stream(cancel, threads)? {
        let keys = keys.of(&batch?)?;
        for row in 0..keys.len() {
            chosen.add(keys.value(row));
        }
    }
    Ok(KeySample { keys: chosen.keys.into_iter().map(|(_, key)| key).collect(), rows: chosen.rows })
}

pub(super) fn unsorted() -> Error {
    Error::invalid_input("expected rows with a sort order, found rows without one")
}

/// The rows whose numbers are mixed to the smallest numbers.
struct Chosen {
    most: usize,
    limit: u64,
    keys: Vec<(u64, Vec<u8>)>,
    rows: u64,
}

impl Chosen {
    fn add(&mut self, key: &[u8]) {
        let mixed = mixed(self.rows);
        self.rows += 1;
        if mixed > self.limit {
            return;
        }
        self.keys.push((mixed, RangeKeys::cut(key).to_vec()));
        while self.keys.len() > self.most && self.limit > 0 {
            self.limit /= 2;
            self.keys.retain(|(mixed, _)| *mixed <= self.limit);
        }
    }
}

/// A number whose bits look drawn by lot: the finaliser of `SplitMix64`.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
